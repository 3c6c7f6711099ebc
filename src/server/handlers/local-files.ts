import type { Environment } from "../../base/environment.ts";
import { hasLocalMachine, missing } from "../../runtime/machine/local-machine.ts";
import type { Handlers, Method } from "../connections/handler.ts";

/** The handlers as they are, or in their place ones that refuse. */
export function withLocalFiles<M extends Method>(env: Environment, handlers: Handlers<M>): Handlers<M> {
  if (hasLocalMachine(env)) return handlers;
  const refuse = () => Promise.reject(missing("filesystem"));
  const refusals: unknown = Object.fromEntries(Object.keys(handlers).map((method) => [method, refuse]));
  return refusals as Handlers<M>;
}
