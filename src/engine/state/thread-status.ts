import type { ThreadActiveFlag, ThreadReadState, ThreadStatus } from "../../protocol/generated/types.ts";
import type { TurnKind, TurnOutcome } from "./turn-state.ts";

/** The inputs of a thread's status. */
export interface StatusFacts {
  readonly turnRunning: boolean;
  readonly pendingApprovals: number;
  readonly pendingQuestions: number;
  /** The last turn failed, or this one has and is about to end; cleared when the next one starts. */
  readonly failed: boolean;
}

/** Derives the status of a loaded thread, which is stored nowhere. */
export function deriveStatus(facts: StatusFacts): ThreadStatus {
  const activeFlags: ThreadActiveFlag[] = [];
  if (facts.pendingApprovals > 0) activeFlags.push("waitingOnApproval");
  if (facts.pendingQuestions > 0) activeFlags.push("waitingOnUserInput");
  const isAsking = activeFlags.length > 0;
  if (facts.failed && !isAsking) return { type: "systemError" };
  // A tool that a client calls directly may ask as well, without a running turn.
  return facts.turnRunning || isAsking ? { type: "active", activeFlags } : { type: "idle" };
}

/** Publishes the status when it has changed; clients take a new thread to be idle. */
export function createStatusPublisher(
  status: () => ThreadStatus,
  publish: (status: ThreadStatus) => void,
): () => void {
  let published = JSON.stringify({ type: "idle" } satisfies ThreadStatus);
  return () => {
    const current = status();
    const text = JSON.stringify(current);
    if (text === published) return;
    published = text;
    publish(current);
  };
}

/** The unread state of a thread. */
export interface ReadState {
  /** Null while it is unknown. */
  current(): ThreadReadState | null;
  /** Marks a turn as unread; an earlier unread turn stays the first one. */
  markUnread(turnId: string): ThreadReadState;
  /** Sets a state that was read from the store or chosen by a client. */
  set(state: ThreadReadState): void;
}

export function createReadState(createRevision: () => string): ReadState {
  let current: ThreadReadState | null = null;
  return {
    current: () => current,
    markUnread(turnId) {
      const firstUnread = current?.firstUnread ?? { type: "turn", turnId };
      current = { firstUnread, revision: createRevision() };
      return current;
    },
    set(state) {
      current = state;
    },
  };
}

export interface UnreadCriteria {
  readonly threadSource: string | null;
  readonly ephemeral: boolean;
}

/** Whether a turn leaves something unread. Threads not started by a user, and ephemeral ones, have no reader. */
export function isUnreadAfter(
  kind: TurnKind,
  outcome: TurnOutcome,
  { threadSource, ephemeral }: UnreadCriteria,
): boolean {
  if (ephemeral || (threadSource !== null && threadSource !== "user")) return false;
  // An interrupted review also publishes a last message.
  if (outcome.kind === "failed" || kind === "review") return true;
  return outcome.kind === "completed" && outcome.lastMessage !== null;
}
