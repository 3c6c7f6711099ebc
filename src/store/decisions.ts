/**
 * The port for recorded permission decisions. A decision is recorded before it takes effect: once the promise of a
 * write resolves, the entry survives `kill -9`. The oldest entries are evicted beyond a limit. A process that has lost
 * a thread's lease cannot decide anything in it. Timestamps come from the store's clock.
 */
import type { JsonObject } from "../base/json-object.ts";
import { redactSecrets, redactWords } from "../base/redact-secrets.ts";
import type { FileUpdateChange } from "../protocol/generated/types.ts";
import type { Fence, WriterFence } from "./leases.ts";

export interface Decisions {
  /** Records a decision that needed no question. */
  record(source: WriterFence, request: NewDecisionRequest, verdict: NewVerdict): Promise<Recorded>;
  /**
   * Records an open question; the returned entry identifies it for `answer` and `close`. With `question` another
   * process can ask it again.
   */
  open(source: WriterFence, request: NewDecisionRequest, question?: KeptQuestion | null): Promise<Recorded>;
  /**
   * Answers an open decision, from any process of the store and without the thread's fence; the first answer wins. It
   * takes effect only when the holder of the thread closes the decision.
   */
  answer(
    asked: AskedDecision,
    verdict: NewVerdict,
    result?: JsonObject | null,
  ): Promise<{ readonly kind: "first" | "late" }>;
  /**
   * Records the verdict that takes effect: the stored answer if there is one, else the given verdict; a denial by the
   * policy or by a rule, and the end of the turn, win over an answer. `late`: the decision was already closed, was evicted, or was lost with the
   * database. The request fields distinguish it from an entry with the same number in another database.
   */
  close(source: WriterFence, asked: AskedDecision, verdict: NewVerdict): Promise<ClosedDecision>;
  /**
   * Denies the open decisions of a thread, because no process waits for their answers any more, except those of a turn
   * that is continued; returns their count.
   */
  closeUnanswered(
    fence: Fence,
    continuedTurnId?: string | null,
  ): Promise<{ readonly kind: "closed"; readonly count: number } | { readonly kind: "fenced" }>;
  /** Newest first. */
  list(query: DecisionQuery): Promise<StoredDecision[]>;
  /** The open decisions, oldest first, with what is needed to ask them again. */
  openQuestions(query: OpenQuestionQuery): Promise<OpenQuestion[]>;
  /** The answer of an open decision that waits to take effect; null if there is none. */
  findAnswer(asked: AskedDecision): Promise<StoredAnswer | null>;
}

export type Recorded =
  | { readonly kind: "kept"; readonly decision: StoredDecision }
  /** Another process holds the thread. */
  | { readonly kind: "fenced" };

export type ClosedDecision =
  | {
      readonly kind: "closed";
      readonly verdict: Verdict;
      /** The result of the answer that counts; absent where the given verdict counts. */
      readonly result?: JsonObject;
    }
  | { readonly kind: "late" | "fenced" };

/** Entry limit; beyond it the oldest are evicted, open or not. */
export const MAX_DECISIONS = 100_000;

/** A request for permission. */
export interface DecisionRequest {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly atMs: number;
  readonly subject: Subject;
  /** The cause of the question; absent for a request without one, and in records of earlier versions. */
  readonly cause?: Cause;
}

/** The store adds the timestamp. */
export type NewDecisionRequest = Omit<DecisionRequest, "atMs">;

/** The reason for which a question is necessary. */
export type Cause =
  | {
      readonly kind: "rule";
      /** The argv prefix that the rule matched. */
      readonly prefix: readonly string[];
      readonly file: string | null;
      readonly line: number | null;
      readonly justification: string | null;
    }
  | { readonly kind: "policy"; readonly policy: string; readonly why: string }
  /** Something beyond the sandbox, or something that the sandbox cannot confine. */
  | { readonly kind: "sandbox"; readonly why: string }
  /** A hook wants the user to be asked. */
  | { readonly kind: "hook"; readonly why: string | null };

export type Subject =
  | { readonly kind: "command"; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: "fileChange"; readonly paths: readonly string[] }
  | { readonly kind: "mcpTool"; readonly server: string; readonly tool: string }
  /** Access beyond the sandbox: the network, and paths to read and to write. */
  | {
      readonly kind: "permissions";
      readonly network: boolean;
      readonly read: readonly string[];
      readonly write: readonly string[];
    };

export interface Verdict {
  readonly atMs: number;
  readonly outcome: "approved" | "denied" | "cancelled";
  readonly by: DecidedBy;
  /** Why it is not approved, or how far the approval extends. */
  readonly reason: string | null;
}

/** The store adds the timestamp. */
export type NewVerdict = Omit<Verdict, "atMs">;

export type DecidedBy =
  | { readonly kind: "policy" }
  /** The argv prefix that the rule matched; the file is null for a rule that is in no file. */
  | { readonly kind: "rule"; readonly prefix: readonly string[]; readonly file: string | null }
  | { readonly kind: "sessionGrant" }
  /** The self-reported client name, null if unknown, and the subject of the client's token if it has one. */
  | { readonly kind: "client"; readonly name: string | null; readonly subject?: string }
  | { readonly kind: "hook" }
  | { readonly kind: "timeOut" }
  | { readonly kind: "interruption" }
  | { readonly kind: "failure" };

/** A recorded request. */
export interface AskedDecision extends DecisionRequest {
  readonly number: number;
}

/** The verdict is null while the answer is pending. */
export interface StoredDecision extends AskedDecision {
  readonly verdict: Verdict | null;
}

/** A question as clients are asked it. It is kept while it is open. */
export interface KeptQuestion {
  /** The server request. */
  readonly method: string;
  readonly params: JsonObject;
  /** The exact scope of an approval: the subject of the record is clipped. */
  readonly subject: Subject;
  /** The changes of a patch, as its item shows them; absent for anything else, and for a patch that is too long. */
  readonly changes?: readonly FileUpdateChange[];
}

/** A larger question is not kept, as JSON. */
export const MAX_QUESTION_CHARACTERS = 262_144;

export function canKeepQuestion(question: KeptQuestion): boolean {
  return JSON.stringify(question).length <= MAX_QUESTION_CHARACTERS;
}

/** An answer that waits for the holder of the thread. */
export interface StoredAnswer extends Verdict {
  /** The result of the server request, from which the holder reads how far an approval extends. */
  readonly result: JsonObject | null;
}

export interface OpenQuestion extends AskedDecision {
  /** Null for a question that ends with its process. */
  readonly question: KeptQuestion | null;
  readonly answer: StoredAnswer | null;
}

export interface OpenQuestionQuery {
  readonly threadId?: string;
  /** Only those with a greater number. */
  readonly after?: number;
  readonly limit: number;
}

export interface DecisionQuery {
  readonly threadId?: string;
  readonly turnId?: string;
  /** Only those with a smaller number. */
  readonly before?: number;
  /** Only one decision. */
  readonly number?: number;
  readonly limit: number;
}

/** The verdict for a question whose process ended before an answer. */
export const UNANSWERED: NewVerdict = {
  outcome: "denied",
  by: { kind: "failure" },
  reason: "the server ended before anybody answered",
};

/** Character limit of a command line, a list of paths, a name or a reason; longer text is truncated. */
export const MAX_SUBJECT_CHARACTERS = 8192;

/** Redacts secrets in a subject and truncates it to its limit, with an ellipsis as the marker. */
export function clipSubject(subject: Subject): Subject {
  switch (subject.kind) {
    case "command":
      return { ...subject, argv: clipStrings(redactWords(subject.argv)) };
    case "fileChange":
      return { ...subject, paths: clipStrings(subject.paths) };
    case "mcpTool":
      return { ...subject, server: clipText(subject.server), tool: clipText(subject.tool) };
    case "permissions":
      return { ...subject, read: clipStrings(subject.read), write: clipStrings(subject.write) };
  }
}

/** The limit of `clipSubject`, for what rules and models say. */
export function clipCause(cause: Cause): Cause {
  if (cause.kind !== "rule")
    return cause.why === null ? cause : { ...cause, why: clipText(redactSecrets(cause.why)) };
  const { justification } = cause;
  return {
    ...cause,
    prefix: clipStrings(redactWords(cause.prefix)),
    justification: justification === null ? null : clipText(redactSecrets(justification)),
  };
}

export function clipVerdict<V extends NewVerdict>(verdict: V): V {
  const { by, reason } = verdict;
  return {
    ...verdict,
    // Both quote the command.
    by: by.kind === "rule" ? { ...by, prefix: clipStrings(redactWords(by.prefix)) } : by,
    reason: reason === null ? null : clipText(redactSecrets(reason)),
  };
}

export function withResult(
  closed: Extract<ClosedDecision, { kind: "closed" }>,
  result: JsonObject | null,
): ClosedDecision {
  return result === null ? closed : { ...closed, result };
}

/** Whether a verdict wins over an answer that is already stored. */
export function overridesAnswer({ by, outcome }: NewVerdict): boolean {
  if (by.kind === "interruption") return true;
  return outcome === "denied" && (by.kind === "policy" || by.kind === "rule");
}

function clipText(text: string): string {
  return text.length > MAX_SUBJECT_CHARACTERS ? `${text.slice(0, MAX_SUBJECT_CHARACTERS)}…` : text;
}

function clipStrings(strings: readonly string[]): readonly string[] {
  let room = MAX_SUBJECT_CHARACTERS;
  const clipped: string[] = [];
  for (const text of strings) {
    if (text.length > room) return [...clipped, `${text.slice(0, room)}…`];
    clipped.push(text);
    room -= text.length;
  }
  return clipped;
}
