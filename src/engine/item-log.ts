import type { Clock } from "../base/clock.ts";
import type { ItemLog } from "../tools/tool.ts";
import type { Emit } from "./events.ts";

export interface ItemLogOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly clock: Clock;
}

/** Reports what tools do as items of their turn; the times are those of the report. */
export function createItemLog({ threadId, turnId, emit, clock }: ItemLogOptions): ItemLog {
  const startedAt = new Map<string, number>();
  return {
    begin(item) {
      // Whoever asked the user about it has shown it already.
      if (startedAt.has(item.id)) return;
      const startedAtMs = clock.now();
      startedAt.set(item.id, startedAtMs);
      emit("item/started", {
        item: { ...item, startedAtMs, completedAtMs: null },
        threadId,
        turnId,
        startedAtMs,
      });
    },
    complete(item) {
      const completedAtMs = clock.now();
      const startedAtMs = startedAt.get(item.id) ?? completedAtMs;
      startedAt.delete(item.id);
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
