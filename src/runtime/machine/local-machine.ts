/** Whether the server's own machine is there for clients. Where it is not, what needs it is refused. */

import type { Environment } from "../../base/environment.ts";
import { Refused } from "../configuration/refusal.ts";

/**
 * The variable names another place for commands and files, or `none`. There is no other place here, and what was
 * meant for one must not happen on this machine instead.
 */
export function hasLocalMachine(env: Environment): boolean {
  return (env["CODEX_EXEC_SERVER_URL"] ?? "").trim() === "";
}

export function assertLocalMachine(env: Environment): void {
  if (!hasLocalMachine(env)) throw missing("environment");
}

export function missing(what: "environment" | "filesystem"): Refused {
  return new Refused("unavailable", `local ${what} is not configured`);
}
