/**
 * Detects whether anything was committed to a database in WAL mode: every commit of any process writes to the WAL file,
 * so a settled stamp of that file stands for the content of the database. One stat costs a tenth of a query with its
 * locks.
 */
import type { Clock } from "../../../base/clock.ts";
import { isSettled, stampOf, statOrNull } from "../../../base/file-stamp.ts";

export interface CommitWatch {
  /** The stamp of the current content; null where a commit could go unnoticed. */
  stamp(): string | null;
}

/** A removed or replaced database is detected by a query, so that a stamp is not relied on for longer. */
const MAX_AGE_MS = 200;

export function createCommitWatch(file: string, clock: Pick<Clock, "now">): CommitWatch {
  const wal = `${file}-wal`;
  return {
    stamp() {
      const stats = statOrNull(wal);
      return stats === null || !isSettled(stats, clock.now()) ? null : stampOf(stats);
    },
  };
}

/** Remembers answers of a query for as long as nothing is committed, and at most for `MAX_AGE_MS`. */
export function createCommitCache<T>(watch: CommitWatch, clock: Pick<Clock, "monotonic">) {
  const answers = new Map<string, { readonly answer: T; readonly at: number }>();
  let known: string | null = null;
  return {
    get(key: string, query: () => T): T {
      const stamp = watch.stamp();
      if (stamp === null || stamp !== known) answers.clear();
      known = stamp;
      const now = clock.monotonic();
      const cached = answers.get(key);
      if (cached !== undefined && now - cached.at < MAX_AGE_MS) return cached.answer;
      const answer = query();
      if (stamp !== null) answers.set(key, { answer, at: now });
      return answer;
    },
  };
}
