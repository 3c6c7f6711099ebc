import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { type Stopwatch, startStopwatch } from "../../base/stopwatch.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Emit } from "../state/events.ts";
import { advance, toTurn } from "../state/turn-state.ts";
import { type ActiveTurn, abortTurn, createActiveTurn, type TurnKind } from "./active-turn.ts";
import { failedWith, type TurnOutcome, toTurnEvent } from "./turn-outcome.ts";

export interface TurnRunnerOptions {
  readonly threadId: string;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly publishStatus: () => void;
  /** Called while the turn is still the active one: takes up what came too late for the work. */
  readonly settle: (turn: ActiveTurn, outcome: TurnOutcome) => Promise<void>;
  /** The same for what came after that, while whoever interrupted the turn was being answered. */
  readonly hearLate: (turn: ActiveTurn) => Promise<unknown>;
  /** Writes the end down, before anybody hears of it, and says which one it is; never throws. */
  readonly keepEnd: (turn: ActiveTurn, outcome: TurnOutcome, atMs: number) => Promise<TurnOutcome>;
  /** Called before clients hear of the end, so that what belongs to it can be told with it. */
  readonly onEnd: (turn: ActiveTurn, outcome: TurnOutcome) => void;
  readonly onEnded: (turn: ActiveTurn, outcome: TurnOutcome) => void;
}

export type Work = (turn: ActiveTurn) => Promise<TurnOutcome>;
/** Does what has to be done before a turn is accepted, and returns its work. */
export type Prepare = (turn: ActiveTurn) => Promise<Work>;

export interface AcceptedTurn {
  readonly turn: Turn;
  /** Begins the work; called once whoever asked for it has been answered. */
  begin(): void;
}

/** Runs the turns of a thread: one at a time, each from its acceptance to exactly one end. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  #active: ActiveTurn | null = null;
  /** Of the active turn, since it began. */
  #stopwatch: Stopwatch | null = null;
  #failed = false;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  get active(): ActiveTurn | null {
    return this.#active;
  }

  get isRunning(): boolean {
    return this.#active?.state.phase === "running";
  }

  /** The last turn failed, and no other has begun. */
  get hasFailed(): boolean {
    return this.#failed;
  }

  /** `prepare` runs before the turn is accepted; where it fails there is no turn. */
  async open(kind: TurnKind, prepare: Prepare): Promise<AcceptedTurn> {
    const { threadId, createId } = this.#options;
    if (this.#active !== null) throw new Error(`thread ${threadId} already has turn ${this.#active.id}`);
    const turn = createActiveTurn(kind, createId);
    this.#active = turn;
    try {
      const work = await prepare(turn);
      return { turn: toTurn(turn.id, turn.state, []), begin: () => void this.#run(turn, work) };
    } catch (error) {
      this.#active = null;
      turn.stopped.resolve();
      turn.ended.resolve();
      throw error;
    }
  }

  /** Ends the running turn. Its end is told once the returned function was called. */
  async interrupt(): Promise<() => void> {
    const turn = this.#active;
    if (turn === null) return () => {};
    const interruption = (turn.interruption ??= createDeferred());
    abortTurn(turn);
    await turn.stopped.promise;
    return () => interruption.resolve();
  }

  whenIdle(): Promise<void> {
    return this.#active?.ended.promise ?? Promise.resolve();
  }

  /** Makes the turn run for everyone to see; a review shows first what it is about. */
  begin(turn: ActiveTurn): void {
    this.#failed = false;
    this.#stopwatch = startStopwatch(this.#options.clock);
    turn.state = advance(turn.state, { type: "begin", atMs: this.#stopwatch.startedAtMs });
    this.#options.publishStatus();
  }

  /** Tells that the turn fails; a review shows more after that. */
  tellFailure(turn: ActiveTurn, error: TurnError): void {
    const { threadId, emit, publishStatus } = this.#options;
    if (turn.failureTold) return;
    turn.failureTold = true;
    this.#failed = true;
    publishStatus();
    emit("error", { error, willRetry: false, threadId, turnId: turn.id });
  }

  /** Whatever goes wrong ends the turn, not the thread. */
  async attempt(turn: ActiveTurn, work: Work): Promise<TurnOutcome> {
    const { threadId, log } = this.#options;
    try {
      return await work(turn);
    } catch (error) {
      const details = error instanceof Error ? error.stack : String(error);
      log.error("a turn failed unexpectedly", { threadId, turnId: turn.id, error: details });
      return failedWith(messageOf(error));
    }
  }

  async #run(turn: ActiveTurn, work: Work): Promise<void> {
    const { threadId, emit, settle, hearLate } = this.#options;
    if (turn.kind !== "review") {
      this.begin(turn);
      emit("turn/started", { threadId, turn: toTurn(turn.id, turn.state, []) });
    }
    const outcome = await this.attempt(turn, work);
    await this.attempt(turn, async () => {
      await settle(turn, outcome);
      return outcome;
    });
    turn.stopped.resolve();
    await turn.interruption?.promise;
    while (turn.pending.length + turn.pendingItems.length > 0) {
      await this.attempt(turn, async () => {
        await hearLate(turn);
        return outcome;
      });
    }
    if (turn.state.phase === "accepted") this.begin(turn);
    const atMs = this.#stopwatch?.nowMs() ?? this.#options.clock.now();
    this.#finish(turn, await this.#options.keepEnd(turn, outcome, atMs), atMs);
  }

  #finish(turn: ActiveTurn, outcome: TurnOutcome, atMs: number): void {
    const { threadId, emit, publishStatus, onEnd, onEnded } = this.#options;
    turn.state = advance(turn.state, toTurnEvent(outcome, atMs));
    this.#active = null;
    if (outcome.kind === "failed") {
      this.tellFailure(turn, outcome.error);
      onEnd(turn, outcome);
    } else {
      onEnd(turn, outcome);
      publishStatus();
    }
    const items = outcome.kind === "completed" && outcome.lastMessage !== null ? [outcome.lastMessage] : [];
    emit("turn/completed", { threadId, turn: toTurn(turn.id, turn.state, items) });
    onEnded(turn, outcome);
    turn.ended.resolve();
  }
}
