import { messageOf } from "../../base/errors.ts";
import type {
  CommandExecutionApprovalDecision,
  CommandExecutionRequestApprovalParams,
} from "../../protocol/generated/types.ts";
import type { Answer } from "../../tools/ask.ts";
import type { CommandDecision } from "../../tools/policy/decide-command.ts";
import type {
  ApprovalDecision,
  ApprovalRequest,
  CommandApproval,
  CommandItem,
  FileChangeApproval,
  ItemLog,
} from "../../tools/tool.ts";
import type { ActiveTurn } from "../turns/active-turn.ts";
import type { ThreadCore } from "../turns/thread-core.ts";
import type { Judge } from "./judge.ts";

export interface ApproverOptions {
  readonly core: ThreadCore;
  readonly turn: ActiveTurn;
  readonly judge: Judge;
  readonly items: ItemLog;
}

const REJECTED = "rejected by user";
const REQUEST_FAILED = "approval request failed";

type Question = Extract<CommandDecision, { kind: "ask" }>;

/** Brings each request for leave to a decision: by the policy, or by asking. Whatever goes wrong is a denial. */
export function createApprover(
  options: ApproverOptions,
): (request: ApprovalRequest) => Promise<ApprovalDecision> {
  return async (request) => {
    try {
      const decision =
        request.kind === "command"
          ? await approveCommand(options, request)
          : await approveFileChange(options, request);
      // The user wants nothing more of this turn.
      if (decision.kind === "cancelled") options.turn.abort.abort();
      return decision;
    } catch (error) {
      options.core.log.error("an approval could not be decided", { error: messageOf(error) });
      return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
    }
  };
}

async function approveCommand(options: ApproverOptions, request: CommandApproval): Promise<ApprovalDecision> {
  const { core, turn, judge, items } = options;
  const verdict = await judge.command(request);
  if (verdict.kind === "run") return { kind: "approved", sandboxed: verdict.sandboxed };
  if (verdict.kind === "forbid") return { kind: "declined", reason: verdict.reason, cause: verdict.cause };
  const answer = await core.questions.ask(
    "item/commandExecution/requestApproval",
    commandQuestion(options, request, verdict),
    turn.abort.signal,
    {
      before: () => items.begin(request.item),
      after(given) {
        const status = statusAfter(given);
        if (status !== null) items.complete({ ...request.item, status });
      },
    },
  );
  if (answer.kind === "abandoned") return { kind: "cancelled" };
  if (answer.kind === "unanswered") return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
  return settle(answer.result.decision, { request, verdict, judge });
}

function commandQuestion(
  { core, turn }: ApproverOptions,
  { item, cwd }: CommandApproval,
  { reason, proposedAmendment, availableDecisions }: Question,
): CommandExecutionRequestApprovalParams {
  return {
    kind: "command",
    threadId: core.id,
    turnId: turn.id,
    itemId: item.id,
    startedAtMs: core.clock.now(),
    environmentId: "local",
    ...(reason === null ? {} : { reason }),
    command: item.command,
    cwd,
    commandActions: item.commandActions,
    ...(proposedAmendment === null ? {} : { proposedExecpolicyAmendment: proposedAmendment }),
    availableDecisions,
  };
}

/** How the item of a command ends that will not run; null when it will. */
function statusAfter(
  answer: Answer<{ readonly decision: CommandExecutionApprovalDecision }>,
): CommandItem["status"] | null {
  if (answer.kind === "unanswered") return "failed";
  if (answer.kind === "abandoned") return null;
  return isAcceptance(answer.result.decision) ? null : "declined";
}

function isAcceptance(decision: CommandExecutionApprovalDecision): boolean {
  return (
    decision === "accept" ||
    decision === "acceptForSession" ||
    (typeof decision === "object" && "acceptWithExecpolicyAmendment" in decision)
  );
}

interface Settlement {
  readonly request: CommandApproval;
  readonly verdict: Question;
  readonly judge: Judge;
}

async function settle(
  decision: CommandExecutionApprovalDecision,
  { request, verdict, judge }: Settlement,
): Promise<ApprovalDecision> {
  if (decision === "cancel") return { kind: "cancelled" };
  if (!isAcceptance(decision)) return { kind: "declined", reason: REJECTED, cause: "answer" };
  if (decision === "acceptForSession") await judge.grantCommand(request);
  if (typeof decision === "object" && "acceptWithExecpolicyAmendment" in decision) {
    await judge.allowPrefix(decision.acceptWithExecpolicyAmendment.execpolicy_amendment);
  }
  return { kind: "approved", sandboxed: verdict.sandboxed };
}

async function approveFileChange(
  { core, turn, judge }: ApproverOptions,
  { itemId, paths }: FileChangeApproval,
): Promise<ApprovalDecision> {
  const verdict = judge.fileChange(paths);
  if (verdict.kind === "run") return { kind: "approved", sandboxed: true };
  if (verdict.kind === "forbid") return { kind: "declined", reason: verdict.reason, cause: "policy" };
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
  if (answer.kind === "abandoned") return { kind: "cancelled" };
  if (answer.kind === "unanswered") return { kind: "declined", reason: REQUEST_FAILED, cause: "answer" };
  const { decision } = answer.result;
  if (decision === "cancel") return { kind: "cancelled" };
  if (decision === "decline") return { kind: "declined", reason: "patch rejected by user", cause: "answer" };
  if (decision === "acceptForSession") judge.grantFiles(paths);
  return { kind: "approved", sandboxed: true };
}
