import { once } from "../../base/tasks.ts";
import { lazyRequests } from "../../protocol/generated/table.ts";
import type { Handler, Handlers, ParamsOf } from "../connections/handler.ts";

type HandlerFile = keyof typeof lazyRequests;
type MethodsOf<F extends HandlerFile> = (typeof lazyRequests)[F][number];

/** Handlers whose file is imported on the first call, to keep the start of the server fast. */
export function lazyHandlers<F extends HandlerFile>(
  file: F,
  load: () => Promise<Handlers<MethodsOf<F>>>,
): Handlers<MethodsOf<F>> {
  const handlers = once(load);
  const methods: readonly MethodsOf<F>[] = lazyRequests[file];
  const entries = methods.map((method) => [
    method,
    async (params: ParamsOf<MethodsOf<F>>, context: Parameters<Handler<MethodsOf<F>>>[1]) => {
      return (await handlers.get())[method](params, context);
    },
  ]);
  // `entries` has one entry for each method of the type.
  return Object.fromEntries(entries) as Handlers<MethodsOf<F>>;
}
