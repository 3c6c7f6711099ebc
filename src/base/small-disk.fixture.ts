import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of its own for one test, which can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  /** Leaves about as much. */
  fillUpTo(freeKb: number): void;
  makeRoom(): void;
}

/** Hears what has to be done when the disk is no longer needed. */
type OnEnd = (end: () => void) => unknown;

/** What tests that need one say where there is none. */
export const NO_SMALL_DISK = "mounting a small disk needs more rights";

/** Puts a small disk in the place of the folder, with what is in it; null where this process may not mount. */
export function mountSmallDisk(onEnd: OnEnd, sizeKb: number, folder = ownFolder(onEnd)): SmallDisk | null {
  const aside = ownFolder(onEnd);
  cpSync(folder, aside, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKb}k`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onEnd(() => void execFileSync("umount", ["-l", folder], { stdio: "ignore" }));
  cpSync(aside, folder, { recursive: true });
  const ballast = join(folder, "ballast");
  function fill(): void {
    try {
      writeFileSync(ballast, Buffer.alloc(sizeKb * 1024));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  return {
    folder,
    fill,
    fillUpTo(freeKb) {
      fill();
      truncateSync(ballast, Math.max(0, statSync(ballast).size - freeKb * 1024));
    },
    makeRoom: () => rmSync(ballast, { force: true }),
  };
}

function ownFolder(onEnd: OnEnd): string {
  const root = mkdtempSync(join(tmpdir(), "heddle-disk-"));
  onEnd(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "disk");
  mkdirSync(folder);
  return folder;
}
