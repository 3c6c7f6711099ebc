import type { Clock } from "../../base/clock.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { createDeferred } from "../../base/tasks.ts";
import { type AppendFailure, type Effect, type Journal, NO_EFFECTS } from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";

/** The appends of a thread to its journal, in order; callers need not await them. */
export interface JournalCommits {
  append(...lines: readonly LineBody[]): Commit;
  /** Batches everything that `work` appends into one commit, with the effects. */
  together(work: () => void, effects?: readonly Effect[]): Commit;
  /** The newest commit; all before it have settled when it has. */
  readonly last: Commit;
  /** Sets the callback for settled commits. */
  onSettled(listener: () => void): void;
  /** Resolves when all appends have succeeded or failed. */
  settled(): Promise<void>;
  /** Returns a function that awaits all appends, and throws an error fit for the client if one since then has failed. */
  watch(): () => Promise<void>;
}

/** A pending or settled append. Commits settle in append order. */
export interface Commit {
  /** Null: the lines are persisted. Undefined: the append is pending. */
  readonly fault: AppendFailure | null | undefined;
  readonly settled: Promise<AppendFailure | null>;
}

type OpenCommit = { -readonly [K in keyof Commit]: Commit[K] };

const NOTHING_TO_KEEP: Commit = { fault: null, settled: Promise.resolve(null) };

/** For ephemeral threads, and for the conversation of a reviewer. */
export const NO_COMMITS: JournalCommits = {
  append: () => NOTHING_TO_KEEP,
  together(work) {
    work();
    return NOTHING_TO_KEEP;
  },
  last: NOTHING_TO_KEEP,
  onSettled() {},
  settled: () => Promise.resolve(),
  watch: () => () => Promise.resolve(),
};

export interface JournalCommitsOptions {
  /** Called with each failed append, including those that no caller awaits. */
  readonly onFault: (fault: AppendFailure) => void;
  /** Called with warnings of the journal for the user. */
  readonly onWarning?: (message: string) => void;
  /** Called after each append that reached the journal, with its duration. */
  readonly onAppended?: (isPersisted: boolean, durationMs: number) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Why appends are refused for now, because a failed one would leave a gap before them. */
  readonly refusal?: () => AppendFailure | null;
}

/** Appends to the journal, and counts failures. */
function createAppender(
  journal: Journal,
  { onFault, onWarning, onAppended, clock, refusal = () => null }: JournalCommitsOptions,
) {
  let failures = 0;
  let lastFault: AppendFailure | null = null;

  function lose(fault: AppendFailure): AppendFailure {
    failures += 1;
    lastFault = fault;
    return fault;
  }

  return {
    async append(lines: readonly LineBody[], effects: readonly Effect[]): Promise<AppendFailure | null> {
      const refused = refusal();
      if (refused !== null) return lose(refused);
      const startedAt = clock.monotonic();
      const outcome = await journal.append(lines, effects).catch(toFailure);
      const isPersisted = outcome.kind === "kept";
      if (isPersisted && outcome.warning !== undefined) onWarning?.(outcome.warning);
      onAppended?.(isPersisted, clock.monotonic() - startedAt);
      if (isPersisted) return null;
      onFault(lose(outcome));
      return outcome;
    },
    /** Returns a function that yields the last failure since this call; null where there was none. */
    watch(): () => AppendFailure | null {
      const before = failures;
      return () => (failures > before ? lastFault : null);
    },
  };
}

export function createJournalCommits(journal: Journal, options: JournalCommitsOptions): JournalCommits {
  const appender = createAppender(journal, options);
  let last: Commit = NOTHING_TO_KEEP;
  let notifySettled = () => {};
  /** The commit that `together` is collecting; null outside of it. */
  let batch: { readonly commit: Commit; readonly lines: LineBody[] } | null = null;

  async function settle(
    own: OpenCommit,
    lines: readonly LineBody[],
    before: Commit,
    effects: readonly Effect[] = NO_EFFECTS,
  ) {
    const fault = await appender.append(lines, effects);
    // A refused append fails immediately, while an earlier one may still be pending.
    if (before.fault === undefined) await before.settled;
    own.fault = fault;
    notifySettled();
    return fault;
  }

  return {
    append(...lines) {
      if (lines.length === 0) return last;
      if (batch !== null) {
        batch.lines.push(...lines);
        return batch.commit;
      }
      const commit: OpenCommit = { ...NOTHING_TO_KEEP, fault: undefined };
      commit.settled = settle(commit, lines, last);
      last = commit;
      return commit;
    },
    together(work, effects) {
      const before = last;
      const settled = createDeferred<AppendFailure | null>();
      const commit: OpenCommit = { fault: undefined, settled: settled.promise };
      const lines: LineBody[] = [];
      last = commit;
      batch = { commit, lines };
      try {
        work();
      } finally {
        batch = null;
        void settle(commit, lines, before, effects).then(settled.resolve);
      }
      return commit;
    },
    get last() {
      return last;
    },
    onSettled(listener) {
      notifySettled = listener;
    },
    settled: async () => void (await last.settled),
    watch() {
      const failure = appender.watch();
      return async () => {
        await last.settled;
        const fault = failure();
        if (fault !== null) throw new AppError(fault.reason, fault.message);
      };
    },
  };
}

function toFailure(error: unknown): AppendFailure {
  return { kind: "unavailable", reason: "other", message: messageOf(error) };
}
