import type { ThreadReadState } from "../protocol/generated/types.ts";

/** What of a thread its user has not seen yet. */
export interface ReadState {
  readonly current: ThreadReadState;
  /** An answer has come; the first one that was not seen stays the first. */
  answered(turnId: string): ThreadReadState;
  /** The user has seen everything, or wants to be reminded of the last turn. Null: somebody else was faster. */
  update(operation: "read" | "unread", expectedRevision: string): ThreadReadState | null;
}

export function createReadState(createRevision: () => string): ReadState {
  let lastTurnId: string | null = null;
  let current: ThreadReadState = { firstUnread: null, revision: createRevision() };
  const become = (firstUnread: ThreadReadState["firstUnread"]) => {
    current = { firstUnread, revision: createRevision() };
    return current;
  };
  const toPosition = (turnId: string | null) => (turnId === null ? null : { type: "turn" as const, turnId });
  return {
    get current() {
      return current;
    },
    answered(turnId) {
      lastTurnId = turnId;
      return become(current.firstUnread ?? toPosition(turnId));
    },
    update(operation, expectedRevision) {
      if (expectedRevision !== current.revision) return null;
      return become(operation === "read" ? null : toPosition(lastTurnId));
    },
  };
}
