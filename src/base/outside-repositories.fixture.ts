/** A temporary folder with no repository above it, wherever the system's own one lies. */
import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function makeFolderOutsideRepositories(prefix: string): string {
  const places = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"].filter((place) => existsSync(place));
  const place = places.map((each) => realpathSync(each)).find((each) => !isInRepository(each));
  if (place === undefined) throw new Error(`every temporary folder is in a repository: ${places.join(", ")}`);
  return mkdtempSync(join(place, prefix));
}

function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, ".git"))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInRepository(parent);
}
