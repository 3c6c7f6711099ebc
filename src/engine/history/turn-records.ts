import type { Awaitable } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import {
  type AppendFailure,
  type Effect,
  type Journal,
  NO_EFFECTS,
  type UnavailableReason,
} from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { type StoredContext, toStoredContext } from "../state/stored-settings.ts";
import type { OriginatedTurn } from "../state/turn-origin.ts";
import {
  appendFailureOf,
  failedWith,
  type TurnKind,
  type TurnOutcome,
  type TurnState,
} from "../state/turn-state.ts";
import {
  type Commit,
  faultOf,
  type JournalCommits,
  type JournalCommitsOptions,
  NO_COMMITS,
  ThreadCommits,
} from "./journal-commits.ts";
import { settingsApplied, type TurnOpening, turnClosed, turnOpened, turnSettings } from "./turn-lines.ts";

export interface JournaledTurn extends OriginatedTurn {
  readonly kind: TurnKind;
  readonly state: TurnState;
}

/** The effects of a turn's end, which become durable with it. */
export type EndEffects = (
  turn: Pick<JournaledTurn, "id" | "kind">,
  outcome: TurnOutcome,
) => readonly Effect[];

export interface TurnRecordsOptions {
  readonly threadId: string;
  readonly journal: Journal | null;
  readonly settings: ThreadSettings;
  /** Whether the journal holds settings, and whether they are the current ones. */
  readonly storedSettings: "none" | "current" | "outdated";
  readonly emit: Emit;
  readonly clock: Clock;
  readonly onEvent: OnThreadEvent;
  readonly log: Logger;
  /** By default an end has none. */
  readonly endEffects?: EndEffects | undefined;
  /** Called when an append of the open turn has failed: the turn ends, and nothing more of it is written. */
  readonly onAppendFailed: (turn: JournaledTurn, fault: AppendFailure) => void;
  /** Called when another process has acquired the thread's lease. */
  readonly onTakenOver: () => void;
  /** Called with lines that were kept. */
  readonly onKept: NonNullable<JournalCommitsOptions["onKept"]>;
}

/** Writes the beginning, the end and the settings of a thread's turns to the journal. */
export class TurnRecords {
  readonly commits: JournalCommits;
  readonly #options: TurnRecordsOptions;
  #persistedSettings: ThreadSettings | null;
  #turn: JournaledTurn | null = null;
  #context: { readonly settings: ThreadSettings; readonly stored: StoredContext } | null = null;
  #isFaultShown = false;
  #isFrozen = false;

  constructor(options: TurnRecordsOptions) {
    const { threadId, journal, settings, storedSettings, clock, emit, onEvent } = options;
    this.#options = options;
    this.#persistedSettings = storedSettings === "current" ? settings : null;
    this.commits =
      journal === null
        ? NO_COMMITS
        : new ThreadCommits(journal, {
            clock,
            onKept: options.onKept,
            onFault: (fault) => this.#onFault(fault),
            onWarning: (message) => emit("warning", { threadId, message }),
            onAppended: (isPersisted, durationMs) => onEvent({ type: "appended", isPersisted, durationMs }),
            refusal: () =>
              this.#isFrozen ? FROZEN : this.#turn === null ? null : appendFailureOf(this.#turn.state),
          });
    if (storedSettings === "outdated") this.#appendSettings(settings);
  }

  /**
   * Appends the beginning of a turn and the lines of `submit` atomically, with the effects; throws an error fit for the
   * client on failure.
   */
  async open(
    turn: JournaledTurn,
    opening: TurnOpening,
    submit: () => void,
    effects: readonly Effect[] = NO_EFFECTS,
  ): Promise<void> {
    const { settings } = opening;
    this.#turn = turn;
    const begun = this.commits.together(() => {
      this.commits.append(turnOpened(turn, opening), turnSettings(turn, this.#contextOf(settings)));
      if (this.#persistedSettings !== settings) this.#appendSettings(settings);
      submit();
    }, effects);
    const fault = begun.fault === undefined ? await begun.settled : begun.fault;
    if (fault === null) return;
    this.#turn = null;
    throw new AppError(fault.reason, fault.message);
  }

  /** Continues a turn that an earlier process has begun. */
  reopen(turn: JournaledTurn): void {
    this.#turn = turn;
    this.#options.journal?.continueTurn(turn.id);
  }

  /** Writes what was appended, and nothing after it. */
  async freeze(): Promise<void> {
    await this.commits.flush();
    this.#isFrozen = true;
  }

  /** Throws an error fit for the client on failure; the caller then must not apply the settings. */
  async changeSettings(settings: ThreadSettings): Promise<void> {
    // Before its first turn a thread has no journal, and its settings are written with that turn.
    if (this.#persistedSettings === null) return;
    const fault = await this.#appendSettings(settings).settled;
    if (fault !== null) throw new AppError(fault.reason, fault.message);
  }

  /** Appends the settings of a thread whose journal begins before its first turn. */
  async persistSettings(settings: ThreadSettings): Promise<void> {
    if (this.#persistedSettings !== null) return;
    const fault = await this.#appendSettings(settings).settled;
    if (fault !== null) throw new AppError(fault.reason, fault.message);
  }

  /** Appends the end of a turn, and returns its outcome: a turn with a failed append has failed. */
  async close(turn: JournaledTurn, outcome: TurnOutcome, atMs: number): Promise<TurnOutcome> {
    const closed = turnClosed(turn, outcome, atMs);
    const fault =
      (await this.#appendNow(closed, this.#effectsOf(turn, outcome))) ?? appendFailureOf(turn.state);
    this.#turn = null;
    if (fault === null) return outcome;
    const failed = toFailedOutcome(outcome, fault);
    await this.#appendEnd(turn, failed, atMs);
    return failed;
  }

  /** An end that cannot be written now is deferred, and written before the next append. */
  async #appendEnd(turn: JournaledTurn, outcome: TurnOutcome, atMs: number): Promise<void> {
    const line = turnClosed(turn, outcome, atMs);
    const fault = await this.#appendNow(line, this.#effectsOf(turn, outcome));
    if (fault === null || fault.kind === "fenced") return;
    const error = outcome.kind === "failed" ? outcome.error : null;
    this.#options.journal?.deferTurnEnd({ turnId: turn.id, line, error });
  }

  /** The stored form of the settings, which most turns share. */
  #contextOf(settings: ThreadSettings): StoredContext {
    if (this.#context?.settings !== settings) this.#context = { settings, stored: toStoredContext(settings) };
    return this.#context.stored;
  }

  #effectsOf(turn: JournaledTurn, outcome: TurnOutcome): readonly Effect[] {
    return this.#options.endEffects?.(turn, outcome) ?? NO_EFFECTS;
  }

  #appendNow(line: LineBody, effects: readonly Effect[]): Awaitable<AppendFailure | null> {
    return faultOf(this.commits.together(() => void this.commits.append(line), effects));
  }

  #appendSettings(settings: ThreadSettings): Commit {
    const before = this.#persistedSettings;
    this.#persistedSettings = settings;
    const commit = this.commits.append(settingsApplied(this.#options.threadId, settings));
    void commit.settled.then((fault) => {
      if (fault !== null && this.#persistedSettings === settings) this.#persistedSettings = before;
    });
    return commit;
  }

  #onFault(fault: AppendFailure): void {
    const { threadId, log, onAppendFailed, onTakenOver } = this.#options;
    log.error("the history of a thread could not be written", { threadId, ...fault });
    const turn = this.#turn;
    if (turn !== null && appendFailureOf(turn.state) === null) onAppendFailed(turn, fault);
    if (turn === null || fault.kind === "fenced") this.#warn(fault);
    if (fault.kind === "fenced") onTakenOver();
  }

  /** A failed turn reports its own fault; faults between turns are shown once per session. */
  #warn({ message }: AppendFailure): void {
    const { threadId, emit } = this.#options;
    if (this.#isFaultShown) return;
    this.#isFaultShown = true;
    emit("warning", { threadId, message: `The history of this thread could not be written: ${message}` });
  }
}

const FROZEN: AppendFailure = {
  kind: "unavailable",
  reason: "closed",
  message: "the turn is continued by a later process",
};

/** After a takeover the turn is interrupted, because the new lease holder reads it as such. */
function toFailedOutcome(outcome: TurnOutcome, { reason, message }: AppendFailure): TurnOutcome {
  if (outcome.kind === "failed") return outcome;
  if (reason === "takenOver") return { kind: "interrupted" };
  const advice = ADVICE[reason] ?? "try again";
  return failedWith(`the history of this turn could not be written: ${message}: ${advice}`);
}

const ADVICE: Partial<Record<UnavailableReason, string>> = {
  noSpace: "free space and try again",
  readOnly: "make the file system writable and try again",
  denied: "give the server the right to write there and try again",
};
