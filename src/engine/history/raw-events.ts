/** Tells clients of the history in the words of the provider, where they want to see it that way. */
import type { CompletedEvent } from "../../model/model.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { Emit } from "../state/events.ts";
import type { ActiveTurn } from "../turn/active-turn.ts";

/** A turn, or what stands for it where there is none. */
export type TurnOfItems = Pick<ActiveTurn, "id"> & Partial<Pick<ActiveTurn, "state">>;

export interface RawEvents {
  /** What a turn brings before clients know of it is told by `release`. */
  items(turn: TurnOfItems, items: readonly ResponseItem[]): void;
  /** A response has come to its end. */
  answered(turn: TurnOfItems, completed: CompletedEvent): void;
  /** Clients know of the turn now. */
  release(): void;
}

export function createRawEvents(threadId: string, emit: Emit): RawEvents {
  const held: { readonly turnId: string; readonly item: ResponseItem }[] = [];
  return {
    items({ id: turnId, state }, items) {
      for (const item of items) {
        if (state?.phase === "accepted") held.push({ turnId, item });
        else emit("rawResponseItem/completed", { threadId, turnId, item });
      }
    },
    answered({ id: turnId }, { responseId, usage, rawUsage = null }) {
      const usageMetadata = usage === null ? null : { amount: null, metadata: rawUsage };
      emit("rawResponse/completed", { threadId, turnId, responseId, usage, usageMetadata });
    },
    release() {
      for (const each of held.splice(0)) emit("rawResponseItem/completed", { threadId, ...each });
    },
  };
}

/** For threads whose clients do not want to know. */
export const NO_RAW_EVENTS: RawEvents = { items() {}, answered() {}, release() {} };
