/** Finds the turn that an earlier process has left waiting for an answer, with what its calls have done. */
import type { ContinuedCalls } from "../../engine/turn/call-batch.ts";
import type { ContinuedWork } from "../../engine/turn/suspended-turn.ts";
import type { Decisions, OpenQuestion, StoredDecision } from "../../store/decisions.ts";
import { UNANSWERED } from "../../store/decisions.ts";
import type { Fence } from "../../store/leases.ts";
import type { CallState, SuspendedCalls } from "../../store/lines/suspended-calls.ts";
import type { Store } from "../../store/store.ts";
import type { OpenedThread } from "../../store/thread-store.ts";

/** Decisions of one turn that are read. */
export const MAX_TURN_DECISIONS = 1000;

/** Null where no turn can be continued. Denies the questions of the thread that belong to no continued turn. */
export async function recallSuspended(
  opened: Pick<OpenedThread, "model" | "unfinishedTurnId" | "journal">,
  { decisions }: Pick<Store, "decisions">,
): Promise<ContinuedWork | null> {
  const { journal, unfinishedTurnId: turnId } = opened;
  const { fence } = journal;
  if (fence === null) return null;
  const calls = turnId === null ? null : await findCalls(opened, turnId, decisions);
  await decisions.closeUnanswered(fence, calls === null ? null : turnId);
  if (calls === null) return null;
  await closeStray(fence, calls, decisions);
  return { calls };
}

async function findCalls(
  { model, journal: { threadId } }: Pick<OpenedThread, "model" | "journal">,
  turnId: string,
  decisions: Decisions,
): Promise<ContinuedCalls | null> {
  const open = await decisions.openQuestions({ threadId, limit: MAX_TURN_DECISIONS });
  const asked = open.filter((each) => each.turnId === turnId && each.question !== null);
  if (asked.length === 0) return null;
  const { calls } = await model();
  if (calls?.turn.turnId !== turnId) return null;
  return join(calls, asked, await decisions.list({ threadId, turnId, limit: MAX_TURN_DECISIONS }));
}

/**
 * A call that waits starts when its decision is closed: with an approval it may have run, and with a denial it has not.
 * Null where no question is open, or the turn was about to be interrupted.
 */
export function join(
  { turn, calls }: SuspendedCalls,
  open: readonly OpenQuestion[],
  newestFirst: readonly StoredDecision[],
): ContinuedCalls | null {
  const states = new Map<string, CallState>();
  const questions = new Map<string, OpenQuestion>();
  const denials = new Map<string, string>();
  for (const [callId, state] of calls) {
    states.set(callId, state);
    if (state.kind !== "waiting") continue;
    const { itemId } = state.waiting;
    const question = open.find((each) => each.itemId === itemId);
    if (question !== undefined) {
      questions.set(itemId, question);
      continue;
    }
    const decided = newestFirst.find((each) => each.itemId === itemId)?.verdict ?? null;
    if (decided?.outcome === "cancelled") return null;
    if (decided !== null) states.set(callId, { kind: "started" });
    if (decided?.outcome === "denied") denials.set(callId, decided.reason ?? "the request was denied");
  }
  return questions.size === 0 ? null : { turn, calls: states, questions, denials };
}

/** Questions of the turn that belong to no call that waits: their process ended before it could keep them. */
async function closeStray(
  fence: Fence,
  { turn, questions }: ContinuedCalls,
  decisions: Decisions,
): Promise<void> {
  const { threadId } = fence;
  for (const each of await decisions.openQuestions({ threadId, limit: MAX_TURN_DECISIONS })) {
    const isKept = [...questions.values()].some(({ number }) => number === each.number);
    if (each.turnId === turn.turnId && !isKept) await decisions.close(fence, each, UNANSWERED);
  }
}
