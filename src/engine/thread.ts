import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type {
  ResponseItem,
  ReviewTarget,
  ThreadStatus,
  Thread as ThreadView,
  Turn,
} from "../protocol/generated/types.ts";
import type { Ask } from "../tools/ask.ts";
import type { Clients } from "./clients.ts";
import { createContextLog } from "./context/context-log.ts";
import type { Emit } from "./events.ts";
import { prepareMedia } from "./input/prepare-media.ts";
import { previewOf } from "./input/user-item.ts";
import { createQuestions } from "./questions.ts";
import { createReadState, type ReadState } from "./read-state.ts";
import { changeSettings, type SettingsChange, type ThreadSettings, toSettingsView } from "./settings.ts";
import { textMessage } from "./text-message.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";
import { toThreadView } from "./thread-view.ts";
import type { TurnSetup } from "./turn-setup.ts";
import { toTurn } from "./turn-state.ts";
import type { ActiveTurn, Message, TurnKind, TurnOptions } from "./turns/active-turn.ts";
import { runCompactTurn } from "./turns/compact-turn.ts";
import { hearPending } from "./turns/hear-message.ts";
import { runReviewTurn } from "./turns/review-turn.ts";
import { runShellCommand, type ShellCommand } from "./turns/shell-turn.ts";
import type { ThreadCore } from "./turns/thread-core.ts";
import type { TurnOutcome } from "./turns/turn-outcome.ts";
import { type AcceptedTurn, TurnRunner, type Work } from "./turns/turn-runner.ts";
import { runUserTurn } from "./turns/user-turn.ts";
import { createUsageCounter } from "./usage.ts";

/** A loaded conversation. It has one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  /** The id under which the running turn is steered and interrupted. */
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
  /** This and a review end the turn that runs. */
  acceptCompaction(): Promise<AcceptedTurn>;
  acceptReview(target: ReviewTarget): Promise<AcceptedTurn>;
  /** Runs a command of the user: in the turn that runs, or in one of its own. Returns what begins it. */
  acceptShellCommand(command: ShellCommand): Promise<() => void>;
  /** Adds to what the model knows, without a turn. */
  inject(items: readonly ResponseItem[]): Promise<void>;
  /** Adds to the running turn, which takes it up at once: what the model is saying is dropped. */
  steer(message: Message): void;
  /** Ends the running turn, if there is one; its end is told once the returned function was called. */
  interrupt(): Promise<() => void>;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
  /** Asks the thread's clients, also when no turn runs. */
  readonly ask: Ask;
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
const TURN_ABORTED = textMessage(
  "user",
  "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
);

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
  readonly #runner: TurnRunner;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #settings: ThreadSettings;
  #setup: { readonly settings: ThreadSettings; readonly made: Promise<TurnSetup> };
  #contextWindowId: string;
  #windowNumber = 0;
  #updatedAtMs: number;
  #preview = "";

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
    this.#runner = new TurnRunner({
      ...options,
      threadId: id,
      publishStatus: this.#publishStatus,
      settle: (turn, outcome) => this.#settle(turn, outcome),
      hearLate: (turn) => hearPending(this.#core, turn),
      onEnd: (turn, outcome) => this.#onEnd(turn, outcome),
      onEnded: (turn, outcome) => {
        this.#core.questions.settleAbandoned();
        this.#announce(turn, outcome).catch((error: unknown) => {
          options.log.warn("nobody could be told of the end of a turn", {
            threadId: id,
            error: messageOf(error),
          });
        });
      },
    });
  }

  get ask(): Ask {
    const { signal } = new AbortController();
    return (method, params) => this.#core.questions.ask(method, params, signal);
  }

  get settings(): ThreadSettings {
    return this.#settings;
  }

  get activeTurnId(): string | null {
    return this.#runner.active?.workId ?? null;
  }

  get activeKind(): TurnKind | null {
    return this.#runner.active?.kind ?? null;
  }

  activeTurn(): Turn | null {
    const { active } = this.#runner;
    return active === null ? null : toTurn(active.id, active.state, []);
  }

  status(): ThreadStatus {
    const { pendingApprovals, pendingQuestions } = this.#core.questions;
    const { isRunning, hasFailed } = this.#runner;
    return deriveStatus({ turnRunning: isRunning, pendingApprovals, pendingQuestions, failed: hasFailed });
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
    const threadSettings = toSettingsView(settings);
    this.#options.emit("thread/settings/updated", { threadId: this.id, threadSettings });
  }

  accept(message: Message, options: TurnOptions): Promise<AcceptedTurn> {
    return this.#open("user", (turn) => runUserTurn(this.#core, turn, message, options));
  }

  async acceptCompaction(): Promise<AcceptedTurn> {
    await this.#endActive();
    return this.#open("compact", (turn) => runCompactTurn(this.#core, turn));
  }

  async acceptReview(target: ReviewTarget): Promise<AcceptedTurn> {
    await this.#endActive();
    return this.#open("review", async (turn) => {
      const { warnings } = await this.#core.setup();
      return runReviewTurn(this.#core, turn, target, {
        begin: () => this.#runner.begin(turn),
        fail: (error) => this.#runner.tellFailure(turn, error),
        warn: () => this.#warn(warnings),
      });
    });
  }

  async acceptShellCommand(command: ShellCommand): Promise<() => void> {
    const { active } = this.#runner;
    const run = (turn: ActiveTurn) => runShellCommand(this.#core, turn, command);
    if (active !== null) return () => void this.#runner.attempt(active, run);
    return (await this.#open("shell", run)).begin;
  }

  async inject(items: readonly ResponseItem[]): Promise<void> {
    const { active } = this.#runner;
    if (active !== null) {
      active.pendingItems.push(...items);
      return;
    }
    const { context } = await this.#core.setup();
    const told = [...this.#core.context.update(await context()), ...items];
    this.#history.push(...told.map((item) => this.#named(prepareMedia(item))));
  }

  steer(message: Message): void {
    const { active } = this.#runner;
    active?.pending.push(message);
    for (const heard of active?.listeners ?? []) heard();
    if (active?.steersAtOnce) active.sampling?.abort();
  }

  interrupt(): Promise<() => void> {
    return this.#runner.interrupt();
  }

  whenIdle(): Promise<void> {
    return this.#runner.whenIdle();
  }

  /** What is asked for instead of the running turn ends it. */
  async #endActive(): Promise<void> {
    (await this.#runner.interrupt())();
    await this.#runner.whenIdle();
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
      context: createContextLog(createId),
      usage: createUsageCounter(),
      account: { credits: null },
      questions: createQuestions({
        threadId: id,
        clients,
        emit,
        clock,
        timeoutMs: this.#options.firstSetup.answerTimeoutMs,
        onChange: () => this.#publishStatus(),
      }),
      emit,
      clock,
      createId,
      log,
      setup: (wanted) => this.#setupFor(wanted ?? this.#settings),
      origin: (turn) => this.#originOf(turn),
      record: (turn, items) => this.#record(turn, items),
      heard: (turn, { input }) => {
        turn.said.push(previewOf(input) ?? "");
        if (this.#preview === "") this.#preview = previewOf(input) ?? "";
      },
      replaceHistory: (items) => {
        this.#history.splice(0, this.#history.length, ...items);
        this.#windowNumber += 1;
        this.#contextWindowId = createId();
      },
    };
  }

  #record({ id: turnId }: ActiveTurn, given: readonly ResponseItem[]): void {
    const items = given.map((item) => this.#named(prepareMedia(item)));
    this.#history.push(...items);
    const { rawEvents, emit } = this.#options;
    if (!rawEvents) return;
    for (const item of items) emit("rawResponseItem/completed", { threadId: this.id, turnId, item });
  }

  /** Messages that the provider did not name get a name of our own. */
  #named(item: ResponseItem): ResponseItem {
    if (item.type !== "message" || typeof item.id === "string") return item;
    return { ...item, id: `msg_${this.#options.createId()}` };
  }

  #setupFor(settings: ThreadSettings): Promise<TurnSetup> {
    if (settings === this.#setup.settings) return this.#setup.made;
    const setup = { settings, made: this.#options.setup(settings) };
    const before = this.#setup;
    this.#setup = setup;
    // What could not be made is tried again by the next turn.
    setup.made.catch(() => {
      if (this.#setup === setup) this.#setup = before;
    });
    return setup.made;
  }

  #originOf(turn: ActiveTurn) {
    const { threadSource, installationId, identityHeaders, clock } = this.#options;
    return {
      threadId: this.id,
      turnId: turn.id,
      turnStartedAtMs: turn.state.phase === "running" ? turn.state.startedAtMs : clock.now(),
      threadSource,
      contextWindowId: this.#contextWindowId,
      windowNumber: this.#windowNumber,
      installationId,
      identityHeaders: identityHeaders(),
      clientMetadata: turn.clientMetadata,
      providerState: turn.providerState,
    };
  }

  #open(kind: TurnKind, work: Work): Promise<AcceptedTurn> {
    return this.#runner.open(kind, (turn) => this.#prepare(turn), work);
  }

  async #prepare(turn: ActiveTurn): Promise<void> {
    const { warnings, steersAtOnce } = await this.#core.setup();
    turn.steersAtOnce = steersAtOnce;
    if (turn.kind === "user") this.#warn(warnings);
  }

  #warn(warnings: readonly string[]): void {
    for (const message of warnings) this.#options.emit("warning", { threadId: this.id, message });
  }

  /** What came too late for the work to take it up was accepted all the same. */
  async #settle(turn: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    await hearPending(this.#core, turn);
    if (outcome.kind === "interrupted") this.#record(turn, [TURN_ABORTED]);
  }

  #onEnd(turn: ActiveTurn, outcome: TurnOutcome): void {
    this.#updatedAtMs = this.#options.clock.now();
    const isNews =
      outcome.kind === "failed" ||
      (outcome.kind === "completed" && outcome.lastMessage !== null) ||
      // Its last words come also when it is interrupted.
      turn.kind === "review";
    if (!isNews || !this.#isReadByUser()) return;
    const readState = this.readState.answered(turn.id);
    this.#options.emit("thread/readState/changed", { threadId: this.id, readState });
  }

  /** Nobody reads what runs by itself, or what is not kept. */
  #isReadByUser(): boolean {
    const { threadSource, ephemeral } = this.#options;
    return !ephemeral && (threadSource === null || threadSource === "user");
  }

  /** Lets whoever wants to know run a program at the end of a turn. */
  async #announce({ id: turnId, kind, said }: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    if (kind !== "user" || outcome.kind !== "completed") return;
    const { lastMessage } = outcome;
    const answer = lastMessage?.type === "agentMessage" ? lastMessage.text : null;
    const { notify } = await this.#core.setup();
    notify?.({ threadId: this.id, turnId, cwd: this.#settings.cwd, said, answer });
  }
}
