/** The items of a running turn that have begun and not ended, for clients that join in the middle of it. */
import type {
  ItemCompletedNotification,
  ItemStartedNotification,
  ThreadItem,
} from "../../protocol/generated/types.ts";
import type { Emit } from "../events.ts";

export interface OpenItems {
  readonly emit: Emit;
  list(): ThreadItem[];
  /** A turn has ended, and with it whatever it had begun. */
  clear(): void;
}

/** What is still being written is told piece by piece to whoever joins. */
const WRITTEN: ReadonlySet<ThreadItem["type"]> = new Set([
  "agentMessage",
  "reasoning",
  "plan",
  "userMessage",
]);

export function followItems(emit: Emit): OpenItems {
  const open = new Map<string, ThreadItem>();
  return {
    emit(method, params) {
      if (method === "item/started") {
        const { item } = params as ItemStartedNotification;
        if (!WRITTEN.has(item.type)) open.set(item.id, item);
      } else if (method === "item/completed") open.delete((params as ItemCompletedNotification).item.id);
      emit(method, params);
    },
    list: () => [...open.values()],
    clear: () => open.clear(),
  };
}
