import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import { failedWith, type TurnOutcome } from "./turn-outcome.ts";
import type { TurnSetup } from "./turn-setup.ts";

export type TimeReading =
  | { readonly kind: "read"; readonly nowMs: number }
  | { readonly kind: "unknown"; readonly outcome: Exclude<TurnOutcome, { kind: "completed" }> };

const TIMEOUT_MS = 10_000;

/** What time it is for the model; where the client is to say it and does not, the turn cannot go on. */
export async function readTime(
  { id: threadId, clock, questions }: ThreadCore,
  turn: ActiveTurn,
  { time }: Pick<TurnSetup, "time">,
): Promise<TimeReading> {
  if (!time.isOfClient) return { kind: "read", nowMs: clock.now() };
  const { signal } = turn.abort;
  const limit = new AbortController();
  const stopTimer = clock.after(TIMEOUT_MS, () => limit.abort());
  const answer = await questions.ask(
    "currentTime/read",
    { threadId },
    AbortSignal.any([signal, limit.signal]),
  );
  stopTimer();
  if (answer.kind === "answered") return { kind: "read", nowMs: answer.result.currentTimeAt * 1000 };
  if (signal.aborted) return { kind: "unknown", outcome: { kind: "interrupted" } };
  return failed(
    answer.kind === "unanswered" ? `failed: ${answer.reason}` : `timed out after ${TIMEOUT_MS / 1000}s`,
  );
}

function failed(reason: string): TimeReading {
  const message = `Fatal error: failed to read current time: current-time request ${reason}`;
  return { kind: "unknown", outcome: failedWith(message) };
}
