// The home folder: configuration, credentials, threads.
import { mkdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Environment } from "../base/environment.ts";
import { osErrorText } from "../base/errors.ts";

/** `$HEDDLE_HOME`, else `$CODEX_HOME`, else `~/.codex`; empty variables do not count. */
export function resolveHome(env: Environment, userHome: string): string {
  const chosen = env["HEDDLE_HOME"] || env["CODEX_HOME"];
  return chosen ? path.resolve(chosen) : path.join(userHome, ".codex");
}

const NO_FOLDER = "it is not a folder; move it away, or set HEDDLE_HOME to another path";

export type PreparedHome = { ok: true; home: string } | { ok: false; message: string };

/** Creates the folder for its owner only, and resolves symlinks to it. */
export function prepareHome(home: string): PreparedHome {
  try {
    if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false) throw new Error(NO_FOLDER);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return { ok: true, home: realpathSync(home) };
  } catch (error) {
    return { ok: false, message: `cannot use the home folder ${home}: ${osErrorText(error)}` };
  }
}
