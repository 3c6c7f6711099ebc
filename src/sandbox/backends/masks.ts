/**
 * Stand-ins for entries that are not there and must not be made. A mount needs something to be mounted on, so that
 * bubblewrap makes an empty folder, which has to go when the last command that was kept from it has ended, and no
 * earlier: removing it would lift the mounts of the others. Marks on disk tell the servers of one home of each other.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export interface Masks {
  /** Whether an entry of this folder may be a stand-in, of this server or of another, also of one that died. */
  holds(folder: string): boolean;
  claim(folder: string): void;
  /** Removes the stand-ins if nobody needs them any more. */
  release(folder: string, entries: readonly string[]): void;
}

interface Claim {
  holders: number;
  readonly entries: Set<string>;
}

export function createMasks(place: string, pid: number): Masks {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(place, `${pid}-`));
  const claims = new Map<string, Claim>();
  const others = () => list(place).filter((name) => join(place, name) !== own);
  for (const name of others()) if (!isAlive(pidOf(name))) removeEmpty(join(place, name));
  return {
    holds(folder) {
      if (claims.has(folder)) return true;
      const mark = markOf(folder);
      return others().some((name) => existsSync(join(place, name, mark)));
    },
    claim(folder) {
      const claim = claims.get(folder);
      if (claim !== undefined) {
        claim.holders += 1;
        return;
      }
      mkdirSync(join(own, markOf(folder)), { recursive: true });
      claims.set(folder, { holders: 1, entries: new Set() });
    },
    release(folder, entries) {
      const claim = claims.get(folder);
      if (claim === undefined) return;
      for (const entry of entries) claim.entries.add(entry);
      claim.holders -= 1;
      if (claim.holders > 0) return;
      claims.delete(folder);
      const mark = markOf(folder);
      removeEmpty(join(own, mark));
      if (!others().some((name) => isHeldBy(place, name, mark))) claim.entries.forEach(removeEmpty);
    },
  };
}

function markOf(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 32);
}

/** What a server that died has left is taken away. */
function isHeldBy(place: string, name: string, mark: string): boolean {
  if (!existsSync(join(place, name, mark))) return false;
  if (isAlive(pidOf(name))) return true;
  rmSync(join(place, name), { recursive: true, force: true });
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
    // It was never made, or somebody has put something into it since.
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
