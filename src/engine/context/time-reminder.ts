/** Decides when the model is reminded of the current time. */
import type { ResponseItem } from "../../protocol/generated/types.ts";

export interface ReminderSettings {
  readonly intervalSeconds: number;
  /** No reminder between two responses without new user input or tool output. */
  readonly onlyAfterInput: boolean;
}

/** The state before a request. */
export interface ReminderContext {
  readonly windowId: string;
  readonly nowMs: number;
  readonly history: readonly ResponseItem[];
}

export interface TimeReminder {
  /** Whether to send a reminder before this request; a true result counts as sent. */
  isDue(context: ReminderContext, settings: ReminderSettings): boolean;
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

/** Whether an item comes from the user or from a tool. */
function isInput(item: ResponseItem): boolean {
  return item.type === "message" ? item.role === "user" : item.type.endsWith("_output");
}
