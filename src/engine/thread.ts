import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type {
  ResponseItem,
  ReviewTarget,
  ThreadReadState,
  ThreadStatus,
  Thread as ThreadView,
  Turn,
} from "../protocol/generated/types.ts";
import type { Clients } from "./clients.ts";
import { createContextLog } from "./context/context-log.ts";
import type { Emit } from "./events.ts";
import { createQuestions } from "./questions.ts";
import { createReadState, type ReadState } from "./read-state.ts";
import { changeSettings, type SettingsChange, type ThreadSettings, toSettingsView } from "./settings.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";
import { toThreadView } from "./thread-view.ts";
import type { TurnSetup } from "./turn-setup.ts";
import { advance, toTurn } from "./turn-state.ts";
import {
  type ActiveTurn,
  createActiveTurn,
  type Message,
  type TurnKind,
  type TurnOptions,
} from "./turns/active-turn.ts";
import { runCompactTurn } from "./turns/compact-turn.ts";
import { runReviewTurn } from "./turns/review-turn.ts";
import { runShellCommand } from "./turns/shell-turn.ts";
import type { ThreadCore } from "./turns/thread-core.ts";
import { type TurnOutcome, toTurnEvent } from "./turns/turn-outcome.ts";
import { runUserTurn } from "./turns/user-turn.ts";
import { createUsageCounter } from "./usage.ts";
import { previewOf, toModelMessage } from "./user-message.ts";

/** A loaded conversation. It has one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  readonly activeTurnId: string | null;
  readonly activeKind: TurnKind | null;
  /** The turn that runs, as clients see it. */
  activeTurn(): Turn | null;
  status(): ThreadStatus;
  view(): ThreadView;
  /** Changes how later turns run, and tells clients when that is anything new. */
  changeSettings(change: SettingsChange): void;
  /** Accepts a turn; the work begins with `begin`, which the caller calls once it has answered. */
  accept(message: Message, options: TurnOptions): Promise<AcceptedTurn>;
  acceptCompaction(): Promise<AcceptedTurn>;
  acceptReview(target: ReviewTarget): Promise<AcceptedTurn>;
  /** Runs a command of the user: in the turn that runs, or in one of its own. Returns what begins it. */
  acceptShellCommand(command: string): Promise<() => void>;
  /** Adds to what the model knows, without a turn. */
  inject(items: readonly ResponseItem[]): void;
  /** Adds to the running turn, which takes it up at once: what the model is saying is dropped. */
  steer(message: Message): void;
  /** Ends the running turn, if there is one. */
  interrupt(): void;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
}

export interface AcceptedTurn {
  readonly turn: Turn;
  begin(): void;
}

export interface ThreadOptions {
  readonly id: string;
  readonly settings: ThreadSettings;
  /** What turns run with under these settings. */
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
  /** The same for the first settings, which the caller has made already. */
  readonly firstSetup: TurnSetup;
  readonly originator: string;
  readonly threadSource: string | null;
  readonly ephemeral: boolean;
  /** Clients also hear of each item of the history as the provider knows it. */
  readonly rawEvents: boolean;
  readonly installationId: string;
  readonly identityHeaders: () => Readonly<Record<string, string>>;
  readonly clients: Clients;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
  /** A random id, whose order says nothing. */
  readonly createRevision: () => string;
  readonly log: Logger;
}

/** Tells the model in the next turn why its last one has no end. */
const TURN_ABORTED = toModelMessage([
  {
    type: "text",
    text: "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
  },
]);

type Work = (turn: ActiveTurn) => Promise<TurnOutcome>;

export function createThread(options: ThreadOptions): Thread {
  return new LoadedThread(options);
}

class LoadedThread implements Thread {
  readonly id: string;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  readonly #options: ThreadOptions;
  readonly #history: ResponseItem[] = [];
  readonly #core: ThreadCore;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #settings: ThreadSettings;
  #setup: { readonly settings: ThreadSettings; readonly made: Promise<TurnSetup> };
  #contextWindowId: string;
  #windowNumber = 0;
  #updatedAtMs: number;
  #preview = "";
  #failed = false;
  #warned = false;
  #active: ActiveTurn | null = null;

  constructor(options: ThreadOptions) {
    const { id, settings, emit, clock, createId, createRevision } = options;
    this.id = id;
    this.readState = createReadState(createRevision);
    this.instructionSources = options.firstSetup.instructionSources;
    this.#options = options;
    this.#settings = settings;
    this.#setup = { settings, made: Promise.resolve(options.firstSetup) };
    this.#contextWindowId = createId();
    this.#createdAtMs = this.#updatedAtMs = clock.now();
    this.#publishStatus = createStatusPublisher(
      () => this.status(),
      (status) => emit("thread/status/changed", { threadId: id, status }),
    );
    this.#core = this.#createCore();
  }

  get settings(): ThreadSettings {
    return this.#settings;
  }

  get activeTurnId(): string | null {
    return this.#active?.id ?? null;
  }

  get activeKind(): TurnKind | null {
    return this.#active?.kind ?? null;
  }

  activeTurn(): Turn | null {
    return this.#active === null ? null : toTurn(this.#active.id, this.#active.state, []);
  }

  status(): ThreadStatus {
    const { pendingApprovals, pendingQuestions } = this.#core.questions;
    const turnRunning = this.#active?.state.phase === "running";
    return deriveStatus({ turnRunning, pendingApprovals, pendingQuestions, failed: this.#failed });
  }

  view(): ThreadView {
    return toThreadView(
      { ...this.#options, settings: this.#settings },
      {
        createdAtMs: this.#createdAtMs,
        updatedAtMs: this.#updatedAtMs,
        preview: this.#preview,
        status: this.status(),
      },
    );
  }

  changeSettings(change: SettingsChange): void {
    const settings = changeSettings(this.#settings, change);
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#warned = false;
    this.#options.emit("thread/settings/updated", {
      threadId: this.id,
      threadSettings: toSettingsView(settings),
    });
  }

  accept(message: Message, options: TurnOptions): Promise<AcceptedTurn> {
    return this.#open("user", (turn) => runUserTurn(this.#core, turn, message, options));
  }

  acceptCompaction(): Promise<AcceptedTurn> {
    return this.#open("compact", (turn) => runCompactTurn(this.#core, turn));
  }

  acceptReview(target: ReviewTarget): Promise<AcceptedTurn> {
    return this.#open("review", (turn) =>
      runReviewTurn(this.#core, turn, target, () => this.#beginTurn(turn)),
    );
  }

  async acceptShellCommand(command: string): Promise<() => void> {
    const active = this.#active;
    if (active !== null) return () => void runShellCommand(this.#core, active, command);
    const { begin } = await this.#open("shell", (turn) => runShellCommand(this.#core, turn, command));
    return begin;
  }

  inject(items: readonly ResponseItem[]): void {
    this.#history.push(...items);
  }

  steer(message: Message): void {
    this.#active?.pending.push(message);
    if (this.#active?.steersAtOnce) this.#active.sampling?.abort();
  }

  interrupt(): void {
    this.#active?.abort.abort();
  }

  whenIdle(): Promise<void> {
    return this.#active?.ended.promise ?? Promise.resolve();
  }

  #createCore(): ThreadCore {
    const { id, emit, clock, createId, log, clients } = this.#options;
    const settings = () => this.#settings;
    return {
      id,
      get settings() {
        return settings();
      },
      history: this.#history,
      context: createContextLog(),
      usage: createUsageCounter(),
      questions: createQuestions({ threadId: id, clients, emit, onChange: () => this.#publishStatus() }),
      emit,
      clock,
      createId,
      log,
      setup: (wanted) => this.#setupFor(wanted ?? this.#settings),
      origin: (turn) => this.#originOf(turn),
      record: (turn, items) => this.#record(turn, items),
      heard: (turn, { input }) => {
        const text = previewOf(input);
        turn.said.push(text);
        if (this.#preview === "") this.#preview = text;
      },
      replaceHistory: (items) => {
        this.#history.splice(0, this.#history.length, ...items);
        this.#windowNumber += 1;
        this.#contextWindowId = createId();
        this.#warned = false;
      },
    };
  }

  #record({ id: turnId }: ActiveTurn, items: readonly ResponseItem[]): void {
    this.#history.push(...items);
    if (!this.#options.rawEvents) return;
    const { emit } = this.#options;
    for (const item of items) emit("rawResponseItem/completed", { threadId: this.id, turnId, item });
  }

  #setupFor(settings: ThreadSettings): Promise<TurnSetup> {
    if (settings !== this.#setup.settings) this.#setup = { settings, made: this.#options.setup(settings) };
    return this.#setup.made;
  }

  #originOf(turn: ActiveTurn) {
    const { threadSource, installationId, identityHeaders } = this.#options;
    return {
      threadId: this.id,
      turnId: turn.id,
      turnStartedAtMs: turn.state.phase === "running" ? turn.state.startedAtMs : this.#options.clock.now(),
      threadSource,
      contextWindowId: this.#contextWindowId,
      windowNumber: this.#windowNumber,
      installationId,
      identityHeaders: identityHeaders(),
      clientMetadata: turn.clientMetadata,
      providerState: turn.providerState,
    };
  }

  async #open(kind: TurnKind, work: Work): Promise<AcceptedTurn> {
    if (this.#active !== null) throw new Error(`thread ${this.id} already has turn ${this.#active.id}`);
    const turn = createActiveTurn(this.#options.createId(), kind);
    this.#active = turn;
    try {
      const setup = await this.#core.setup();
      turn.steersAtOnce = setup.steersAtOnce;
      this.#warn(setup);
    } catch (error) {
      this.#active = null;
      throw error;
    }
    return { turn: toTurn(turn.id, turn.state, []), begin: () => void this.#run(turn, work) };
  }

  /** Lets whoever wants to know run a program at the end of a turn. */
  async #announce({ id: turnId, kind, said }: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    if (kind !== "user" || outcome.kind !== "completed") return;
    const { lastMessage } = outcome;
    const answer = lastMessage?.type === "agentMessage" ? lastMessage.text : null;
    const { notify } = await this.#core.setup();
    notify?.({ threadId: this.id, turnId, cwd: this.#settings.cwd, said, answer });
  }

  #publishReadState(readState: ThreadReadState): void {
    this.#options.emit("thread/readState/changed", { threadId: this.id, readState });
  }

  #warn({ warnings }: TurnSetup): void {
    if (this.#warned) return;
    this.#warned = true;
    for (const message of warnings) this.#options.emit("warning", { threadId: this.id, message });
  }

  async #run(turn: ActiveTurn, work: Work): Promise<void> {
    // A review shows what it is about before it shows that it runs.
    if (turn.kind !== "review") {
      this.#beginTurn(turn);
      this.#options.emit("turn/started", { threadId: this.id, turn: toTurn(turn.id, turn.state, []) });
    }
    this.#finish(turn, await this.#attempt(turn, work));
  }

  #beginTurn(turn: ActiveTurn): void {
    this.#failed = false;
    turn.state = advance(turn.state, { type: "begin", atMs: this.#options.clock.now() });
    this.#publishStatus();
  }

  /** Whatever goes wrong ends the turn, not the thread. */
  async #attempt(turn: ActiveTurn, work: Work): Promise<TurnOutcome> {
    try {
      return await work(turn);
    } catch (error) {
      this.#options.log.error("a turn failed unexpectedly", {
        threadId: this.id,
        turnId: turn.id,
        error: error instanceof Error ? error.stack : String(error),
      });
      const details = { codexErrorInfo: "other", additionalDetails: null, misalignment: null } as const;
      return { kind: "failed", error: { message: messageOf(error), ...details } };
    }
  }

  #finish(turn: ActiveTurn, outcome: TurnOutcome): void {
    const { emit, clock } = this.#options;
    const threadId = this.id;
    turn.state = advance(turn.state, toTurnEvent(outcome, clock.now()));
    this.#active = null;
    this.#updatedAtMs = clock.now();
    if (outcome.kind === "interrupted") this.#record(turn, [TURN_ABORTED]);
    this.#failed = outcome.kind === "failed";
    const items = outcome.kind === "completed" && outcome.lastMessage !== null ? [outcome.lastMessage] : [];
    if (items.length > 0) this.#publishReadState(this.readState.answered(turn.id));
    this.#publishStatus();
    if (outcome.kind === "failed") {
      emit("error", { error: outcome.error, willRetry: false, threadId, turnId: turn.id });
    }
    emit("turn/completed", { threadId, turn: toTurn(turn.id, turn.state, items) });
    void this.#announce(turn, outcome);
    this.#core.questions.settleAbandoned();
    turn.ended.resolve();
  }
}
