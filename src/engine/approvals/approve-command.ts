/** How leave for a command is come by: from the policy, or from a client, whose answer may also reach further. */
import { messageOf } from "../../base/errors.ts";
import { joinWords } from "../../base/shlex.ts";
import type { CommandDecision } from "../../policy/decide-command.ts";
import type {
  CommandExecutionApprovalDecision,
  CommandExecutionRequestApprovalParams,
  CommandExecutionRequestApprovalResponse,
} from "../../protocol/generated/types.ts";
import type { LeaveRecord } from "../../store/decisions/decision-log.ts";
import type { Answer } from "../../tools/ask.ts";
import { commandActions } from "../../tools/exec/actions/command-actions.ts";
import type { ApprovalDecision, CommandApproval, CommandItem } from "../../tools/tool.ts";
import { textMessage } from "../items/text-message.ts";
import {
  type ApproverOptions,
  FOR_SESSION,
  type RecordedAnswer,
  recordAnswer,
  withoutAnswer,
} from "./leave.ts";

type Question = Extract<CommandDecision, { kind: "ask" }>;
type Given = Answer<CommandExecutionRequestApprovalResponse>;

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
    const note = recordAnswer(record, readAnswer);
    const answer = await ask(options, request, verdict, { show, note });
    if (answer.kind === "abandoned") await note(answer);
    if (answer.kind !== "answered") return withoutAnswer(answer);
    return await settle(options, request, verdict, answer.result.decision);
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

interface Asking {
  readonly show: ReturnType<typeof showCommand>;
  readonly note: (given: Given) => Promise<void>;
}

function ask(
  { core, turn }: ApproverOptions,
  { item, argv, cwd }: CommandApproval,
  { reason, proposedAmendment, availableDecisions }: Question,
  { show, note }: Asking,
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
    record: note,
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

function readAnswer({ decision }: CommandExecutionRequestApprovalResponse): RecordedAnswer {
  if (decision === "cancel") return { outcome: "cancelled" };
  if (!isAcceptance(decision)) return { outcome: "denied" };
  return { outcome: "approved", reach: reachOf(decision, allowedPrefix(decision)) };
}

/** Does what an answer that is on record says. */
async function settle(
  options: ApproverOptions,
  request: CommandApproval,
  verdict: Question,
  decision: CommandExecutionApprovalDecision,
): Promise<ApprovalDecision> {
  if (decision === "cancel") return { kind: "cancelled" };
  if (!isAcceptance(decision)) return { kind: "declined", reason: "rejected by user", cause: "answer" };
  const prefix = allowedPrefix(decision);
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
  const note = core.history.prepare([
    textMessage("developer", `Approved command prefix saved:\n- ${listOfWords(prefix)}`),
  ]);
  turn.pending.add(core.history.submit(note));
}

function listOfWords(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** A command that its sandbox stops may be asked about once more where the policy lets users decide on that. */
function approved({ judge }: ApproverOptions, sandboxed: boolean, byUser: boolean): ApprovalDecision {
  const retry = sandboxed && judge.allowsRetries ? (byUser ? "approved" : "unapproved") : null;
  return { kind: "approved", sandboxed, retry };
}
