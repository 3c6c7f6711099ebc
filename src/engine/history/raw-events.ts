/** Notifies clients of the history in the words of the provider, where they want to see it that way. */
import type { CompletedEvent } from "../../model/model.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { Emit } from "../state/events.ts";

export interface RawEvents {
  items(turnId: string, items: readonly ResponseItem[]): void;
  /** A response has come to its end. */
  answered(turnId: string, completed: CompletedEvent): void;
}

export function createRawEvents(threadId: string, emit: Emit): RawEvents {
  return {
    items(turnId, items) {
      for (const item of items) emit("rawResponseItem/completed", { threadId, turnId, item });
    },
    answered(turnId, { responseId, usage, rawUsage = null }) {
      const usageMetadata = usage === null ? null : { amount: null, metadata: rawUsage };
      emit("rawResponse/completed", { threadId, turnId, responseId, usage, usageMetadata });
    },
  };
}

/** For threads whose clients do not want to know. */
export const NO_RAW_EVENTS: RawEvents = { items() {}, answered() {} };
