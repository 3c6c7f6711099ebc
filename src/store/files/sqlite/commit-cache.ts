import type { Clock } from "../../../base/clock.ts";
import type { Connection } from "./connection.ts";

/** A removed or replaced database is detected by a query, so that an answer is not reused for longer. */
const MAX_AGE_MS = 200;

export interface CommitCache<T> {
  /** The cached answer, or that of the query. */
  get(key: string, query: () => T): T;
  /** To be called after this connection has changed what the query reads: only commits of others are detected. */
  clear(): void;
}

/** Caches answers of a query until another connection commits, and at most for `MAX_AGE_MS`. */
export function createCommitCache<T>(
  connection: Pick<Connection, "commitMark">,
  clock: Pick<Clock, "monotonic">,
): CommitCache<T> {
  const answers = new Map<string, { readonly answer: T; readonly at: number }>();
  let knownMark: string | null = null;
  return {
    get(key, query) {
      const mark = connection.commitMark();
      if (mark !== knownMark) answers.clear();
      knownMark = mark;
      const now = clock.monotonic();
      const cached = answers.get(key);
      if (cached !== undefined && now - cached.at < MAX_AGE_MS) return cached.answer;
      const answer = query();
      answers.set(key, { answer, at: now });
      return answer;
    },
    clear: () => answers.clear(),
  };
}
