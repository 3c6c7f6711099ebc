/** Whether the server's own machine is there for clients. Where it is not, what needs it is refused. */

import type { Environment } from "../../base/environment.ts";
import { Refused } from "../configuration/refusal.ts";
import type { Handlers, Method } from "../connections/handler.ts";

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

/** The handlers as they are, or in their place ones that refuse. */
export function withLocalFiles<M extends Method>(env: Environment, handlers: Handlers<M>): Handlers<M> {
  if (hasLocalMachine(env)) return handlers;
  const refuse = () => Promise.reject(missing("filesystem"));
  const refusals: unknown = Object.fromEntries(Object.keys(handlers).map((method) => [method, refuse]));
  return refusals as Handlers<M>;
}

function missing(what: "environment" | "filesystem"): Refused {
  return new Refused("unavailable", `local ${what} is not configured`);
}
