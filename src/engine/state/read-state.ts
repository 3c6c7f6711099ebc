import type { ThreadReadState } from "../../protocol/generated/types.ts";

/** What of a thread its user has not seen yet. */
export interface ReadState {
  /** Null while nothing is known of it. */
  readonly current: ThreadReadState | null;
  /** An answer has come; the first one that was not seen stays the first. */
  answered(turnId: string): ThreadReadState;
  /** Takes over what was found out or decided elsewhere. */
  become(state: ThreadReadState): void;
}

export function createReadState(createRevision: () => string): ReadState {
  let current: ThreadReadState | null = null;
  return {
    get current() {
      return current;
    },
    answered(turnId) {
      const firstUnread = current?.firstUnread ?? { type: "turn", turnId };
      current = { firstUnread, revision: createRevision() };
      return current;
    },
    become(state) {
      current = state;
    },
  };
}
