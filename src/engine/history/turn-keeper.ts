import type { Logger } from "../../base/logger.ts";
import type { WriteFault } from "../../store/rollout/write-fault.ts";
import type { Emit } from "../events.ts";
import type { ThreadSettings } from "../settings.ts";
import type { ThreadOptions } from "../thread-options.ts";
import type { ActiveTurn } from "../turns/active-turn.ts";
import type { TurnOutcome } from "../turns/turn-outcome.ts";
import { createRecorder, forgetfulRecorder, type Recorder } from "./recorder.ts";
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
  #faultTold = false;

  constructor(options: TurnKeeperOptions) {
    const { journal, settings, kept } = options;
    this.#options = options;
    this.#keptSettings = kept === "settings" ? settings : null;
    this.recorder =
      journal === null ? forgetfulRecorder : createRecorder(journal, (fault) => this.#onFault(fault));
    if (kept === "other settings") this.#keepSettings(settings);
  }

  /** Runs `prepare` for a turn that is written down; once this resolves, whatever it wrote is kept as well. */
  async open<T>(turn: ActiveTurn, opening: TurnOpening, prepare: () => Promise<T>): Promise<T> {
    const { settings, atMs } = opening;
    const kept = this.recorder.watch();
    this.recorder.append(turnOpened(turn, opening), turnSettings(turn, settings));
    if (this.#keptSettings !== settings) this.#keepSettings(settings);
    try {
      const prepared = await prepare();
      await kept();
      return prepared;
    } catch (error) {
      this.recorder.append(turnClosed(turn, { kind: "interrupted" }, atMs));
      throw error;
    }
  }

  /** Before its first turn a thread has no file, and its settings are written with that turn. */
  changed(settings: ThreadSettings): void {
    if (this.#keptSettings !== null) this.#keepSettings(settings);
  }

  /** What cannot be kept is told as a warning; the turn has ended all the same. */
  async close(turn: ActiveTurn, outcome: TurnOutcome, atMs: number): Promise<void> {
    this.recorder.append(turnClosed(turn, outcome, atMs));
    await this.recorder.settled();
  }

  #keepSettings(settings: ThreadSettings): void {
    this.#keptSettings = settings;
    this.recorder.append(settingsApplied(this.#options.threadId, settings));
  }

  /** The user is told once that the history cannot be written; a thread that others write now is given up. */
  #onFault(fault: WriteFault): void {
    const { threadId, emit, log, onTakenOver } = this.#options;
    log.error("the history of a thread could not be written", { threadId, ...fault });
    if (!this.#faultTold) {
      this.#faultTold = true;
      emit("warning", {
        threadId,
        message: `The history of this thread could not be written: ${fault.message}`,
      });
    }
    if (fault.reason === "takenOver") onTakenOver();
  }
}
