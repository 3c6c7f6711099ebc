import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../base/environment.ts";

/**
 * Where the sockets of all servers of this user really are, whatever path they are known by: one place, so that a
 * sandbox can hide it as a whole. A socket that a command can open would let it call the server.
 */
export function socketFolder(env: Environment, user = process.getuid?.() ?? 0): string {
  const runtime = env["XDG_RUNTIME_DIR"];
  const own = runtime !== undefined && isOwn(runtime, user) ? runtime : null;
  return own === null ? `/tmp/heddle-${user}` : join(own, "heddle");
}

/** Makes the folder, for its owner only; fails where somebody else has taken its name. */
export function prepareSocketFolder(folder: string, user = process.getuid?.() ?? 0): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwn(folder, user))
    throw new Error(`${folder} belongs to somebody else: remove it, or set XDG_RUNTIME_DIR`);
  chmodSync(folder, 0o700);
}

function isOwn(folder: string, user: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === user;
}
