/** What requests for leave have in common, whatever they are about. */
import type { DecisionLog, LeaveRecord, Verdict } from "../../store/decisions/decision-log.ts";
import type { Answer } from "../../tools/ask.ts";
import { REQUEST_FAILED, recordUnanswered } from "../../tools/failed-leave.ts";
import type { ApprovalDecision, ItemLog } from "../../tools/tool.ts";
import type { ActiveTurn } from "../turn/active-turn.ts";
import type { ThreadCore } from "../turn/thread-core.ts";
import type { Judge } from "./judge.ts";

export interface ApproverOptions {
  readonly core: ThreadCore;
  readonly turn: ActiveTurn;
  readonly judge: Judge;
  readonly items: ItemLog;
  readonly decisions: DecisionLog;
}

export const FOR_SESSION = "for the session";

/** A question that came to nothing. The turn that ended first needs no other end. */
export function withoutAnswer({ kind }: Exclude<Answer<unknown>, { kind: "answered" }>): ApprovalDecision {
  if (kind === "abandoned") return { kind: "cancelled" };
  return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
}

/** What to write down of an answer. */
export interface RecordedAnswer {
  readonly outcome: Verdict["outcome"];
  /** How far an approval goes. */
  readonly reach?: string | null;
}

/** Writes answers of clients down, and what it was that kept one from coming. */
export function recordAnswer<R>(record: LeaveRecord, read: (result: R) => RecordedAnswer) {
  return (answer: Answer<R>): Promise<void> => {
    if (answer.kind !== "answered") return recordUnanswered(answer, record);
    const { outcome, reach = null } = read(answer.result);
    return record.decide(outcome, { kind: "client", name: answer.from ?? null }, reach);
  };
}
