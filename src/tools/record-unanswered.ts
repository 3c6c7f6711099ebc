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
