/**
 * Whether clients and threads may use the server's own machine. If not, requests that need it are refused.
 */

import type { Environment } from "../../base/environment.ts";
import { refusal } from "../../base/refusal.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";

/**
 * `CODEX_EXEC_SERVER_URL` names another machine for commands and files, or `none`. Heddle supports no other
 * machine, and commands meant for one must not run on this one instead.
 */
export function hasLocalMachine(env: Environment): boolean {
  return (env["CODEX_EXEC_SERVER_URL"] ?? "").trim() === "";
}

/** The refusal for commands and files of clients; null if there is a machine. */
export function missingMachine(
  env: Environment,
  what: "environment" | "filesystem" = "environment",
): ThreadRefusal | null {
  return hasLocalMachine(env) ? null : refusal("unavailable", `local ${what} is not configured`);
}
