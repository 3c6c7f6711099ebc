/** Brings each request for leave to a decision: by the policy, or by asking. Whatever goes wrong is a denial. */
import { messageOf } from "../../base/errors.ts";
import type { LeaveRecord } from "../../store/decisions/decision-log.ts";
import type { ApprovalDecision, ApprovalRequest, FileChangeApproval } from "../../tools/tool.ts";
import { abortTurn } from "../turns/active-turn.ts";
import { approveCommand } from "./approve-command.ts";
import { type ApproverOptions, answeredBy, FOR_SESSION, REQUEST_FAILED, withoutAnswer } from "./leave.ts";
import { createRecord, matterOf } from "./leave-record.ts";

export function createApprover(
  options: ApproverOptions,
): (request: ApprovalRequest) => Promise<ApprovalDecision> {
  return async (request) => {
    const record = createRecord(options, matterOf(request));
    try {
      const decision =
        request.kind === "command"
          ? await approveCommand(options, request, record)
          : await approveFileChange(options, request, record);
      // The user wants nothing more of this turn.
      if (decision.kind === "cancelled") abortTurn(options.turn);
      return decision;
    } catch (error) {
      options.core.log.error("an approval could not be decided", { error: messageOf(error) });
      await record.fail(messageOf(error));
      return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
    }
  };
}

async function approveFileChange(
  { core, turn, judge }: ApproverOptions,
  { itemId, paths }: FileChangeApproval,
  record: LeaveRecord,
): Promise<ApprovalDecision> {
  const verdict = judge.fileChange(paths);
  if (verdict.kind === "run") {
    await record.decide("approved", verdict.basis, null);
    return APPROVED;
  }
  if (verdict.kind === "forbid") {
    await record.decide("denied", { kind: "policy" }, verdict.reason);
    return { kind: "declined", reason: verdict.reason, cause: "policy" };
  }
  await record.ask();
  const answer = await core.questions.ask(
    "item/fileChange/requestApproval",
    {
      threadId: core.id,
      turnId: turn.id,
      itemId,
      startedAtMs: core.clock.now(),
      reason: null,
      grantRoot: null,
    },
    turn.abort.signal,
  );
  if (answer.kind !== "answered") return withoutAnswer(answer, record);
  const by = answeredBy(answer);
  const { decision } = answer.result;
  if (decision === "cancel") {
    await record.decide("cancelled", by, null);
    return { kind: "cancelled" };
  }
  if (decision === "decline") {
    await record.decide("denied", by, null);
    return { kind: "declined", reason: "patch rejected by user", cause: "answer" };
  }
  const isForSession = decision === "acceptForSession";
  await record.decide("approved", by, isForSession ? FOR_SESSION : null);
  if (isForSession) judge.grantFiles(paths);
  return APPROVED;
}

const APPROVED: ApprovalDecision = { kind: "approved", sandboxed: true, retry: null };
