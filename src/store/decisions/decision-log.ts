/**
 * The port for what was decided about everything that needs permission. A decision is recorded before it takes effect:
 * when a promise of a write has settled, the entry survives `kill -9`. The oldest entries go when there are too many.
 */
export interface DecisionLog {
  /** Records something that was decided without asking anybody. */
  record(matter: Matter, verdict: Verdict): Promise<void>;
  /** Records that somebody will be asked. The number is what `close` closes it by. */
  open(matter: Matter): Promise<number>;
  /**
   * Records the answer. False: it was closed before, by another server that has taken the thread, or was dropped, or
   * went with the database; the matter tells it from what has the same number in another one.
   */
  close(number: number, matter: Matter, verdict: Verdict): Promise<boolean>;
  /** Denies what is open in a thread, for nobody waits for the answer any more. Returns how much that was. */
  closeUnanswered(threadId: string, atMs: number): Promise<number>;
  /** The newest first. */
  list(query: DecisionQuery): Promise<Decision[]>;
}

/** Entries that are kept; beyond it the oldest go, open or not. */
export const MAX_DECISIONS = 100_000;

/** What permission is needed for. */
export interface Matter {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly atMs: number;
  readonly subject: Subject;
}

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

export type DecidedBy =
  | { readonly kind: "policy" }
  /** The words that the rule matched; the file is null where the rule stands in none. */
  | { readonly kind: "rule"; readonly prefix: readonly string[]; readonly file: string | null }
  | { readonly kind: "sessionGrant" }
  /** The name under which the client introduced itself; null where it is not known. */
  | { readonly kind: "client"; readonly name: string | null }
  | { readonly kind: "timeOut" }
  | { readonly kind: "interruption" }
  | { readonly kind: "failure" };

/** The verdict is null while the answer is awaited. */
export interface Decision extends Matter {
  readonly number: number;
  readonly verdict: Verdict | null;
}

export interface DecisionQuery {
  readonly threadId?: string;
  readonly limit: number;
}

/** What is recorded of a question that the end of its process left open. */
export function unanswered(atMs: number): Verdict {
  return {
    atMs,
    outcome: "denied",
    by: { kind: "failure" },
    reason: "the server ended before anybody answered",
  };
}
