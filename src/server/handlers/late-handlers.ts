import { once } from "../../base/tasks.ts";
import { requestRows } from "../../protocol/generated/table.ts";
import type { Handlers, RequestContext, RequestMethod } from "../connections/handler.ts";
import { type MethodHandlers, unservedMethods } from "../connections/unserved-methods.ts";

/** The handlers that a server can do without until a client is initialized. */
export type LateHandlers = Omit<MethodHandlers, "initialize">;

type UntypedHandler = (params: unknown, context: RequestContext) => unknown;

/**
 * All handlers of a server, of which only `initialize` is there from the beginning. The first call of another method
 * loads the rest, which then takes the places in the table, so that later calls go to it directly.
 */
export function createLateHandlers(
  early: Handlers<"initialize">,
  load: () => Promise<LateHandlers>,
): MethodHandlers {
  const loaded = once(async () => Object.assign(table, await load()));
  const table: Record<string, UntypedHandler> = {};
  for (const method of Object.keys(requestRows) as RequestMethod[]) {
    if (Object.hasOwn(unservedMethods, method)) continue;
    table[method] = async (params, context) => {
      await loaded.get();
      return table[method]?.(params, context);
    };
  }
  // The table has a handler for each row that is not unserved.
  return Object.assign(table, early) as unknown as MethodHandlers;
}
