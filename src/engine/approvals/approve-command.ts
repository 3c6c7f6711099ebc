/** How leave for a command is come by: from the policy, or from a client, whose answer may also reach further. */
import { messageOf } from "../../base/errors.ts";
import { joinWords } from "../../base/shlex.ts";
import type {
  CommandExecutionApprovalDecision,
  CommandExecutionRequestApprovalParams,
} from "../../protocol/generated/types.ts";
import type { LeaveRecord } from "../../store/decisions/decision-log.ts";
import type { Answer } from "../../tools/ask.ts";
import { commandActions } from "../../tools/exec/actions/command-actions.ts";
import type { CommandDecision } from "../../tools/policy/decide-command.ts";
import type { ApprovalDecision, CommandApproval, CommandItem } from "../../tools/tool.ts";
import { textMessage } from "../text-message.ts";
import { type ApproverOptions, answeredBy, FOR_SESSION, withoutAnswer } from "./leave.ts";

type Question = Extract<CommandDecision, { kind: "ask" }>;
type Given = Answer<{ readonly decision: CommandExecutionApprovalDecision }>;

export async function approveCommand(
  options: ApproverOptions,
  request: CommandApproval,
  record: LeaveRecord,
): Promise<ApprovalDecision> {
  const show = showCommand(options, request.item);
  try {
    const verdict = await options.judge.command(request);
    if (verdict.kind === "run") {
      await record.decide("approved", verdict.basis, null);
      return approved(options, verdict.sandboxed, verdict.basis.kind === "sessionGrant");
    }
    if (verdict.kind === "forbid") {
      await record.decide("denied", verdict.basis, verdict.reason);
      return { kind: "declined", reason: verdict.reason, cause: verdict.cause };
    }
    await record.ask();
    const answer = await ask(options, request, verdict, show);
    if (answer.kind !== "answered") return await withoutAnswer(answer, record);
    return await settle(options, { request, verdict, record }, answer);
  } catch (error) {
    show.end("failed");
    throw error;
  }
}

/** What clients see of a command while it is asked about. It ends here only when the command will not run. */
function showCommand({ items }: Pick<ApproverOptions, "items">, item: CommandItem) {
  let phase: "unseen" | "begun" | "ended" = "unseen";
  const begin = (): void => {
    if (phase !== "unseen") return;
    phase = "begun";
    items.begin(item);
  };
  return {
    begin,
    end(status: CommandItem["status"]) {
      if (phase === "ended") return;
      begin();
      phase = "ended";
      items.complete({ ...item, status });
    },
  };
}

function ask(
  { core, turn }: ApproverOptions,
  { item, argv, cwd }: CommandApproval,
  { reason, proposedAmendment, availableDecisions }: Question,
  show: ReturnType<typeof showCommand>,
): Promise<Given> {
  const params: CommandExecutionRequestApprovalParams = {
    kind: "command",
    threadId: core.id,
    turnId: turn.id,
    itemId: item.id,
    startedAtMs: core.clock.now(),
    environmentId: "local",
    ...(reason === null ? {} : { reason }),
    // Whoever decides sees the command as it would run, also what its item hides.
    command: joinWords(argv),
    cwd,
    commandActions: commandActions(argv, cwd),
    ...(proposedAmendment === null ? {} : { proposedExecpolicyAmendment: proposedAmendment }),
    availableDecisions,
  };
  return core.questions.ask("item/commandExecution/requestApproval", params, turn.abort.signal, {
    before: show.begin,
    after(given) {
      if (given.kind === "unanswered") show.end("failed");
      else if (given.kind === "answered" && !isAcceptance(given.result.decision)) show.end("declined");
    },
  });
}

function isAcceptance(decision: CommandExecutionApprovalDecision): boolean {
  return decision === "accept" || decision === "acceptForSession" || allowedPrefix(decision) !== null;
}

function allowedPrefix(decision: CommandExecutionApprovalDecision): string[] | null {
  return typeof decision === "object" && "acceptWithExecpolicyAmendment" in decision
    ? decision.acceptWithExecpolicyAmendment.execpolicy_amendment
    : null;
}

interface Settlement {
  readonly request: CommandApproval;
  readonly verdict: Question;
  readonly record: LeaveRecord;
}

async function settle(
  options: ApproverOptions,
  { request, verdict, record }: Settlement,
  answer: Extract<Given, { kind: "answered" }>,
): Promise<ApprovalDecision> {
  const { decision } = answer.result;
  const by = answeredBy(answer);
  if (decision === "cancel") {
    await record.decide("cancelled", by, null);
    return { kind: "cancelled" };
  }
  if (!isAcceptance(decision)) {
    await record.decide("denied", by, null);
    return { kind: "declined", reason: "rejected by user", cause: "answer" };
  }
  const prefix = allowedPrefix(decision);
  await record.decide("approved", by, reachOf(decision, prefix));
  if (decision === "acceptForSession") await allowForSession(options, request);
  if (prefix !== null) await allowForGood(options, prefix);
  return approved(options, verdict.sandboxed, true);
}

function reachOf(
  decision: CommandExecutionApprovalDecision,
  prefix: readonly string[] | null,
): string | null {
  if (prefix !== null) return `for every command that begins with ${listOfWords(prefix)}`;
  return decision === "acceptForSession" ? FOR_SESSION : null;
}

/** The user has allowed this command in any case, so that it also runs where nothing can be kept for later ones. */
async function allowForSession({ core, judge }: ApproverOptions, request: CommandApproval): Promise<void> {
  try {
    await judge.grantCommand(request);
  } catch (error) {
    core.log.warn("a command could not be allowed for the session", { error: messageOf(error) });
  }
}

async function allowForGood({ core, turn, judge }: ApproverOptions, prefix: string[]): Promise<void> {
  try {
    await judge.allowPrefix(prefix);
  } catch (error) {
    const message = `Failed to apply execpolicy amendment: ${messageOf(error)}`;
    core.emit("warning", { threadId: core.id, message });
    return;
  }
  const note = core.name([
    textMessage("developer", `Approved command prefix saved:\n- ${listOfWords(prefix)}`),
  ]);
  core.keep(note);
  turn.pendingItems.push(...note);
}

function listOfWords(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** A command that its sandbox stops may be asked about once more where the policy lets users decide on that. */
function approved({ judge }: ApproverOptions, sandboxed: boolean, byUser: boolean): ApprovalDecision {
  const retry = sandboxed && judge.allowsRetries ? (byUser ? "approved" : "unapproved") : null;
  return { kind: "approved", sandboxed, retry };
}
