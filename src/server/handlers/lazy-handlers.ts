import { once } from "../../base/tasks.ts";
import type { Handler, Handlers, Method, ParamsOf } from "../connections/handler.ts";

/** Handlers whose module is loaded when one of them is first called, because a start does not need them. */
export function lazyHandlers<M extends Method>(
  methods: readonly M[],
  load: () => Promise<Handlers<M>>,
): Handlers<M> {
  const handlers = once(load);
  const entries = methods.map((method) => [
    method,
    async (params: ParamsOf<M>, context: Parameters<Handler<M>>[1]) => {
      return (await handlers.get())[method](params, context);
    },
  ]);
  // One entry was made for each of the methods, which is what the type says.
  return Object.fromEntries(entries) as Handlers<M>;
}
