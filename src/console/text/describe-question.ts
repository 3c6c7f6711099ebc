/** Words for a question, its cause and its verdict. */
import type { Approval } from "../../protocol/generated/types.ts";
import type { IconName } from "../ui/icon.tsx";
import { withoutShell } from "./without-shell.ts";

export interface QuestionWords {
  /** One sentence. */
  readonly title: string;
  /** For lists: what it is about. */
  readonly short: string;
  readonly icon: IconName;
  /** Whether `short` is a command. */
  readonly isCode: boolean;
}

type Words = (approval: Approval) => QuestionWords;

const WORDS: Readonly<Record<Approval["kind"], Words>> = {
  command: ({ command }) => ({
    title: "Run this command?",
    short: command === null ? "A command" : withoutShell(command),
    icon: "term",
    isCode: command !== null,
  }),
  fileChange({ paths }) {
    const count = paths?.length ?? 0;
    const files = count === 1 ? "a file" : `${count} files`;
    const short = `Change ${files}: ${(paths ?? []).join(", ")}`;
    return { title: `Change ${files}?`, short, icon: "file", isCode: false };
  },
  mcpTool: ({ server, tool }) => ({
    title: `Call ${tool ?? "a tool"} of ${server ?? "a server"}?`,
    short: `Call ${server}.${tool}`,
    icon: "server",
    isCode: false,
  }),
  permissions: ({ reason }) => ({
    title: "Give more permissions?",
    short: reason ?? "More permissions",
    icon: "key",
    isCode: false,
  }),
  elicitation: (approval) => ({
    title: `${approval.server ?? "A server"} asks`,
    short: messageOf(approval) ?? "A question of a server",
    icon: "form",
    isCode: false,
  }),
  userInput: (approval) => ({
    title: "The agent asks",
    short: messageOf(approval) ?? "A question of the agent",
    icon: "form",
    isCode: false,
  }),
};

export const wordsOfQuestion: Words = (approval) => WORDS[approval.kind](approval);

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
export function wordsOfVerdict({ verdict, status }: Approval): string {
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
