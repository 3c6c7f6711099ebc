import type { Once } from "../../base/once.ts";
import type { DecisionLog } from "../../store/decisions/decision-log.ts";
import type { Store } from "../../store/store.ts";

/** The decisions of the store, which is opened when the first one is made. */
export function storedDecisions(store: Pick<Once<Store>, "get">): DecisionLog {
  const log = async () => (await store.get()).decisions;
  return {
    record: async (matter, verdict) => (await log()).record(matter, verdict),
    open: async (matter) => (await log()).open(matter),
    close: async (number, matter, verdict) => (await log()).close(number, matter, verdict),
    closeUnanswered: async (threadId, atMs) => (await log()).closeUnanswered(threadId, atMs),
    list: async (query) => (await log()).list(query),
  };
}
