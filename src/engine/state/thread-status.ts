import type { ThreadActiveFlag, ThreadStatus } from "../../protocol/generated/types.ts";

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

/** Tells of a thread's status whenever it has become another one; a new thread is known to be idle. */
export function createStatusPublisher(
  status: () => ThreadStatus,
  tell: (status: ThreadStatus) => void,
): () => void {
  let told = JSON.stringify({ type: "idle" } satisfies ThreadStatus);
  return () => {
    const current = status();
    const text = JSON.stringify(current);
    if (text === told) return;
    told = text;
    tell(current);
  };
}
