/** The answers that a question allows, with what each of them does. */
import type { Approval } from "../../protocol/generated/types.ts";
import type { KeyName } from "../ui/key-table.ts";

export type AnswerKey = Extract<
  KeyName,
  "allowOnce" | "allowInThread" | "allowAlways" | "decline" | "declineAndStop"
>;

export interface AnswerChoice {
  readonly key: AnswerKey;
  readonly label: string;
  /** A part of the label that is code. */
  readonly code?: string;
  readonly does: string;
  readonly decision: unknown;
  readonly isRefusal: boolean;
  /** Asked once more before it is sent. */
  readonly asksAgain?: boolean;
}

interface QuestionParams {
  readonly availableDecisions?: readonly unknown[] | null;
  readonly proposedExecpolicyAmendment?: readonly string[] | null;
  readonly permissions?: unknown;
}

type Kind = Approval["kind"];

const ALLOWS: Readonly<Partial<Record<Kind, string>>> = {
  command: "Runs this once.",
  fileChange: "Makes this change.",
};

/** Empty for questions that are answered with a form. */
export function answersOf({ kind, request }: Approval): readonly AnswerChoice[] {
  if (kind === "userInput" || kind === "elicitation") return [];
  const params = (request?.params ?? {}) as QuestionParams;
  const offered = params.availableDecisions ?? null;
  const isOffered = (decision: string): boolean => offered === null || offered.includes(decision);
  return [
    allowOnce(kind, params),
    ...(kind !== "mcpTool" && isOffered("acceptForSession") ? [allowInThread(kind, params)] : []),
    ...allowAlways(kind, params),
    DECLINE,
    ...(kind !== "permissions" && isOffered("cancel") ? [STOP] : []),
  ];
}

/** Permissions are granted as they were asked for. */
const granting = ({ permissions }: QuestionParams, scope: "turn" | "session") => ({
  permissions: permissions ?? {},
  scope,
});

function allowOnce(kind: Kind, params: QuestionParams): AnswerChoice {
  return {
    key: "allowOnce",
    label: "Allow once",
    does: ALLOWS[kind] ?? "Allows this once.",
    decision: kind === "permissions" ? granting(params, "turn") : "accept",
    isRefusal: false,
  };
}

function allowInThread(kind: Kind, params: QuestionParams): AnswerChoice {
  return {
    key: "allowInThread",
    label: "Allow in this thread",
    does:
      kind === "fileChange"
        ? "Makes it. Further changes of these files are not asked about until the thread is unloaded."
        : "Allows it. The same is not asked about again until the thread is unloaded.",
    decision: kind === "permissions" ? granting(params, "session") : "acceptForSession",
    isRefusal: false,
  };
}

function allowAlways(kind: Kind, { proposedExecpolicyAmendment: prefix }: QuestionParams): AnswerChoice[] {
  if (kind !== "command" || prefix == null || prefix.length === 0) return [];
  return [
    {
      key: "allowAlways",
      label: "Always allow",
      code: prefix.join(" "),
      does: "Runs it and adds a rule for commands that begin so, for all threads.",
      decision: { acceptWithExecpolicyAmendment: { execpolicy_amendment: prefix } },
      isRefusal: false,
      asksAgain: true,
    },
  ];
}

const DECLINE: AnswerChoice = {
  key: "decline",
  label: "Decline",
  does: "Does not happen. The model is told so, and the turn continues.",
  decision: "decline",
  isRefusal: true,
};

const STOP: AnswerChoice = {
  key: "declineAndStop",
  label: "Decline and stop",
  does: "Does not happen, and the turn is interrupted.",
  decision: "cancel",
  isRefusal: true,
};
