/**
 * The life cycle of a turn; no other file decides its order.
 *
 *     accept     the beginning and the submitted input are persisted, and the client gets its response
 *     begin      the thread becomes active, and clients are notified of the turn
 *     converse   SessionStart hooks; prompt hooks, then the prompt enters the history;
 *                steps of model request, calls, their hooks, permission, run; Stop hooks
 *     end        late input enters the history, the end is persisted, and clients are notified
 *
 * The work of each kind of turn is in `turn-work.ts`, and the order of a conversation in `conversation.ts`.
 */

import { type Stopwatch, startStopwatch } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { createSharedAbort } from "../../base/shared-abort.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Effect } from "../../store/journal.ts";
import { SUSPENDED } from "../../tools/tool.ts";
import type { TurnRecords } from "../history/turn-records.ts";
import { TURN_ABORTED } from "../items/response-items.ts";
import { type Accepted, accepted } from "../state/accepted.ts";
import type { OnThreadEvent } from "../state/events.ts";
import type { TurnOrigin } from "../state/turn-origin.ts";
import {
  appendFailureOf,
  failedWith,
  TURN_TRAITS,
  type TurnOutcome,
  toTurnView,
} from "../state/turn-state.ts";
import { type ActiveTurn, createActiveTurn } from "./active-turn.ts";
import { converse } from "./conversation.ts";
import { applyLateInput, readMessage, type Submission, submit } from "./submission.ts";
import { factsOf, type SuspendedTurn } from "./suspended-turn.ts";
import { forTurn, type ThreadCore } from "./thread-core.ts";
import { openWork, type TurnRequest } from "./turn-work.ts";

export interface AcceptOptions {
  /** Defaults to a new id. */
  readonly turnId?: string | undefined;
  /** Store effects that are committed with the lines that begin the turn. */
  readonly effects?: readonly Effect[] | undefined;
  /** Defaults to a turn of the user. */
  readonly origin?: TurnOrigin | undefined;
}

export interface ThreadTurnsOptions {
  readonly core: ThreadCore;
  readonly records: TurnRecords;
  readonly publishStatus: () => void;
  readonly onEvent: OnThreadEvent;
  /** Called before `turn/completed` is sent, so that related notifications precede it. */
  readonly onEnd: (turn: ActiveTurn, outcome: TurnOutcome) => void;
  readonly onEnded: (core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome) => void;
}

/** Limits the cache per thread, because a client may name another model, with other warnings, for each turn. */
const MAX_SENT_WARNINGS = 100;

/** The turns of a thread: one at a time, each from its acceptance to exactly one end. */
export class ThreadTurns {
  readonly #options: ThreadTurnsOptions;
  #active: ActiveTurn | null = null;
  /** The core with the settings of the active turn. */
  #activeCore: ThreadCore | null = null;
  #lastCore: ThreadCore | null = null;
  /** Measures the active turn since it began. */
  #stopwatch: Stopwatch | null = null;
  /** The last turn has failed and none has begun since, or the running turn has shown a failure. */
  #hasFailed = false;
  /** Warnings that were sent already, because each turn setup repeats them. */
  readonly #sentWarnings = new Set<string>();

  constructor(options: ThreadTurnsOptions) {
    this.#options = options;
  }

  get active(): ActiveTurn | null {
    return this.#active;
  }

  /** The core of the active turn, or else that of the thread. */
  get core(): ThreadCore {
    return this.#activeCore ?? this.#options.core;
  }

  get isRunning(): boolean {
    return this.#active?.state.phase === "running";
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Persists the beginning of a turn; where that fails there is no turn. */
  async accept(
    request: TurnRequest,
    { turnId, effects, origin }: AcceptOptions = {},
  ): Promise<Accepted<Turn>> {
    const { records } = this.#options;
    const traits = TURN_TRAITS[request.kind];
    if (traits.replacesActive) await this.stop();
    if (this.#active !== null)
      throw new Error(`thread ${this.#options.core.id} already has turn ${this.#active.id}`);
    const core = this.#coreOfTurn();
    const turn = createActiveTurn(request.kind, core.createId, turnId, origin);
    this.#active = turn;
    this.#activeCore = core;
    try {
      const known = core.setup(core.settings);
      const setup = known instanceof Promise ? await known : known;
      const { warnings, info } = setup;
      const recalling = core.history.ready();
      if (recalling !== null) await recalling;
      if (traits.warns) this.#warn(warnings);
      const draft = request.kind === "user" ? await readMessage(core, setup, request.message) : null;
      let submission: Submission | null = null;
      const { settings } = core;
      const opening = { atMs: core.clock.now(), modelContextWindow: info().usableContextWindow, settings };
      const submitDraft = () => {
        submission = draft === null ? null : submit(core, turn.id, draft);
      };
      await records.open(turn, opening, submitDraft, effects);
      const work = async () =>
        openWork(
          core,
          turn,
          { request, submission },
          {
            begin: () => this.#begin(turn),
            showFailure: (error) => this.#showFailure(turn, error),
            warn: () => this.#warn(warnings),
          },
        );
      const begin = () => void this.#run(core, turn, work);
      return accepted(toTurnView(turn, turn.state, []), begin);
    } catch (error) {
      this.#clear();
      turn.stopped.resolve();
      turn.ended.resolve();
      throw error;
    }
  }

  /** Makes the turn that an earlier process has left waiting the active one. Nothing else may have begun. */
  reopen(suspended: SuspendedTurn): void {
    const core = this.#coreOfTurn();
    const hookRuns = suspended.eventState?.hookRuns ?? [];
    const { turnId, rootTurnId, parentTurnId, startedAtMs } = factsOf(suspended);
    const turn = createActiveTurn("user", core.createId, turnId, { kind: "user", rootTurnId, parentTurnId });
    for (const run of hookRuns) turn.advance({ type: "hookRun", run });
    turn.advance({ type: "begin", atMs: startedAtMs });
    if ("held" in suspended) turn.wait = suspended.held;
    this.#stopwatch = startStopwatch(core.clock);
    this.#active = turn;
    this.#activeCore = core;
    this.#options.records.reopen(turn);
  }

  /** Continues the turn that was reopened. */
  continue(suspended: SuspendedTurn): void {
    const { active: turn, core } = this;
    if (turn === null) return;
    const { outputSchema, serviceTier } = factsOf(suspended);
    const options = { outputSchema, serviceTier, additionalContext: {} };
    this.#options.publishStatus();
    this.#options.onEvent({ type: "turnStarted", turnId: turn.id, kind: turn.kind });
    const work = async (): Promise<TurnOutcome> => {
      const recalling = core.history.ready();
      if (recalling !== null) await recalling;
      return converse({ kind: "conversation", core, start: suspended, options, conclude: (it) => it }, turn);
    };
    void this.attempt(turn, work).then((outcome) => this.#end(core, turn, outcome));
  }

  /** Leaves the active turn to a later process: nothing more of it is written or published. */
  async suspend(): Promise<void> {
    const turn = this.#active;
    if (turn === null) return;
    await this.#options.records.freeze();
    turn.abort.abort(SUSPENDED);
    await turn.ended.promise;
  }

  /** Turns with the same settings share a core. */
  #coreOfTurn(): ThreadCore {
    const { core } = this.#options;
    if (this.#lastCore?.settings !== core.settings) this.#lastCore = forTurn(core);
    return this.#lastCore;
  }

  /** Interrupts the running turn. Its end is published with `begin`. */
  async interrupt(): Promise<Accepted<null>> {
    const turn = this.#active;
    if (turn === null) return accepted(null);
    const responded = createDeferred<void>();
    turn.interruptions.push(responded.promise);
    turn.abort.abort();
    await turn.stopped.promise;
    return accepted(null, () => responded.resolve());
  }

  /** Interrupts the running turn, and waits for its end. */
  async stop(): Promise<void> {
    (await this.interrupt()).begin();
    await this.whenIdle();
  }

  whenIdle(): Promise<void> {
    return this.#active?.ended.promise ?? Promise.resolve();
  }

  /** Turns an exception into a failed outcome, so that it ends the turn and not the thread. */
  async attempt(turn: ActiveTurn, work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
    const { id: threadId, log } = this.#options.core;
    try {
      return await work();
    } catch (error) {
      const details = error instanceof Error ? error.stack : String(error);
      log.error("a turn failed unexpectedly", { threadId, turnId: turn.id, error: details });
      return failedWith(messageOf(error));
    }
  }

  async #run(core: ThreadCore, turn: ActiveTurn, open: () => ReturnType<typeof openWork>): Promise<void> {
    if (TURN_TRAITS[turn.kind].isAnnounced) {
      this.#begin(turn);
      core.emit("turn/started", { threadId: core.id, turn: toTurnView(turn, turn.state, []) });
    }
    const outcome = await this.attempt(turn, async () => {
      const work = await open();
      return work.kind === "task" ? work.run() : work.conclude(await converse(work, turn));
    });
    await this.#end(core, turn, outcome);
  }

  /** Marks the turn as running, and publishes the status. */
  #begin(turn: ActiveTurn): void {
    const { core, publishStatus, onEvent } = this.#options;
    this.#hasFailed = false;
    this.#stopwatch = startStopwatch(core.clock);
    turn.advance({ type: "begin", atMs: this.#stopwatch.startedAtMs });
    publishStatus();
    onEvent({ type: "turnStarted", turnId: turn.id, kind: turn.kind });
  }

  #showFailure(turn: ActiveTurn, error: TurnError): void {
    const { core, publishStatus } = this.#options;
    if (turn.state.phase !== "running" || turn.state.failure !== null) return;
    turn.advance({ type: "showFailure", error });
    this.#hasFailed = true;
    publishStatus();
    core.emit("error", { error, willRetry: false, threadId: core.id, turnId: turn.id });
  }

  async #end(core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    if (turn.abort.signal.reason === SUSPENDED) {
      turn.stopped.resolve();
      this.#clear();
      return turn.ended.resolve();
    }
    // Input that arrived after the work has been accepted, so it still has to be applied.
    if (!turn.pending.isEmpty) await this.#applyLateInput(core, turn);
    if (outcome.kind === "interrupted" && appendFailureOf(turn.state) === null)
      core.history.record(turn.id, [TURN_ABORTED]);
    turn.stopped.resolve();
    if (turn.interruptions.length > 0) await Promise.all(turn.interruptions);
    if (outcome.kind === "interrupted" && turn.interruptions.length > 0) await runInterruptHooks(core, turn);
    if (!turn.pending.isEmpty) await this.#applyLateInput(core, turn);
    if (turn.state.phase === "accepted") this.#begin(turn);
    const atMs = this.#stopwatch?.nowMs() ?? core.clock.now();
    if (turn.wait !== null) await turn.wait.release();
    this.#publishEnd(core, turn, await this.#options.records.close(turn, outcome, atMs), atMs);
  }

  async #applyLateInput(core: ThreadCore, turn: ActiveTurn): Promise<void> {
    while (!turn.pending.isEmpty) {
      await this.attempt(turn, async () => {
        await applyLateInput(core, turn);
        return { kind: "completed", lastMessage: null };
      });
    }
  }

  #publishEnd(core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome, atMs: number): void {
    const { publishStatus, onEvent, onEnd, onEnded } = this.#options;
    if (outcome.kind === "failed") this.#showFailure(turn, outcome.error);
    turn.advance({ type: "end", atMs, outcome });
    this.#clear();
    // Input that arrived while the end was being persisted has been accepted too.
    for (const input of turn.pending.take()) core.history.enterIdle(turn.id, input);
    onEnd(turn, outcome);
    publishStatus();
    const items = outcome.kind === "completed" && outcome.lastMessage !== null ? [outcome.lastMessage] : [];
    core.emit("turn/completed", { threadId: core.id, turn: toTurnView(turn, turn.state, items) });
    onEnded(core, turn, outcome);
    turn.ended.resolve();
    onEvent({ type: "turnEnded", turnId: turn.id, kind: turn.kind, outcome });
    if (this.#active === null) onEvent({ type: "idle" });
  }

  #clear(): void {
    this.#active = null;
    this.#activeCore = null;
  }

  #warn(warnings: readonly string[]): void {
    const { id: threadId, emit } = this.#options.core;
    for (const message of warnings) {
      if (this.#sentWarnings.has(message)) continue;
      if (this.#sentWarnings.size >= MAX_SENT_WARNINGS) this.#sentWarnings.clear();
      this.#sentWarnings.add(message);
      emit("warning", { threadId, message });
    }
  }
}

/** Uses a signal of its own, because that of the turn is already aborted; the hooks have their own short timeout. */
async function runInterruptHooks({ hooks }: ThreadCore, turn: ActiveTurn): Promise<void> {
  await hooks.run("Interrupt", {}, { turn, signal: createSharedAbort().signal });
}
