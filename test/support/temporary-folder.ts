/**
 * The parent folder of temporary folders: outside of any repository, because many tests depend on what is
 * above a folder.
 */
import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function chooseTemporaryFolder(places = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"]): string {
  const free = places.find((place) => existsSync(place) && !isInRepository(realpathSync(place)));
  if (free === undefined) {
    throw new Error(
      `every temporary folder is in a repository (${places.join(", ")}): set TMPDIR to another`,
    );
  }
  return free;
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
