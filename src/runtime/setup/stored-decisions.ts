import type { Once } from "../../base/tasks.ts";
import { type DecisionLog, decisionLogOf } from "../../store/decisions.ts";
import type { WriterFence } from "../../store/leases.ts";
import type { Store } from "../../store/store.ts";

/** The decisions of a thread in the store, which is opened when the first one is made. */
export function storedDecisions(
  store: Pick<Once<Store>, "get">,
  source: () => WriterFence | null,
): DecisionLog {
  return decisionLogOf(async () => (await store.get()).decisions, source);
}
