/** Recovery of a queue when its thread is loaded, and its pauses after turns that failed or were interrupted. */

import type { Clock } from "../../base/clock.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import type { Queue, RowList } from "../../store/queue.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { EndedTurn, QueueThreads } from "./dispatcher.ts";
import { NO_ROWS, PUBLISHED } from "./queue-limits.ts";

export interface QueueSettings {
  readonly maxRows: number;
  readonly afterInterrupt: "continue" | "pause";
  readonly afterFailure: "continue" | "pause";
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
/** A claimed turn is one of the last turns of its thread. */
const RECENT_TURNS = 50;

const NOTHING = { hasRows: false, canContinue: false };

/** Acknowledges the claims that an earlier process has left, from what the journal says, and notifies clients. */
export async function recoverQueue(
  threadId: string,
  options: RecoveryOptions,
): Promise<{ readonly hasRows: boolean; readonly canContinue: boolean }> {
  const { queue, threads, publish } = options;
  const fence = threads.fenceOf(threadId);
  // A new thread has no rows.
  if (fence === null) return NOTHING;
  const hasStarted = async (turnId: string) =>
    (await threads.lastTurns(threadId, RECENT_TURNS)).some((turn) => turn.turnId === turnId);
  const recovered = await queue.recover(fence, hasStarted, { ...CUT_OFF });
  if (recovered.kind === "fenced") return NOTHING;
  if (recovered.hasChanged) await closeLog(fence, options);
  const rows = await queue.list(threadId, PUBLISHED);
  const hasRows = rows.total > 0;
  // Clients that saw rows before the restart are notified also when all of them have gone.
  if (!hasRows && !recovered.hasChanged) return NOTHING;
  const [last] = await threads.lastTurns(threadId, 1);
  if (last !== undefined && (await pausesAfter(threadId, last, options)))
    return { hasRows, canContinue: false };
  publish(threadId, rows);
  return { hasRows, canContinue: true };
}

/** More than one open end is only there where the store could not record an end. */
const MAX_OPEN_ENDS = 50;

/** Records the ends of turns whose process did not live to record them. */
async function closeLog(fence: Fence, { queue, threads, clock }: RecoveryOptions): Promise<void> {
  const { threadId } = fence;
  for (const { turnId } of await queue.started({ threadId, isOpen: true, limit: MAX_OPEN_ENDS })) {
    const turns = await threads.lastTurns(threadId, RECENT_TURNS);
    const known = turns.find((turn) => turn.turnId === turnId)?.end;
    await queue.recordEnd(fence, turnId, known ?? unknownEnd(clock.now()));
  }
}

function unknownEnd(atMs: number): QueuedTurnEnd {
  return { how: "interrupted", atMs, durationMs: null, tokens: null, error: null };
}

/** Pauses the queue and notifies clients, where the configuration wants that after such a turn. */
export async function pausesAfter(
  threadId: string,
  { turnId, how }: EndedTurn,
  { queue, settings, publish }: RecoveryOptions,
): Promise<boolean> {
  if (how === "completed") return false;
  const { afterInterrupt, afterFailure } = await settings();
  if ((how === "failed" ? afterFailure : afterInterrupt) === "continue") return false;
  const { pause, total } = await queue.list(threadId, NO_ROWS);
  if (pause !== null || total === 0) return false;
  // A pause that a client has ended since is not repeated when the thread is loaded again.
  if (!(await queue.pauseAfter(threadId, turnId, PAUSE_REASONS[how]))) return false;
  publish(threadId, await queue.list(threadId, PUBLISHED));
  return true;
}

/** Ends a pause that an earlier turn has caused, where the turn that has just ended causes none. */
export async function resumesAfter(
  threadId: string,
  ended: EndedTurn | null,
  { queue, settings }: RecoveryOptions,
): Promise<boolean> {
  if (ended?.how === "interrupted") return false;
  if (ended?.how === "failed" && (await settings()).afterFailure === "pause") return false;
  const { pause } = await queue.list(threadId, NO_ROWS);
  const isAfterTurn = Object.values<string | null>(PAUSE_REASONS).includes(pause);
  return isAfterTurn && queue.resume(threadId);
}
