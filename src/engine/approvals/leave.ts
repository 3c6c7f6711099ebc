/** What requests for leave have in common, whatever they are about. */
import type { DecidedBy, DecisionLog, LeaveRecord } from "../../store/decisions/decision-log.ts";
import type { Answer } from "../../tools/ask.ts";
import { recordUnanswered } from "../../tools/record-unanswered.ts";
import type { ApprovalDecision, ItemLog } from "../../tools/tool.ts";
import type { ActiveTurn } from "../turns/active-turn.ts";
import type { ThreadCore } from "../turns/thread-core.ts";
import type { Judge } from "./judge.ts";

export interface ApproverOptions {
  readonly core: ThreadCore;
  readonly turn: ActiveTurn;
  readonly judge: Judge;
  readonly items: ItemLog;
  readonly decisions: DecisionLog;
}

/** What the model is told when no valid answer came. */
export const REQUEST_FAILED = "approval request failed";

export const FOR_SESSION = "for the session";

export function answeredBy({ from }: { readonly from?: string }): DecidedBy {
  return { kind: "client", name: from ?? null };
}

/** A question that came to nothing. The turn that ended first needs no other end. */
export async function withoutAnswer(
  answer: Exclude<Answer<unknown>, { kind: "answered" }>,
  record: LeaveRecord,
): Promise<ApprovalDecision> {
  await recordUnanswered(answer, record);
  if (answer.kind === "abandoned") return { kind: "cancelled" };
  return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
}
