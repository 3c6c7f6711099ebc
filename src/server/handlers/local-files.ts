import type { Environment } from "../../base/environment.ts";
import { missingMachine } from "../../runtime/machine/local-machine.ts";
import { type Handlers, type RequestMethod, toProtocolError } from "../connections/handler.ts";

/** Returns the handlers, or handlers that refuse every request if there is no local file system. */
export function withLocalFiles<M extends RequestMethod>(
  env: Environment,
  handlers: Handlers<M>,
): Handlers<M> {
  const missing = missingMachine(env, "filesystem");
  if (missing === null) return handlers;
  const refuse = () => Promise.reject(toProtocolError(missing));
  const refusals: unknown = Object.fromEntries(Object.keys(handlers).map((method) => [method, refuse]));
  return refusals as Handlers<M>;
}
