/** What a question asks, in words, and the answers that it allows with what each of them does. */
import type { Approval } from "../../protocol/generated/types.ts";
import type { IconName } from "../ui/icon.tsx";

export interface QuestionWords {
  /** One sentence. */
  readonly title: string;
  /** For lists: what it is about. */
  readonly short: string;
  readonly icon: IconName;
  /** Whether `short` is a command. */
  readonly isCode: boolean;
}

export function describeQuestion(approval: Approval): QuestionWords {
  const { kind, command, paths, server, tool } = approval;
  switch (kind) {
    case "command":
      return {
        title: "Run this command?",
        short: command ?? "A command",
        icon: "term",
        isCode: command !== null,
      };
    case "fileChange": {
      const count = paths?.length ?? 0;
      const files = count === 1 ? "a file" : `${count} files`;
      return {
        title: `Change ${files}?`,
        short: `Change ${files}: ${(paths ?? []).join(", ")}`,
        icon: "file",
        isCode: false,
      };
    }
    case "mcpTool":
      return {
        title: `Call ${tool ?? "a tool"} of ${server ?? "a server"}?`,
        short: `Call ${server}.${tool}`,
        icon: "server",
        isCode: false,
      };
    case "permissions":
      return {
        title: "Give more permissions?",
        short: approval.reason ?? "More permissions",
        icon: "key",
        isCode: false,
      };
    case "elicitation":
      return {
        title: `${server ?? "A server"} asks`,
        short: messageOf(approval) ?? "A question of a server",
        icon: "form",
        isCode: false,
      };
    case "userInput":
      return {
        title: "The agent asks",
        short: messageOf(approval) ?? "A question of the agent",
        icon: "form",
        isCode: false,
      };
  }
}

/** The text of a form, or the first question of the agent. */
function messageOf({ request }: Approval): string | null {
  const { message, questions } = (request?.params ?? {}) as {
    readonly message?: unknown;
    readonly questions?: readonly { readonly question?: unknown }[];
  };
  if (typeof message === "string") return message;
  const first = questions?.[0]?.question;
  return typeof first === "string" ? first : null;
}

export interface AnswerChoice {
  readonly key: string;
  readonly label: string;
  /** A part of the label that is code. */
  readonly code?: string;
  readonly does: string;
  readonly decision: unknown;
  readonly isRefusal: boolean;
  /** Asked once more before it is sent. */
  readonly asksAgain?: boolean;
}

interface CommandParams {
  readonly availableDecisions?: readonly unknown[] | null;
  readonly proposedExecpolicyAmendment?: readonly string[] | null;
  readonly permissions?: unknown;
}

/** Empty for questions that are answered with a form. */
export function answersOf(approval: Approval): readonly AnswerChoice[] {
  const { kind, request } = approval;
  if (kind === "userInput" || kind === "elicitation") return [];
  const params = (request?.params ?? {}) as CommandParams;
  const offered = params.availableDecisions ?? null;
  const isOffered = (decision: string): boolean => offered === null || offered.includes(decision);
  const prefix = params.proposedExecpolicyAmendment ?? null;
  const what =
    kind === "command"
      ? "Runs this once."
      : kind === "fileChange"
        ? "Makes this change."
        : "Allows this once.";
  const granting = (scope: "turn" | "session") => ({ permissions: params.permissions ?? {}, scope });
  const isGrant = kind === "permissions";
  const choices: AnswerChoice[] = [
    {
      key: "a",
      label: "Allow once",
      does: what,
      decision: isGrant ? granting("turn") : "accept",
      isRefusal: false,
    },
  ];
  if (kind !== "mcpTool" && isOffered("acceptForSession"))
    choices.push({
      key: "s",
      label: "Allow in this thread",
      does:
        kind === "fileChange"
          ? "Makes it. Further changes of these files are not asked about until the thread is unloaded."
          : "Allows it. The same is not asked about again until the thread is unloaded.",
      decision: isGrant ? granting("session") : "acceptForSession",
      isRefusal: false,
    });
  if (kind === "command" && prefix !== null && prefix.length > 0)
    choices.push({
      key: "r",
      label: "Always allow",
      code: prefix.join(" "),
      does: "Runs it and adds a rule for commands that begin so, for all threads.",
      decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
      isRefusal: false,
      asksAgain: true,
    });
  choices.push({
    key: "d",
    label: "Decline",
    does: "Does not happen. The model is told so, and the turn continues.",
    decision: "decline",
    isRefusal: true,
  });
  if (isOffered("cancel") && kind !== "permissions")
    choices.push({
      key: "x",
      label: "Decline and stop",
      does: "Does not happen, and the turn is interrupted.",
      decision: "cancel",
      isRefusal: true,
    });
  return choices;
}

/** Why a question was asked, in sentences. */
export function describeCause({ cause, reason }: Pick<Approval, "cause" | "reason">): readonly string[] {
  const told = reason === null ? [] : [`The agent says: “${reason}”`];
  if (cause === null || cause === undefined) return told;
  switch (cause.kind) {
    case "rule": {
      const where =
        cause.file === null ? "" : `, in ${cause.file}${cause.line === null ? "" : ` line ${cause.line}`}`;
      const why = cause.justification === null ? "" : ` It says: “${cause.justification}”`;
      return [`The rule for “${cause.pattern.join(" ")}” asks${where}.${why}`, ...told];
    }
    case "policy":
      return [`The policy ${cause.policy} asks: ${cause.why}`, ...told];
    case "sandbox":
      return [cause.why, ...told];
    case "hook":
      return [
        cause.why === null
          ? "A hook wants a person to decide."
          : `A hook wants a person to decide: ${cause.why}`,
        ...told,
      ];
    case "server":
      return [`The MCP server ${cause.server} asks.`];
    case "model":
      return ["The agent asks you. Nothing runs meanwhile in this turn."];
  }
}

/** Who decided, and how. */
export function describeVerdict({ verdict, status }: Approval): string {
  if (verdict === null) return status === "answered" ? "Answered" : "Closed";
  const { outcome, by } = verdict;
  const what = outcome === "approved" ? "Allowed" : outcome === "denied" ? "Declined" : "Cancelled";
  const who = by.subject ?? by.name;
  switch (by.kind) {
    case "client":
      return who === null ? what : `${what} by ${who}`;
    case "timeOut":
      return `${what}: nobody answered in time`;
    case "interruption":
      return `${what}: the turn was interrupted`;
    case "failure":
      return `${what}: the question could not be asked`;
    case "sessionGrant":
      return `${what}, as before in this thread`;
    default:
      return `${what} by ${by.kind === "rule" ? "a rule" : by.kind === "hook" ? "a hook" : "the policy"}`;
  }
}
