/**
 * Masks for missing entries that must not be created. A mount needs a mount point, so bubblewrap creates an empty folder.
 * It has to be removed when the last command that it masks the entry from has ended, and no earlier: removing it would
 * undo the mounts of the other commands. Marker folders on disk coordinate the servers of one home.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export interface Masks {
  /** Whether an entry of this folder may be a mask, of this server or another one, including a crashed one. */
  holds(folder: string): boolean;
  claim(folder: string): void;
  /** Removes the masks after the last claim is released. */
  release(folder: string, entries: readonly string[]): void;
}

interface Claim {
  count: number;
  readonly entries: Set<string>;
}

export function createMasks(markersFolder: string, pid: number): Masks {
  mkdirSync(markersFolder, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(markersFolder, `${pid}-`));
  const claims = new Map<string, Claim>();
  const others = () => list(markersFolder).filter((name) => join(markersFolder, name) !== own);
  for (const name of others()) if (!isAlive(pidOf(name))) removeEmpty(join(markersFolder, name));
  return {
    holds(folder) {
      if (claims.has(folder)) return true;
      const marker = markerName(folder);
      return others().some((name) => existsSync(join(markersFolder, name, marker)));
    },
    claim(folder) {
      const claim = claims.get(folder);
      if (claim !== undefined) {
        claim.count += 1;
        return;
      }
      mkdirSync(join(own, markerName(folder)), { recursive: true });
      claims.set(folder, { count: 1, entries: new Set() });
    },
    release(folder, entries) {
      const claim = claims.get(folder);
      if (claim === undefined) return;
      for (const entry of entries) claim.entries.add(entry);
      claim.count -= 1;
      if (claim.count > 0) return;
      claims.delete(folder);
      const marker = markerName(folder);
      removeEmpty(join(own, marker));
      if (!others().some((name) => isHeldBy(markersFolder, name, marker))) claim.entries.forEach(removeEmpty);
    },
  };
}

function markerName(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 32);
}

/** Removes the markers of a crashed server. */
function isHeldBy(markersFolder: string, name: string, marker: string): boolean {
  if (!existsSync(join(markersFolder, name, marker))) return false;
  if (isAlive(pidOf(name))) return true;
  rmSync(join(markersFolder, name), { recursive: true, force: true });
  return false;
}

function pidOf(name: string): number {
  return Number.parseInt(name, 10);
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was never created, or is no longer empty.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
