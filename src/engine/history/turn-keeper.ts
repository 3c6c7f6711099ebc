import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { WriteFault, WriteFaultReason } from "../../store/rollout/write-fault.ts";
import { HISTORY_LOST } from "../../tools/tool.ts";
import type { Emit } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { ThreadOptions } from "../thread-options.ts";
import { type ActiveTurn, abortTurn } from "../turn/active-turn.ts";
import { failedWith, type TurnOutcome } from "../turn/turn-outcome.ts";
import { type Commit, createRecorder, forgetfulRecorder, type Recorder } from "./recorder.ts";
import { settingsApplied, type TurnOpening, turnClosed, turnOpened, turnSettings } from "./turn-lines.ts";

export interface TurnKeeperOptions {
  readonly threadId: string;
  readonly journal: ThreadOptions["journal"];
  readonly settings: ThreadSettings;
  /** Whether there is a file, and whether it has these settings. */
  readonly kept: "nothing" | "settings" | "other settings";
  readonly emit: Emit;
  readonly log: Logger;
  /** Another process has taken the thread over. */
  readonly onTakenOver: () => void;
}

/** Writes down how the turns of a thread begin and end, and what they run with. */
export class TurnKeeper {
  readonly recorder: Recorder;
  readonly #options: TurnKeeperOptions;
  #keptSettings: ThreadSettings | null;
  #turn: ActiveTurn | null = null;
  #faultTold = false;

  constructor(options: TurnKeeperOptions) {
    const { journal, settings, kept } = options;
    this.#options = options;
    this.#keptSettings = kept === "settings" ? settings : null;
    this.recorder =
      journal === null
        ? forgetfulRecorder
        : createRecorder(journal, {
            onFault: (fault) => this.#onFault(fault),
            refusal: () => this.#turn?.lost ?? null,
          });
    journal?.onRestored(() => this.#tellRestored(journal.path));
    if (kept === "other settings") this.#keepSettings(settings);
  }

  /** Runs `prepare` for a turn that is written down; once this resolves, whatever it wrote is kept as well. */
  async open<T>(turn: ActiveTurn, opening: TurnOpening, prepare: () => Promise<T>): Promise<T> {
    const { settings, atMs } = opening;
    this.#turn = turn;
    const kept = this.recorder.watch();
    const begun = this.recorder.append(turnOpened(turn, opening), turnSettings(turn, settings));
    if (this.#keptSettings !== settings) this.#keepSettings(settings);
    try {
      const prepared = await prepare();
      await kept();
      return prepared;
    } catch (error) {
      const isBegun = (await begun.settled) === null;
      this.#turn = null;
      if (isBegun) await this.#end(turn, { kind: "interrupted" }, atMs);
      throw error;
    }
  }

  /** Throws in words for the client where they cannot be kept; they are then not those of the thread. */
  async changed(settings: ThreadSettings): Promise<void> {
    // Before its first turn a thread has no file, and its settings are written with that turn.
    if (this.#keptSettings === null) return;
    const fault = await this.#keepSettings(settings).settled;
    if (fault !== null) throw new AppError(fault.reason, fault.message);
  }

  /** How the turn has ended as far as that can be kept: one of which something is lost has failed. */
  async close(turn: ActiveTurn, outcome: TurnOutcome, atMs: number): Promise<TurnOutcome> {
    const lost = (await this.recorder.append(turnClosed(turn, outcome, atMs)).settled) ?? turn.lost;
    this.#turn = null;
    if (lost === null) return outcome;
    const known = lostTurn(outcome, lost);
    await this.#end(turn, known, atMs);
    return known;
  }

  /** What cannot be written yet goes before whatever is written next. */
  async #end(turn: ActiveTurn, outcome: TurnOutcome, atMs: number): Promise<void> {
    const line = turnClosed(turn, outcome, atMs);
    const fault = await this.recorder.append(line).settled;
    if (fault === null || fault.reason === "takenOver") return;
    const error = outcome.kind === "failed" ? outcome.error : null;
    this.#options.journal?.owe({ turnId: turn.id, line, error });
  }

  #keepSettings(settings: ThreadSettings): Commit {
    const before = this.#keptSettings;
    this.#keptSettings = settings;
    const commit = this.recorder.append(settingsApplied(this.#options.threadId, settings));
    void commit.settled.then((fault) => {
      if (fault !== null && this.#keptSettings === settings) this.#keptSettings = before;
    });
    return commit;
  }

  /** A turn of which a line is lost ends, and nothing more of it is written; a thread that others write is given up. */
  #onFault(fault: WriteFault): void {
    const { threadId, log, onTakenOver } = this.#options;
    log.error("the history of a thread could not be written", { threadId, ...fault });
    const turn = this.#turn;
    if (turn !== null && turn.lost === null) {
      turn.lost = fault;
      abortTurn(turn, HISTORY_LOST);
    }
    if (turn === null || fault.reason === "takenOver") this.#warn(fault);
    if (fault.reason === "takenOver") onTakenOver();
  }

  #tellRestored(path: string): void {
    const { threadId, emit, log } = this.#options;
    log.warn("the file of a thread was gone and has been written anew", { threadId, path });
    const message = `The file of this thread was gone. It has been written anew, with all of its history: ${path}`;
    emit("warning", { threadId, message });
  }

  /** The end of a turn says it as well; what is lost between turns is told once. */
  #warn({ message }: WriteFault): void {
    const { threadId, emit } = this.#options;
    if (this.#faultTold) return;
    this.#faultTold = true;
    emit("warning", { threadId, message: `The history of this thread could not be written: ${message}` });
  }
}

/** Whoever has taken the thread over reads its turn as one that was cut off. */
function lostTurn(outcome: TurnOutcome, { reason, message }: WriteFault): TurnOutcome {
  if (outcome.kind === "failed") return outcome;
  if (reason === "takenOver") return { kind: "interrupted" };
  const advice = ADVICE[reason] ?? "try again";
  return failedWith(`the history of this turn could not be written: ${message}: ${advice}`);
}

const ADVICE: Partial<Record<WriteFaultReason, string>> = {
  noSpace: "free space and try again",
  readOnly: "make the file system writable and try again",
  denied: "give the server the right to write there and try again",
};
