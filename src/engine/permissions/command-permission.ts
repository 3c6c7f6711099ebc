/** Requests for permission to run a command. An answer may also cover later commands. */
import { messageOf } from "../../base/errors.ts";
import { joinWords } from "../../base/shlex.ts";
import type { CommandDecision } from "../../policy/decide-command.ts";
import type { CommandExecutionApprovalDecision } from "../../protocol/generated/types.ts";
import { commandActions } from "../../tools/exec/actions/command-actions.ts";
import type { CommandItem, CommandSubject, PermissionAnswer } from "../../tools/permission.ts";
import type { ItemLog } from "../../tools/tool.ts";
import {
  declined,
  FOR_SESSION,
  type ItemDisplay,
  type PermissionOptions,
  type PermissionQuestion,
  REQUEST_FAILED,
  type SubjectKind,
} from "./permission-kind.ts";
import type { PermissionPolicy } from "./permission-policy.ts";

type Asked = Omit<Extract<CommandDecision, { kind: "ask" }>, "cause">;
type CommandQuestion = PermissionQuestion<CommandSubject, "item/commandExecution/requestApproval">;

export const commandPermission: SubjectKind<CommandSubject> = {
  unanswered: REQUEST_FAILED,
  toDecisionRequest: ({ item, argv, cwd }) => ({ itemId: item.id, subject: { kind: "command", argv, cwd } }),
  async rule(subject, options) {
    const { policy } = options;
    const decision = await policy.command(subject);
    switch (decision.kind) {
      case "run": {
        const { basis, sandboxed } = decision;
        return {
          kind: "allow",
          basis,
          answer: approved(policy, sandboxed, basis.kind === "sessionGrant"),
          ask: policy.mayAsk
            ? (reason) => askAbout(subject, { ...PLAIN_QUESTION, reason, sandboxed }, options)
            : null,
        };
      }
      case "forbid":
        return decision;
      case "ask":
        return { kind: "ask", question: askAbout(subject, decision, options), cause: decision.cause };
    }
  },
  display: ({ item }, items) => showCommand(item, items),
};

/** The question about a command that the policy would run without one. */
const PLAIN_QUESTION = {
  kind: "ask",
  proposedAmendment: null,
  availableDecisions: ["accept", "cancel"] as CommandExecutionApprovalDecision[],
} as const;

function askAbout(subject: CommandSubject, asked: Asked, options: PermissionOptions): CommandQuestion {
  const { item, argv, cwd } = subject;
  const { reason, proposedAmendment, availableDecisions, sandboxed } = asked;
  const { threadId, turnId, clock, policy } = options;
  return {
    method: "item/commandExecution/requestApproval",
    params: () => ({
      kind: "command",
      threadId,
      turnId,
      itemId: item.id,
      startedAtMs: clock.now(),
      environmentId: "local",
      ...(reason === null ? {} : { reason }),
      // The full command line, including parts that the item hides.
      command: joinWords(argv),
      cwd,
      commandActions: commandActions(argv, cwd),
      ...(proposedAmendment === null ? {} : { proposedExecpolicyAmendment: proposedAmendment }),
      availableDecisions,
    }),
    accepted: { decision: "accept" },
    read({ decision }) {
      if (decision === "cancel") return { outcome: "cancelled", reason: null, answer: { kind: "cancelled" } };
      if (!isAcceptance(decision))
        return { outcome: "denied", reason: null, answer: declined("rejected by user", "answer") };
      return {
        outcome: "approved",
        reason: reachOf(decision),
        answer: approved(policy, sandboxed, true),
        grant: () => grant(subject, decision, options),
      };
    },
  };
}

function isAcceptance(decision: CommandExecutionApprovalDecision): boolean {
  return decision === "accept" || decision === "acceptForSession" || allowedPrefix(decision) !== null;
}

function allowedPrefix(decision: CommandExecutionApprovalDecision): string[] | null {
  return typeof decision === "object" && "acceptWithExecpolicyAmendment" in decision
    ? decision.acceptWithExecpolicyAmendment.execpolicy_amendment
    : null;
}

function reachOf(decision: CommandExecutionApprovalDecision): string | null {
  const prefix = allowedPrefix(decision);
  if (prefix !== null) return `for every command that begins with ${quoteAll(prefix)}`;
  return decision === "acceptForSession" ? FOR_SESSION : null;
}

/** Where the policy lets users decide on retries, a command that the sandbox blocks may be requested once more. */
function approved(
  { allowsRetries }: PermissionPolicy,
  sandboxed: boolean,
  byUser: boolean,
): PermissionAnswer<"command"> {
  const retry = sandboxed && allowsRetries ? (byUser ? "approved" : "unapproved") : null;
  return { kind: "approved", sandboxed, retry };
}

/** The command itself is already approved, so a failure to store the wider grant does not deny it. */
async function grant(
  subject: CommandSubject,
  decision: CommandExecutionApprovalDecision,
  { policy, log, warn, addNote }: PermissionOptions,
): Promise<void> {
  const prefix = allowedPrefix(decision);
  if (decision === "acceptForSession") {
    try {
      await policy.grantCommand(subject);
    } catch (error) {
      log.warn("a command could not be allowed for the session", { error: messageOf(error) });
    }
  }
  if (prefix === null) return;
  try {
    await policy.allowPrefix(prefix);
  } catch (error) {
    return warn(`Failed to apply execpolicy amendment: ${messageOf(error)}`);
  }
  addNote(`Approved command prefix saved:\n- ${quoteAll(prefix)}`);
}

function quoteAll(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** The item is shown when clients are asked; it is completed here only when the command will not run. */
function showCommand(item: CommandItem, items: ItemLog): ItemDisplay {
  let phase: "hidden" | "begun" | "ended" = "hidden";
  const begin = (): void => {
    if (phase !== "hidden") return;
    phase = "begun";
    items.begin(item);
  };
  const end = (status: CommandItem["status"]): void => {
    if (phase === "ended") return;
    begin();
    phase = "ended";
    items.complete({ ...item, status });
  };
  return {
    onRuling() {},
    onWaiting: begin,
    onAnswer({ outcome, by }) {
      if (outcome === "approved") return;
      end(by.kind === "failure" || by.kind === "timeOut" ? "failed" : "declined");
    },
    onFailure: () => end("failed"),
  };
}
