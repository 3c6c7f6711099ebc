import type { ThreadActiveFlag, ThreadReadState, ThreadStatus } from "../../protocol/generated/types.ts";
import type { TurnKind, TurnOutcome } from "./turn-state.ts";

/** Everything that a thread's status follows from. */
export interface StatusFacts {
  readonly turnRunning: boolean;
  readonly pendingApprovals: number;
  readonly pendingQuestions: number;
  /** The last turn failed, or this one has and is about to end; cleared when the next one starts. */
  readonly failed: boolean;
}

/** The status of a loaded thread. It is derived whenever it is asked for, and stored nowhere. */
export function deriveStatus(facts: StatusFacts): ThreadStatus {
  const activeFlags: ThreadActiveFlag[] = [];
  if (facts.pendingApprovals > 0) activeFlags.push("waitingOnApproval");
  if (facts.pendingQuestions > 0) activeFlags.push("waitingOnUserInput");
  const isAsking = activeFlags.length > 0;
  if (facts.failed && !isAsking) return { type: "systemError" };
  // What a client calls itself may ask, too, and that needs no turn.
  return facts.turnRunning || isAsking ? { type: "active", activeFlags } : { type: "idle" };
}

/** Publishes the status of a thread whenever it has become another one; a new thread is known to be idle. */
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
