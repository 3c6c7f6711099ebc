import type { ThreadReadState } from "../../protocol/generated/types.ts";
import type { TurnKind, TurnOutcome } from "./turn-state.ts";

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

export interface Readership {
  readonly threadSource: string | null;
  readonly ephemeral: boolean;
}

/** Whether a turn has brought something for a user to read. Nobody reads what runs by itself, or what is not kept. */
export function isUnreadAfter(
  kind: TurnKind,
  outcome: TurnOutcome,
  { threadSource, ephemeral }: Readership,
): boolean {
  if (ephemeral || (threadSource !== null && threadSource !== "user")) return false;
  // The last message of a review comes also when it is interrupted.
  if (outcome.kind === "failed" || kind === "review") return true;
  return outcome.kind === "completed" && outcome.lastMessage !== null;
}
