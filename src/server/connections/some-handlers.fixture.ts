import type { Handlers, Method } from "./handler.ts";
import type { MethodHandlers } from "./unserved-methods.ts";

/** The handlers of a server that a test asks for these methods and no others. */
export function someHandlers(handlers: Partial<Handlers<Method>>): MethodHandlers {
  return handlers as MethodHandlers;
}
