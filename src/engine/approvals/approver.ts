/** Brings each request for leave to a decision: by the policy, or by asking. Whatever goes wrong is a denial. */
import { messageOf } from "../../base/errors.ts";
import type { FileChangeRequestApprovalResponse } from "../../protocol/generated/types.ts";
import type { LeaveRecord } from "../../store/decisions/decision-log.ts";
import { failedLeave, UnrecordedLeave } from "../../tools/failed-leave.ts";
import type { ApprovalDecision, ApprovalRequest, FileChangeApproval } from "../../tools/tool.ts";
import { approveCommand } from "./approve-command.ts";
import {
  type ApproverOptions,
  FOR_SESSION,
  type RecordedAnswer,
  recordAnswer,
  withoutAnswer,
} from "./leave.ts";
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
      if (decision.kind === "cancelled") options.turn.abort.abort();
      return decision;
    } catch (error) {
      const { core } = options;
      core.log.error("an approval could not be decided", { error: messageOf(error) });
      await record.fail(messageOf(error));
      if (error instanceof UnrecordedLeave) {
        const message = `Nothing was run: ${error.message}. Free space or mend the database, and try again.`;
        core.emit("warning", { threadId: core.id, message });
      }
      return { kind: "declined", reason: failedLeave(error), cause: "answer" };
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
  const note = recordAnswer(record, readAnswer);
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
    { record: note },
  );
  if (answer.kind === "abandoned") await note(answer);
  if (answer.kind !== "answered") return withoutAnswer(answer);
  const { decision } = answer.result;
  if (decision === "cancel") return { kind: "cancelled" };
  if (decision === "decline") return { kind: "declined", reason: "patch rejected by user", cause: "answer" };
  if (decision === "acceptForSession") judge.grantFiles(paths);
  return APPROVED;
}

function readAnswer({ decision }: FileChangeRequestApprovalResponse): RecordedAnswer {
  if (decision === "cancel") return { outcome: "cancelled" };
  if (decision === "decline") return { outcome: "denied" };
  return { outcome: "approved", reach: decision === "acceptForSession" ? FOR_SESSION : null };
}

const APPROVED: ApprovalDecision = { kind: "approved", sandboxed: true, retry: null };
