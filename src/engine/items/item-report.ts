/** Tells clients of the items of a response: each begins once, and ends once or never. */
import type { Clock } from "../../base/clock.ts";
import { type Stopwatch, startStopwatch } from "../../base/stopwatch.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { Emit } from "../state/events.ts";

export interface ItemReportOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly clock: Pick<Clock, "now" | "monotonic">;
}

export interface ItemReport {
  /** Does nothing for an item that has begun. */
  start(item: ThreadItem): void;
  /** Begins the item first where that is still to be done. Gives it with its times. */
  complete(item: ThreadItem): ThreadItem;
  hasEnded(id: string): boolean;
}

export function createItemReport({ threadId, turnId, emit, clock }: ItemReportOptions): ItemReport {
  const begun = new Map<string, Stopwatch>();
  const ended = new Set<string>();

  function start(item: ThreadItem): Stopwatch {
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
    start: (item) => void start(item),
    complete(item) {
      const stopwatch = start(item);
      const completedAtMs = stopwatch.nowMs();
      const shown = { ...item, startedAtMs: stopwatch.startedAtMs, completedAtMs };
      if (ended.has(item.id)) return shown;
      ended.add(item.id);
      emit("item/completed", { item: shown, threadId, turnId, completedAtMs });
      return shown;
    },
    hasEnded: (id) => ended.has(id),
  };
}
