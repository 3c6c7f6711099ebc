/** Expected failures of operations on a thread's history, as values. */
export type StoreRefusalReason =
  | "missing"
  | "notArchived"
  | "archived"
  | "unreadable"
  | "activeWriter"
  | "legacy"
  | "turn"
  | "referenced"
  | "cursor"
  | "input"
  | "disk";

export interface StoreRefusal {
  readonly kind: "refused";
  readonly reason: StoreRefusalReason;
  /** In the wording that clients of the protocol know. */
  readonly message: string;
}

export type Done = { readonly kind: "done" } | StoreRefusal;

export function storeRefusal(reason: StoreRefusalReason, message: string): StoreRefusal {
  return { kind: "refused", reason, message };
}

export function missingThread(threadId: string): StoreRefusal {
  return storeRefusal("missing", `no rollout found for thread id ${threadId}`);
}

export function activeWriter(threadId: string): StoreRefusal {
  return storeRefusal("activeWriter", `thread ${threadId} already has an active writer`);
}

export function archivedThread(threadId: string): StoreRefusal {
  const how = `Run \`codex unarchive ${threadId}\` to unarchive it first.`;
  return storeRefusal("archived", `session ${threadId} is archived. ${how}`);
}

export function badCursor(cursor: string): StoreRefusal {
  return storeRefusal("cursor", `invalid cursor: ${cursor}`);
}

const MAX_TERM = 4096;

/** Every match is returned with its context, so that an unbounded term would make a page of unbounded size. */
export function refuseTerm(method: string, term: string): StoreRefusal | null {
  if (term.trim() === "") return storeRefusal("input", `${method} requires a non-empty searchTerm`);
  if (term.length <= MAX_TERM) return null;
  return storeRefusal(
    "input",
    `the searchTerm of ${method} has ${term.length} characters; ${MAX_TERM} are allowed`,
  );
}
