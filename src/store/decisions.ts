/**
 * The port for what was decided about everything that needs permission. A decision is recorded before it takes
 * effect: when a promise of a write has settled, the entry survives `kill -9`. The oldest entries go when there are
 * too many. Whoever has lost a thread decides nothing in it any more. Times are the store's.
 */
import { redactSecrets, redactWords } from "../base/redact-secrets.ts";
import type { Fence, WriterFence } from "./leases.ts";

export interface Decisions {
  /** Records something that was decided without asking anybody. */
  record(source: WriterFence, request: NewDecisionRequest, verdict: NewVerdict): Promise<Recorded>;
  /** Records that somebody will be asked; what is recorded is what `answer` and `close` know it by. */
  open(source: WriterFence, request: NewDecisionRequest): Promise<Recorded>;
  /**
   * Answers what is open, from any process of the store and without the thread's fence; the first answer counts. It has
   * no effect before whoever holds the thread closes the decision.
   */
  answer(asked: AskedDecision, verdict: NewVerdict): Promise<{ readonly kind: "first" | "late" }>;
  /**
   * Records the verdict that takes effect: the answer where there is one, and else the given one. `late`: it was closed
   * before, or was dropped, or went with the database; what is asked tells it from what has the same number in another.
   */
  close(source: WriterFence, asked: AskedDecision, verdict: NewVerdict): Promise<ClosedDecision>;
  /** Denies what is open in a thread, for nobody waits for the answer any more. Says how much that was. */
  closeUnanswered(
    fence: Fence,
  ): Promise<{ readonly kind: "closed"; readonly count: number } | { readonly kind: "fenced" }>;
  /** The newest first. */
  list(query: DecisionQuery): Promise<Decision[]>;
}

export type Recorded =
  | { readonly kind: "kept"; readonly decision: Decision }
  /** Another process has the thread. */
  | { readonly kind: "fenced" };

export type ClosedDecision =
  | { readonly kind: "closed"; readonly verdict: Verdict }
  | { readonly kind: "late" | "fenced" };

/** Entries that are kept; beyond it the oldest go, open or not. */
export const MAX_DECISIONS = 100_000;

/** What permission is needed for. */
export interface DecisionRequest {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly atMs: number;
  readonly subject: Subject;
}

/** As it is given to the store, which says when it was. */
export type NewDecisionRequest = Omit<DecisionRequest, "atMs">;

export type Subject =
  | { readonly kind: "command"; readonly argv: readonly string[]; readonly cwd: string }
  | { readonly kind: "fileChange"; readonly paths: readonly string[] }
  | { readonly kind: "mcpTool"; readonly server: string; readonly tool: string }
  /** More than the sandbox allows: the network, and paths to read and to write. */
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
  /** Why it is not approved, or how far the approval goes. */
  readonly reason: string | null;
}

/** As it is given to the store, which says when it was. */
export type NewVerdict = Omit<Verdict, "atMs">;

export type DecidedBy =
  | { readonly kind: "policy" }
  /** The words that the rule matched; the file is null where the rule stands in none. */
  | { readonly kind: "rule"; readonly prefix: readonly string[]; readonly file: string | null }
  | { readonly kind: "sessionGrant" }
  /** The subject of the client's token, where it has one; and the name that the client gave itself, null where it is not known. */
  | { readonly kind: "client"; readonly name: string | null; readonly subject?: string }
  | { readonly kind: "hook" }
  | { readonly kind: "timeOut" }
  | { readonly kind: "interruption" }
  | { readonly kind: "failure" };

/** A matter that is recorded. */
export interface AskedDecision extends DecisionRequest {
  readonly number: number;
}

/** The verdict is null while the answer is awaited. */
export interface Decision extends AskedDecision {
  readonly verdict: Verdict | null;
}

export interface DecisionQuery {
  readonly threadId?: string;
  readonly limit: number;
}

/** What is recorded of a question that the end of its process left open. */
export const UNANSWERED: NewVerdict = {
  outcome: "denied",
  by: { kind: "failure" },
  reason: "the server ended before anybody answered",
};

/** Characters that are kept of a command line, a list of paths, a name or a reason; what it says beyond is left out. */
export const MAX_SUBJECT_CHARACTERS = 8192;

/** Keeps a subject within its limit and secrets out of it: words beyond it are cut, and a mark tells that. */
export function clipSubject(subject: Subject): Subject {
  switch (subject.kind) {
    case "command":
      return { ...subject, argv: clipWords(redactWords(subject.argv)) };
    case "fileChange":
      return { ...subject, paths: clipWords(subject.paths) };
    case "mcpTool":
      return { ...subject, server: clipText(subject.server), tool: clipText(subject.tool) };
    case "permissions":
      return { ...subject, read: clipWords(subject.read), write: clipWords(subject.write) };
  }
}

export function clipVerdict<V extends NewVerdict>(verdict: V): V {
  const { by, reason } = verdict;
  return {
    ...verdict,
    // Both quote the command.
    by: by.kind === "rule" ? { ...by, prefix: clipWords(redactWords(by.prefix)) } : by,
    reason: reason === null ? null : clipText(redactSecrets(reason)),
  };
}

function clipText(text: string): string {
  return text.length > MAX_SUBJECT_CHARACTERS ? `${text.slice(0, MAX_SUBJECT_CHARACTERS)}…` : text;
}

function clipWords(words: readonly string[]): readonly string[] {
  let room = MAX_SUBJECT_CHARACTERS;
  const kept: string[] = [];
  for (const word of words) {
    if (word.length > room) return [...kept, `${word.slice(0, room)}…`];
    kept.push(word);
    room -= word.length;
  }
  return kept;
}
