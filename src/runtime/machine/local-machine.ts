/** Whether the server's own machine is there for clients. Where it is not, what needs it is refused. */

import type { Environment } from "../../base/environment.ts";
import { refusal } from "../../base/refusal.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";

/**
 * The variable names another place for commands and files, or `none`. There is no other place here, and what was
 * meant for one must not happen on this machine instead.
 */
export function hasLocalMachine(env: Environment): boolean {
  return (env["CODEX_EXEC_SERVER_URL"] ?? "").trim() === "";
}

/** Null where commands and files of clients can be served. */
export function missingMachine(
  env: Environment,
  what: "environment" | "filesystem" = "environment",
): ThreadRefusal | null {
  return hasLocalMachine(env) ? null : refusal("unavailable", `local ${what} is not configured`);
}
