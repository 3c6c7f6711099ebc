/** Recovery of a queue when its thread is loaded, and its pauses after turns that failed or were interrupted. */

import type { Clock } from "../../base/clock.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import type { HasStarted, Queue, RowList } from "../../store/queue.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { FinishedTurn, QueueThreads } from "./dispatcher.ts";
import { NO_ROWS, PUBLISHED } from "./queue-limits.ts";

export interface QueueSettings {
  readonly maxRows: number;
  readonly afterInterrupt: "continue" | "pause";
  readonly afterFailure: "continue" | "pause";
  readonly afterCrash: "failed" | "retry";
}

interface RecoveryOptions {
  readonly queue: Queue;
  readonly threads: QueueThreads;
  readonly settings: () => Promise<QueueSettings>;
  readonly publish: (threadId: string, rows: RowList) => void;
  readonly clock: Clock;
}

const PAUSE_REASONS = {
  interrupted: "the turn before was interrupted",
  failed: "the turn before failed",
} as const;
const CUT_OFF: TurnError = {
  message: "queued turn dispatch was interrupted while app-server restarted",
  codexErrorInfo: null,
  additionalDetails: null,
  misalignment: null,
};
/** Turns to search for a claimed one, which is always among the last. */
const RECENT_TURNS = 50;

const NOTHING = { hasRows: false, canContinue: false };

/**
 * Acknowledges or releases claims of an earlier process by the turns in the journal, and notifies clients.
 */
export async function recoverQueue(
  threadId: string,
  options: RecoveryOptions,
): Promise<{ readonly hasRows: boolean; readonly canContinue: boolean }> {
  const { queue, threads, settings, publish } = options;
  const fence = threads.fenceOf(threadId);
  // A new thread has no rows.
  if (fence === null) return NOTHING;
  const hasStarted: HasStarted = async (turnId) => {
    const turns = await threads.lastTurns(threadId, RECENT_TURNS);
    if (turns?.some((turn) => turn.turnId === turnId) === true) return true;
    // Turns that cannot be read may contain it.
    return turns !== null && (await settings()).afterCrash === "retry" ? "retry" : false;
  };
  const recovered = await queue.recover(fence, hasStarted, { ...CUT_OFF });
  if (recovered.kind === "fenced") return NOTHING;
  if (recovered.hasChanged) await closeLog(fence, options);
  const rows = await queue.list(threadId, PUBLISHED);
  const hasRows = rows.total > 0;
  // Clients that saw rows before the restart are also notified of an empty queue.
  if (!hasRows && !recovered.hasChanged) return NOTHING;
  const [last] = (await threads.lastTurns(threadId, 1)) ?? [];
  if (last !== undefined && !last.isRunning && (await pauseAfterTurn(threadId, last, options)))
    return { hasRows, canContinue: false };
  publish(threadId, rows);
  return { hasRows, canContinue: true };
}

/** Usually there is one open end; more only if the store failed to record ends. */
const MAX_OPEN_ENDS = 50;

/** Records the ends of turns whose process died before it could. */
async function closeLog(fence: Fence, { queue, threads, clock }: RecoveryOptions): Promise<void> {
  const { threadId } = fence;
  for (const { turnId } of await queue.started({ threadId, isOpen: true, limit: MAX_OPEN_ENDS })) {
    const turns = await threads.lastTurns(threadId, RECENT_TURNS);
    const known = turns?.find((turn) => turn.turnId === turnId);
    if (known?.isRunning !== true)
      await queue.recordEnd(fence, turnId, known?.end ?? unknownEnd(clock.now()));
  }
}

function unknownEnd(atMs: number): QueuedTurnEnd {
  return { how: "interrupted", atMs, durationMs: null, tokens: null, error: null };
}

/** Pauses the queue and notifies clients, if configured for such a turn. Returns whether it has paused. */
export async function pauseAfterTurn(
  threadId: string,
  { turnId, how }: FinishedTurn,
  { queue, settings, publish }: RecoveryOptions,
): Promise<boolean> {
  if (how === "completed") return false;
  const { afterInterrupt, afterFailure } = await settings();
  if ((how === "failed" ? afterFailure : afterInterrupt) === "continue") return false;
  const { pause, total } = await queue.list(threadId, NO_ROWS);
  if (pause !== null || total === 0) return false;
  // Not paused again when the thread is loaded, if a client has resumed the queue since.
  if (!(await queue.pauseAfter(threadId, turnId, PAUSE_REASONS[how]))) return false;
  publish(threadId, await queue.list(threadId, PUBLISHED));
  return true;
}

/** Ends the pause of an earlier turn, if the turn that has just ended causes none. Returns whether it has. */
export async function resumeAfterTurn(
  threadId: string,
  ended: FinishedTurn | null,
  { queue, settings }: RecoveryOptions,
): Promise<boolean> {
  if (ended?.how === "interrupted") return false;
  if (ended?.how === "failed" && (await settings()).afterFailure === "pause") return false;
  const { pause } = await queue.list(threadId, NO_ROWS);
  const isAfterTurn = Object.values<string | null>(PAUSE_REASONS).includes(pause);
  return isAfterTurn && queue.resume(threadId);
}
