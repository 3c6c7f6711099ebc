import type { Clock } from "../base/clock.ts";
import { type Stopwatch, startStopwatch } from "../base/stopwatch.ts";
import type { ItemLog } from "../tools/tool.ts";
import type { Emit } from "./state/events.ts";

export interface ItemLogOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly clock: Clock;
}

/** Reports what tools do as items of their turn; the times are those of the report. */
export function createItemLog({ threadId, turnId, emit, clock }: ItemLogOptions): ItemLog {
  const begun = new Map<string, Stopwatch>();
  return {
    begin(item) {
      // Whoever asked the user about it has shown it already.
      if (begun.has(item.id)) return;
      const stopwatch = startStopwatch(clock);
      const { startedAtMs } = stopwatch;
      begun.set(item.id, stopwatch);
      emit("item/started", {
        item: { ...item, startedAtMs, completedAtMs: null },
        threadId,
        turnId,
        startedAtMs,
      });
    },
    complete(item) {
      const stopwatch = begun.get(item.id) ?? startStopwatch(clock);
      const { startedAtMs } = stopwatch;
      const completedAtMs = stopwatch.nowMs();
      begun.delete(item.id);
      emit("item/completed", {
        item: { ...item, startedAtMs, completedAtMs },
        threadId,
        turnId,
        completedAtMs,
      });
    },
    outputDelta: (itemId, delta) =>
      emit("item/commandExecution/outputDelta", { threadId, turnId, itemId, delta }),
    terminalInteraction: (itemId, processId, stdin) =>
      emit("item/commandExecution/terminalInteraction", { threadId, turnId, itemId, processId, stdin }),
    mcpProgress: (itemId, message) =>
      emit("item/mcpToolCall/progress", { threadId, turnId, itemId, message }),
  };
}
