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
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { OriginatedTurn } from "../state/turn-origin.ts";
import { appendFailureOf, failedWith, type TurnOutcome, type TurnState } from "../state/turn-state.ts";
import { type Commit, createJournalCommits, type JournalCommits, NO_COMMITS } from "./journal-commits.ts";
import { settingsApplied, type TurnOpening, turnClosed, turnOpened, turnSettings } from "./turn-lines.ts";

export interface RecordedTurn extends OriginatedTurn {
  readonly state: TurnState;
}

export interface TurnRecordsOptions {
  readonly threadId: string;
  readonly journal: Journal | null;
  readonly settings: ThreadSettings;
  /** Whether there is a journal already, and whether it has these settings. */
  readonly storedSettings: "none" | "current" | "outdated";
  readonly emit: Emit;
  readonly clock: Clock;
  readonly onEvent: OnThreadEvent;
  readonly log: Logger;
  /** A line of the open turn is lost: the turn ends, and nothing more of it is written. */
  readonly onLost: (turn: RecordedTurn, fault: AppendFailure) => void;
  /** Another process has taken the thread over. */
  readonly onTakenOver: () => void;
}

/** Keeps how the turns of a thread begin and end, and what they run with. */
export class TurnRecords {
  readonly commits: JournalCommits;
  readonly #options: TurnRecordsOptions;
  #persistedSettings: ThreadSettings | null;
  #turn: RecordedTurn | null = null;
  #isFaultShown = false;

  constructor(options: TurnRecordsOptions) {
    const { threadId, journal, settings, storedSettings, clock, emit, onEvent } = options;
    this.#options = options;
    this.#persistedSettings = storedSettings === "current" ? settings : null;
    this.commits =
      journal === null
        ? NO_COMMITS
        : createJournalCommits(journal, {
            clock,
            onFault: (fault) => this.#onFault(fault),
            onWarning: (message) => emit("warning", { threadId, message }),
            onAppended: (isPersisted, durationMs) => onEvent({ type: "appended", isPersisted, durationMs }),
            refusal: () => (this.#turn === null ? null : appendFailureOf(this.#turn.state)),
          });
    if (storedSettings === "outdated") this.#appendSettings(settings);
  }

  /**
   * Keeps that a turn begins, and what `submit` appends, all or nothing and with the effects; throws in words for the
   * client where it cannot.
   */
  async open(
    turn: RecordedTurn,
    opening: TurnOpening,
    submit: () => void,
    effects: readonly Effect[] = NO_EFFECTS,
  ): Promise<void> {
    const { settings } = opening;
    this.#turn = turn;
    const begun = this.commits.together(() => {
      this.commits.append(turnOpened(turn, opening), turnSettings(turn, settings));
      if (this.#persistedSettings !== settings) this.#appendSettings(settings);
      submit();
    }, effects);
    const fault = await begun.settled;
    if (fault === null) return;
    this.#turn = null;
    throw new AppError(fault.reason, fault.message);
  }

  /** Throws in words for the client where they cannot be kept; they are then not those of the thread. */
  async changeSettings(settings: ThreadSettings): Promise<void> {
    // Before its first turn a thread has no journal, and its settings are written with that turn.
    if (this.#persistedSettings === null) return;
    const fault = await this.#appendSettings(settings).settled;
    if (fault !== null) throw new AppError(fault.reason, fault.message);
  }

  /** Keeps what the thread goes on with, where a journal begins before the first turn. */
  async persistSettings(settings: ThreadSettings): Promise<void> {
    if (this.#persistedSettings !== null) return;
    const fault = await this.#appendSettings(settings).settled;
    if (fault !== null) throw new AppError(fault.reason, fault.message);
  }

  /** How the turn has ended as far as that can be kept: one of which something is lost has failed. */
  async close(turn: RecordedTurn, outcome: TurnOutcome, atMs: number): Promise<TurnOutcome> {
    const lost =
      (await this.commits.append(turnClosed(turn, outcome, atMs)).settled) ?? appendFailureOf(turn.state);
    this.#turn = null;
    if (lost === null) return outcome;
    const known = lostTurn(outcome, lost);
    await this.#end(turn, known, atMs);
    return known;
  }

  /** What cannot be written yet goes before whatever is written next. */
  async #end(turn: RecordedTurn, outcome: TurnOutcome, atMs: number): Promise<void> {
    const line = turnClosed(turn, outcome, atMs);
    const fault = await this.commits.append(line).settled;
    if (fault === null || fault.kind === "fenced") return;
    const error = outcome.kind === "failed" ? outcome.error : null;
    this.#options.journal?.deferTurnEnd({ turnId: turn.id, line, error });
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
    const { threadId, log, onLost, onTakenOver } = this.#options;
    log.error("the history of a thread could not be written", { threadId, ...fault });
    const turn = this.#turn;
    if (turn !== null && appendFailureOf(turn.state) === null) onLost(turn, fault);
    if (turn === null || fault.kind === "fenced") this.#warn(fault);
    if (fault.kind === "fenced") onTakenOver();
  }

  /** The end of a turn says it as well; what is lost between turns is shown once. */
  #warn({ message }: AppendFailure): void {
    const { threadId, emit } = this.#options;
    if (this.#isFaultShown) return;
    this.#isFaultShown = true;
    emit("warning", { threadId, message: `The history of this thread could not be written: ${message}` });
  }
}

/** Whoever has taken the thread over reads its turn as one that was cut off. */
function lostTurn(outcome: TurnOutcome, { reason, message }: AppendFailure): TurnOutcome {
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
