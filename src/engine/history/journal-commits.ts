import { type Awaitable, whenReady } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import {
  type AppendFailure,
  type AppendOutcome,
  type Effect,
  type Journal,
  NO_EFFECTS,
} from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";

/** The appends of a thread to its journal, in order; callers need not await them. */
export interface JournalCommits {
  /** The lines of one tick are one group, which is written at the end of the tick or by `flush`. */
  append(...lines: readonly LineBody[]): Commit;
  /** Lines that may be lost with the process until the next group, which begins with them. */
  appendLater(...lines: readonly LineBody[]): void;
  /** Writes everything that `work` appends as one group, with the effects, before it returns. */
  together(work: () => void, effects?: readonly Effect[]): Commit;
  /** The newest commit; all before it have settled when it has. */
  readonly last: Commit;
  /** Sets the callback for settled commits. */
  onSettled(listener: () => void): void;
  /** Writes the open group now; null when all appends have settled, or else a promise of that. */
  flushGroup(): Promise<unknown> | null;
  /** The same, with the lines of `appendLater`. */
  flush(): Promise<unknown> | null;
  /** Returns a function that awaits all appends, and throws an error fit for the client if one since then has failed. */
  watch(): () => Promise<void>;
}

/** A pending or settled append. Commits settle in append order. */
export interface Commit {
  /** Null: the lines are persisted. Undefined: the append is pending. */
  readonly fault: AppendFailure | null | undefined;
  readonly settled: Promise<AppendFailure | null>;
}

/** The fault of a commit, at once if it has settled. */
export function faultOf(commit: Commit): Awaitable<AppendFailure | null> {
  return commit.fault === undefined ? commit.settled : commit.fault;
}

/** Lines that are written together. */
class CommitGroup implements Commit {
  readonly lines: LineBody[];
  fault: AppendFailure | null | undefined = undefined;
  #settled: Deferred<AppendFailure | null> | null = null;

  constructor(lines: LineBody[]) {
    this.lines = lines;
  }

  get settled(): Promise<AppendFailure | null> {
    if (this.fault !== undefined) return Promise.resolve(this.fault);
    this.#settled ??= createDeferred();
    return this.#settled.promise;
  }

  settle(fault: AppendFailure | null): void {
    this.fault = fault;
    this.#settled?.resolve(fault);
  }
}

const NOTHING_TO_KEEP: Commit = { fault: null, settled: Promise.resolve(null) };

/** For ephemeral threads, and for the conversation of a reviewer. */
export const NO_COMMITS: JournalCommits = {
  append: () => NOTHING_TO_KEEP,
  appendLater() {},
  together(work) {
    work();
    return NOTHING_TO_KEEP;
  },
  last: NOTHING_TO_KEEP,
  onSettled() {},
  flushGroup: () => null,
  flush: () => null,
  watch: () => () => Promise.resolve(),
};

export interface JournalCommitsOptions {
  /** Called with each failed append, including those that no caller awaits. */
  readonly onFault: (fault: AppendFailure) => void;
  /** Called with warnings of the journal for the user. */
  readonly onWarning?: (message: string) => void;
  /** Called with lines that were kept, and the sequence number of the first one. */
  readonly onKept?: (lines: readonly LineBody[], firstSeq: number) => void;
  /** Called after each append that reached the journal, with its duration. */
  readonly onAppended?: (isPersisted: boolean, durationMs: number) => void;
  readonly clock: Pick<Clock, "monotonic">;
  /** Why appends are refused for now, because a failed one would leave a gap before them. */
  readonly refusal?: () => AppendFailure | null;
}

/** Appends to the journal, and counts failures. */
class Appender {
  readonly #journal: Journal;
  readonly #options: JournalCommitsOptions;
  #failures = 0;
  #lastFault: AppendFailure | null = null;

  constructor(journal: Journal, options: JournalCommitsOptions) {
    this.#journal = journal;
    this.#options = options;
  }

  append(lines: readonly LineBody[], effects: readonly Effect[]): Awaitable<AppendFailure | null> {
    const { onFault, onWarning, onKept, onAppended, clock, refusal } = this.#options;
    const refused = refusal?.() ?? null;
    if (refused !== null) return this.#lose(refused);
    const startedAt = clock.monotonic();
    return whenReady(appendTo(this.#journal, lines, effects), (outcome) => {
      const isPersisted = outcome.kind === "kept";
      if (isPersisted && outcome.warning !== undefined) onWarning?.(outcome.warning);
      if (isPersisted) onKept?.(lines, outcome.firstSeq);
      onAppended?.(isPersisted, clock.monotonic() - startedAt);
      if (isPersisted) return null;
      onFault(this.#lose(outcome));
      return outcome;
    });
  }

  /** Returns a function that yields the last failure since this call; null where there was none. */
  watch(): () => AppendFailure | null {
    const before = this.#failures;
    return () => (this.#failures > before ? this.#lastFault : null);
  }

  #lose(fault: AppendFailure): AppendFailure {
    this.#failures += 1;
    this.#lastFault = fault;
    return fault;
  }
}

/** An exception of the journal is a failed append. */
function appendTo(
  journal: Journal,
  lines: readonly LineBody[],
  effects: readonly Effect[],
): Awaitable<AppendOutcome> {
  try {
    const outcome = journal.append(lines, effects);
    return outcome instanceof Promise ? outcome.catch(toFailure) : outcome;
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): AppendFailure {
  return { kind: "unavailable", reason: "other", message: messageOf(error) };
}

/** The appends to the journal of a thread. */
export class ThreadCommits implements JournalCommits {
  readonly #appender: Appender;
  #last: Commit = NOTHING_TO_KEEP;
  /** The newest commit that was passed to the journal. */
  #written: Commit = NOTHING_TO_KEEP;
  #open: CommitGroup | null = null;
  #later: LineBody[] = [];
  #notifySettled = (): void => {};

  constructor(journal: Journal, options: JournalCommitsOptions) {
    this.#appender = new Appender(journal, options);
  }

  get last(): Commit {
    return this.#last;
  }

  append(...lines: readonly LineBody[]): Commit {
    if (lines.length === 0) return this.#last;
    const group = this.#open ?? this.#openGroup();
    for (const line of lines) group.lines.push(line);
    return group;
  }

  appendLater(...lines: readonly LineBody[]): void {
    const group = this.#open?.lines ?? this.#later;
    for (const line of lines) group.push(line);
  }

  together(work: () => void, effects?: readonly Effect[]): Commit {
    const group = this.#open ?? this.#openGroup();
    work();
    this.#writeOpen(effects);
    return group;
  }

  onSettled(listener: () => void): void {
    this.#notifySettled = listener;
  }

  flushGroup(): Promise<unknown> | null {
    this.#writeOpen();
    return this.#last.fault === undefined ? this.#last.settled : null;
  }

  flush(): Promise<unknown> | null {
    if (this.#open === null && this.#later.length > 0) this.#openGroup();
    return this.flushGroup();
  }

  watch(): () => Promise<void> {
    const failure = this.#appender.watch();
    return async () => {
      await this.flush();
      const fault = failure();
      if (fault !== null) throw new AppError(fault.reason, fault.message);
    };
  }

  #openGroup(): CommitGroup {
    const group = new CommitGroup(this.#later);
    this.#later = [];
    this.#open = group;
    this.#last = group;
    process.nextTick(ThreadCommits.#writeOpenOf, this);
    return group;
  }

  static #writeOpenOf(this: void, commits: ThreadCommits): void {
    commits.#writeOpen();
  }

  #writeOpen(effects: readonly Effect[] = NO_EFFECTS): void {
    const group = this.#open;
    if (group === null) return;
    this.#open = null;
    const before = this.#written;
    this.#written = group;
    const settle = (fault: AppendFailure | null): void => {
      group.settle(fault);
      this.#notifySettled();
    };
    void whenReady(this.#appender.append(group.lines, effects), (fault) => {
      // A refused append fails immediately, while an earlier one may still be pending.
      void whenReady(faultOf(before), () => settle(fault));
    });
  }
}
