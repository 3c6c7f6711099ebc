import { AppError, messageOf } from "../base/errors.ts";
import type { LeaveRecord } from "../store/decisions/decision-log.ts";
import type { Answer } from "./ask.ts";

/** Writes down that a question of leave came to nothing: whoever asked must not go on. */
export function recordUnanswered(
  answer: Exclude<Answer<unknown>, { kind: "answered" }>,
  record: LeaveRecord,
): Promise<void> {
  if (answer.kind === "abandoned")
    return record.decide("cancelled", { kind: "interruption" }, "the turn ended first");
  return record.decide("denied", { kind: answer.cause === "timeOut" ? "timeOut" : "failure" }, answer.reason);
}

/** What the model is told when no valid answer came. */
export const REQUEST_FAILED = "approval request failed";

/** Leave that cannot be recorded is none, and whoever asked for it hears why. */
export class UnrecordedLeave extends AppError<"approval.unrecorded"> {
  constructor(cause: unknown) {
    super("approval.unrecorded", `the decision could not be recorded: ${messageOf(cause)}`, { cause });
  }
}

/** What the model is told when something went wrong on the way to a decision. */
export function failedLeave(error: unknown): string {
  return error instanceof UnrecordedLeave ? `${REQUEST_FAILED}: ${error.message}` : REQUEST_FAILED;
}
