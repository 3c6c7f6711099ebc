/** When a model that is to know the time has to be told it again. */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export interface ReminderSettings {
  readonly intervalSeconds: number;
  /** Not between two answers that follow each other without anything new. */
  readonly onlyAfterInput: boolean;
}

/** What is known before a request. */
export interface ReminderMoment {
  readonly windowId: string;
  readonly nowMs: number;
  readonly history: readonly ResponseItem[];
}

export interface TimeReminder {
  /** Whether to tell it before this request; that counts as done. */
  isDue(moment: ReminderMoment, settings: ReminderSettings): boolean;
}

export function createTimeReminder(): TimeReminder {
  let last: { readonly atMs: number; readonly windowId: string } | null = null;
  let seen = 0;
  return {
    isDue({ windowId, nowMs, history }, { intervalSeconds, onlyAfterInput }) {
      const news = history.slice(seen);
      seen = history.length;
      const isFirst = last?.windowId !== windowId;
      const waits = onlyAfterInput && !news.some(isInput);
      const isEarly = last !== null && nowMs - last.atMs < intervalSeconds * 1000;
      if (!isFirst && (waits || isEarly)) return false;
      last = { atMs: nowMs, windowId };
      return true;
    },
  };
}

/** What the user or a tool has said. */
function isInput(item: ResponseItem): boolean {
  return item.type === "message" ? item.role === "user" : item.type.endsWith("_output");
}
