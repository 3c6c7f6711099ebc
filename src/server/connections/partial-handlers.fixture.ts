import type { Handlers, RequestMethod } from "./handler.ts";
import type { MethodHandlers } from "./unserved-methods.ts";

/** Handlers for a test that sends only these methods. */
export function partialHandlers(handlers: Partial<Handlers<RequestMethod>>): MethodHandlers {
  return handlers as MethodHandlers;
}
