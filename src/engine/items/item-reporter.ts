/**
 * Notifies clients of the items of a turn: each starts once, and completes at most once. Its times are those of the
 * notifications.
 */
import { type Clock, type Stopwatch, startStopwatch } from "../../base/clock.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { ItemLog } from "../../tools/tool.ts";
import type { Emit } from "../state/events.ts";

export interface ItemReporterOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

export interface ItemReporter extends ItemLog {
  /** Does nothing for an item that has started, because a permission request may have shown it already. */
  begin(item: ThreadItem): void;
  /** Starts the item first where necessary. Returns the item with its times. */
  complete(item: ThreadItem): ThreadItem;
  hasEnded(id: string): boolean;
}

export function createItemReporter({ threadId, turnId, emit, clock }: ItemReporterOptions): ItemReporter {
  const begun = new Map<string, Stopwatch>();
  const ended = new Set<string>();

  function begin(item: ThreadItem): Stopwatch {
    const known = begun.get(item.id);
    if (known !== undefined) return known;
    const stopwatch = startStopwatch(clock);
    const { startedAtMs } = stopwatch;
    begun.set(item.id, stopwatch);
    const shown = { ...item, startedAtMs, completedAtMs: null };
    emit("item/started", { item: shown, threadId, turnId, startedAtMs });
    return stopwatch;
  }

  return {
    begin: (item) => void begin(item),
    complete(item) {
      const stopwatch = begin(item);
      const completedAtMs = stopwatch.nowMs();
      const shown = { ...item, startedAtMs: stopwatch.startedAtMs, completedAtMs };
      if (ended.has(item.id)) return shown;
      ended.add(item.id);
      emit("item/completed", { item: shown, threadId, turnId, completedAtMs });
      return shown;
    },
    hasEnded: (id) => ended.has(id),
    outputDelta: (itemId, delta) =>
      emit("item/commandExecution/outputDelta", { threadId, turnId, itemId, delta }),
    terminalInteraction: (itemId, processId, stdin) =>
      emit("item/commandExecution/terminalInteraction", { threadId, turnId, itemId, processId, stdin }),
    mcpProgress: (itemId, message) =>
      emit("item/mcpToolCall/progress", { threadId, turnId, itemId, message }),
  };
}
