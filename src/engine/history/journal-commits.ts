import type { Clock } from "../../base/clock.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { createDeferred } from "../../base/tasks.ts";
import { type AppendFailure, type Effect, type Journal, NO_EFFECTS } from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";

/** The appends of a thread to its journal, in their order; whoever appends need not wait to go on. */
export interface JournalCommits {
  append(...lines: readonly LineBody[]): Commit;
  /** All that `work` appends is one commit, which has the effects. */
  together(work: () => void, effects?: readonly Effect[]): Commit;
  /** The newest one; all before it are settled when it is. */
  readonly last: Commit;
  /** Calls back whenever a commit has settled. */
  onSettled(listener: () => void): void;
  /** Resolves when all that was appended has been written, as far as it can be. */
  settled(): Promise<void>;
  /** The returned function waits in the same way, and throws in words for the client if anything appended since is lost. */
  watch(): () => Promise<void>;
}

/** Lines on their way to the disk. Commits settle in the order of their appends. */
export interface Commit {
  /** Null: the lines are kept. Undefined: that is not known yet. */
  readonly fault: AppendFailure | null | undefined;
  readonly settled: Promise<AppendFailure | null>;
}

type OpenCommit = { -readonly [K in keyof Commit]: Commit[K] };

const NOTHING_TO_KEEP: Commit = { fault: null, settled: Promise.resolve(null) };

/** For what is not kept: ephemeral threads, and the conversation of a reviewer. */
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
  /** Receives each append that failed, also when nobody waits for it. */
  readonly onFault: (fault: AppendFailure) => void;
  /** Receives what users should know of how lines were kept. */
  readonly onWarning?: (message: string) => void;
  /** Hears of each append that the journal has answered, and how long that took. */
  readonly onAppended?: (isPersisted: boolean, durationMs: number) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Why nothing more may be written for now: what is missing would leave a gap. */
  readonly refusal?: () => AppendFailure | null;
}

/** Appends to the journal, and counts what it could not keep. */
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
    /** The last failure since now, when it is called; null where there was none. */
    watch(): () => AppendFailure | null {
      const known = failures;
      return () => (failures > known ? lastFault : null);
    },
  };
}

export function createJournalCommits(journal: Journal, options: JournalCommitsOptions): JournalCommits {
  const appender = createAppender(journal, options);
  let last: Commit = NOTHING_TO_KEEP;
  let notifySettled = () => {};
  /** The lines of the commit that `together` collects; null outside of it. */
  let batch: { readonly commit: Commit; readonly lines: LineBody[] } | null = null;

  async function settle(
    own: OpenCommit,
    lines: readonly LineBody[],
    before: Commit,
    effects: readonly Effect[] = NO_EFFECTS,
  ) {
    const fault = await appender.append(lines, effects);
    // What is refused is so at once, while something earlier may still wait to be written.
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
