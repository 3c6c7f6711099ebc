/** Running turns that came from a queue, with the facts that the log of the queue records. */
import type { Clock } from "../../base/clock.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { FinishedTurn } from "./dispatcher.ts";

export interface RunningQueuedTurns {
  /**
   * Called when a queued turn was accepted. `deniesQuestions`: its questions are denied while the thread has
   * no subscriber.
   */
  add(threadId: string, turnId: string, deniesQuestions: boolean): void;
  /** Counts the tokens of the turn. Returns its end for the event that ends it. */
  onEvent(threadId: string, event: ThreadEvent): (FinishedTurn & { readonly end: QueuedTurnEnd }) | null;
  deniesQuestions(threadId: string): boolean;
}

interface Running {
  readonly turnId: string;
  readonly startedAt: number;
  readonly deniesQuestions: boolean;
  tokens: number | null;
}

export function createRunningQueuedTurns(clock: Clock): RunningQueuedTurns {
  /** By thread, because at most one turn runs in each. */
  const running = new Map<string, Running>();

  return {
    add(threadId, turnId, deniesQuestions) {
      running.set(threadId, { turnId, deniesQuestions, startedAt: clock.monotonic(), tokens: null });
    },
    onEvent(threadId, event) {
      const turn = running.get(threadId);
      if (turn === undefined) return null;
      if (event.type === "unloaded") running.delete(threadId);
      if (!("turnId" in event) || event.turnId !== turn.turnId) return null;
      if (event.type === "modelAnswered" && event.usage !== null)
        turn.tokens = (turn.tokens ?? 0) + event.usage.totalTokens;
      if (event.type !== "turnEnded") return null;
      running.delete(threadId);
      const { outcome } = event;
      const how = outcome.kind;
      const end = {
        how,
        atMs: clock.now(),
        durationMs: Math.round(clock.monotonic() - turn.startedAt),
        tokens: turn.tokens,
        error: outcome.kind === "failed" ? outcome.error.message : null,
      };
      return { turnId: turn.turnId, how, end };
    },
    deniesQuestions: (threadId) => running.get(threadId)?.deniesQuestions ?? false,
  };
}
