/** The parent folder of the homes of a run against the peer. */
import { mkdir, mkdtemp } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Not below the system's temporary folder, where the peer refuses to put its helper programs, and not below this
 * repository, whose `.git` would make every workspace a part of it.
 */
export async function makeHomesFolder(): Promise<string> {
  const cache = join(homedir(), ".cache");
  await mkdir(cache, { recursive: true });
  return await mkdtemp(join(cache, "heddle-homes-"));
}
