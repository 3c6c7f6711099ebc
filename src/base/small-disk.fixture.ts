import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A tmpfs for one test, which can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string;
  fill(): void;
  /** Fills the disk except for about this much. */
  fillUpTo(freeKb: number): void;
  makeRoom(): void;
}

/** Registers a cleanup function. */
type OnCleanup = (cleanup: () => void) => unknown;

/** The skip reason of tests that need a small disk. */
export const NO_SMALL_DISK = "mounting a small disk needs more rights";

/** Mounts a small disk over the folder and copies its content; null if this process may not mount. */
export function mountSmallDisk(
  onCleanup: OnCleanup,
  sizeKb: number,
  folder = createFolder(onCleanup),
): SmallDisk | null {
  const copy = createFolder(onCleanup);
  cpSync(folder, copy, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKb}k`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onCleanup(() => void execFileSync("umount", ["-l", folder], { stdio: "ignore" }));
  cpSync(copy, folder, { recursive: true });
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

function createFolder(onCleanup: OnCleanup): string {
  const root = mkdtempSync(join(tmpdir(), "heddle-disk-"));
  onCleanup(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "disk");
  mkdirSync(folder);
  return folder;
}
