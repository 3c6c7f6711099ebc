/** The stored threads whose turns wait for an answer, without loading them. */
import type { ThreadWaiting } from "../../protocol/generated/types.ts";
import type { Decisions, NewVerdict } from "../../store/decisions.ts";
import { questionId } from "../../store/question-id.ts";

/** Open questions that are read at once. */
export const MAX_OPEN_QUESTIONS = 1000;

/** By thread; of several questions of a thread, the oldest. */
export async function findWaiting(
  decisions: Pick<Decisions, "openQuestions">,
  timeoutMs: number,
  threadId?: string,
): Promise<ReadonlyMap<string, ThreadWaiting>> {
  const waiting = new Map<string, ThreadWaiting>();
  const query = { limit: MAX_OPEN_QUESTIONS, ...(threadId !== undefined && { threadId }) };
  for (const each of await decisions.openQuestions(query)) {
    if (each.question === null || waiting.has(each.threadId)) continue;
    waiting.set(each.threadId, {
      reason: "question",
      turnId: each.turnId,
      decisionId: questionId(each),
      since: Math.floor(each.atMs / 1000),
      until: Math.floor((each.atMs + timeoutMs) / 1000),
    });
  }
  return waiting;
}

const GONE: NewVerdict = {
  outcome: "denied",
  by: { kind: "failure" },
  reason: "the thread was archived or deleted",
};

/** Denies the open questions of threads that were archived or deleted, so that no process holds them. */
export async function closeQuestions(
  decisions: Pick<Decisions, "openQuestions" | "close">,
  threadIds: readonly string[],
): Promise<void> {
  for (const threadId of threadIds) {
    const open = await decisions.openQuestions({ threadId, limit: MAX_OPEN_QUESTIONS });
    for (const question of open) await decisions.close({ threadId, ephemeral: true }, question, GONE);
  }
}
