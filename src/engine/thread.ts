import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../base/in-background.ts";
import type {
  ResponseItem,
  ReviewTarget,
  ThreadItem,
  ThreadStatus,
  ThreadTokenUsage,
  Thread as ThreadView,
  Turn,
  TurnError,
} from "../protocol/generated/types.ts";
import type { Ask } from "../tools/ask.ts";
import { createPublisher, type Publisher } from "./history/publisher.ts";
import { ThreadMemory } from "./history/thread-memory.ts";
import { TurnKeeper } from "./history/turn-keeper.ts";
import { previewOf } from "./input/user-item.ts";
import { createReadState, type ReadState } from "./state/read-state.ts";
import {
  changeSettings,
  type SettingsChange,
  type ThreadSettings,
  toSettingsView,
} from "./state/settings.ts";
import { createStatusPublisher, deriveStatus } from "./state/thread-status.ts";
import { toTurn } from "./state/turn-state.ts";
import type { Thread, ThreadOptions } from "./thread-options.ts";
import { toThreadView } from "./thread-view.ts";
import type { ActiveTurn, Message, TurnKind, TurnOptions } from "./turn/active-turn.ts";
import { runCompactTurn } from "./turn/compact-turn.ts";
import { hearPending, keepWords, readWords, type Words } from "./turn/hear-message.ts";
import { runReviewTurn } from "./turn/review-turn.ts";
import { runShellCommand, type ShellCommand } from "./turn/shell-turn.ts";
import { tellContext } from "./turn/tell-context.ts";
import { createThreadCore, type ThreadCore } from "./turn/thread-core.ts";
import { TURN_ABORTED } from "./turn/turn-aborted.ts";
import { createTurnNews } from "./turn/turn-news.ts";
import type { TurnOutcome } from "./turn/turn-outcome.ts";
import { type AcceptedTurn, type Prepare, TurnRunner } from "./turn/turn-runner.ts";
import { createTurnSetups, type TurnSetups } from "./turn/turn-setups.ts";
import { prepareUserTurn, runUserTurn } from "./turn/user-turn.ts";

/** Stands for the turn where there is none. */
const NO_TURN = { id: "" };

export function createThread(options: ThreadOptions): Thread {
  return new LoadedThread(options);
}

class LoadedThread implements Thread {
  readonly id: string;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  readonly warnings: readonly string[];
  readonly #options: ThreadOptions;
  readonly #keeper: TurnKeeper;
  readonly #memory: ThreadMemory;
  readonly #setups: TurnSetups;
  readonly #core: ThreadCore;
  readonly #publisher: Publisher;
  readonly #runner: TurnRunner;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #settings: ThreadSettings;
  #updatedAtMs: number;
  #preview: string;

  constructor(given: ThreadOptions) {
    const options: ThreadOptions = {
      ...given,
      emit: (method, params) => this.#publisher.tell(method, params),
    };
    const { id, settings, clock, createRevision, resumed } = options;
    this.id = id;
    this.readState = createReadState(createRevision);
    this.instructionSources = options.firstSetup.instructionSources;
    this.warnings = options.warnings;
    this.#options = options;
    this.#settings = settings;
    this.#createdAtMs = resumed?.createdAtMs ?? clock.now();
    this.#updatedAtMs = resumed?.updatedAtMs ?? this.#createdAtMs;
    this.#preview = resumed?.preview ?? "";
    this.#keeper = new TurnKeeper({
      ...options,
      threadId: id,
      kept: resumed === null ? "nothing" : resumed.keepsSettings ? "settings" : "other settings",
      onTakenOver: () => inBackground(options.log, "letting go of a thread", this.#giveUp()),
    });
    const { recorder } = this.#keeper;
    const publisher = createPublisher(given.emit, recorder, options.log);
    this.#publisher = publisher;
    const { emit } = publisher;
    const memory = new ThreadMemory({
      ...options,
      threadId: id,
      recall: resumed?.recall ?? null,
      usage: resumed?.usage ?? null,
      usageTurnId: resumed?.usageTurnId ?? null,
      recorder,
      emit,
    });
    this.#memory = memory;
    this.#publishStatus = createStatusPublisher(
      () => this.status(),
      (status) => emit("thread/status/changed", { threadId: id, status }),
    );
    this.#setups = createTurnSetups(options);
    this.#core = createThreadCore({
      options,
      memory,
      setups: this.#setups,
      settings: () => this.#settings,
      publisher,
      onQuestion: () => this.#publishStatus(),
      onHeard: (turn, message) => this.#heard(turn, message),
    });
    const news = createTurnNews(options, this.#core, this.readState);
    this.#runner = new TurnRunner({
      ...options,
      emit,
      threadId: id,
      publishStatus: this.#publishStatus,
      settle: (turn, outcome) => this.#settle(turn, outcome),
      hearLate: async (turn) => hearPending(this.#core, turn),
      keepEnd: (turn, outcome, atMs) => this.#keeper.close(turn, outcome, atMs),
      onEnd: (turn, outcome) => {
        this.#updatedAtMs = clock.now();
        news.mark(turn, outcome);
      },
      onEnded: (turn, outcome) => {
        publisher.endItems();
        this.#core.questions.settleAbandoned();
        news.announce(turn, outcome);
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

  openItems(): ThreadItem[] {
    return this.#publisher.openItems();
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
        path: this.#memory.recorder.path,
      },
    );
  }

  get usageTurnId(): string | null {
    return this.#memory.usage.turnId;
  }

  usage(): ThreadTokenUsage | null {
    const { usage } = this.#memory;
    return usage.isKnown ? usage.read(this.#setups.latest.info.usableContextWindow) : null;
  }

  async changeSettings(change: SettingsChange): Promise<() => void> {
    const settings = changeSettings(this.#settings, change);
    const before = this.#settings;
    if (settings === before) return () => {};
    await this.#keeper.changed(settings);
    this.#settings = settings;
    const threadSettings = toSettingsView(settings);
    if (isDeepStrictEqual(threadSettings, toSettingsView(before))) return () => {};
    return () => this.#options.emit("thread/settings/updated", { threadId: this.id, threadSettings });
  }

  accept(message: Message, options: TurnOptions): Promise<AcceptedTurn> {
    return this.#open("user", async (turn) => {
      const prepared = await prepareUserTurn(this.#core, turn, message, options);
      return () => runUserTurn(prepared, turn);
    });
  }

  async acceptCompaction(): Promise<AcceptedTurn> {
    await this.#endActive();
    return this.#open("compact", async (turn) => () => runCompactTurn(this.#core, turn));
  }

  async acceptReview(target: ReviewTarget): Promise<AcceptedTurn> {
    await this.#endActive();
    return this.#open("review", async (turn) => {
      const { warnings } = await this.#core.setup();
      const moments = {
        begin: () => this.#runner.begin(turn),
        fail: (error: TurnError) => this.#runner.tellFailure(turn, error),
        warn: () => this.#warn(warnings),
      };
      return () => runReviewTurn(this.#core, turn, target, moments);
    });
  }

  async acceptShellCommand(command: ShellCommand): Promise<() => void> {
    const { active } = this.#runner;
    const run = (turn: ActiveTurn) => runShellCommand(this.#core, turn, command);
    if (active !== null) return () => void this.#runner.attempt(active, run);
    return (await this.#open("shell", async (turn) => () => run(turn))).begin;
  }

  async inject(given: readonly ResponseItem[]): Promise<void> {
    await this.#memory.ready();
    const items = this.#core.name(given);
    const { active } = this.#runner;
    if (active === null) {
      await tellContext(this.#core, NO_TURN, await this.#core.setup(), this.#options.clock.now());
    }
    const kept = this.#core.recorder.watch();
    this.#core.keep(items);
    await kept();
    if (active !== null && active === this.#runner.active) active.pendingItems.push(...items);
    else this.#core.remember(NO_TURN, items);
  }

  async steer(message: Message): Promise<() => void> {
    const { active } = this.#runner;
    const said = await readWords(this.#core, message);
    const kept = this.#core.recorder.watch();
    const words = keepWords(this.#core, active?.id ?? "", said);
    await kept();
    return () => this.#takeUp(words, active);
  }

  /** Words for a turn that has ended meanwhile are part of the history all the same. */
  #takeUp(words: Words, turn: ActiveTurn | null): void {
    if (turn === null || turn !== this.#runner.active) {
      this.#core.remember(NO_TURN, words.items);
      return;
    }
    turn.pending.push(words);
    for (const heard of turn.listeners) heard();
    if (turn.steersAtOnce) turn.sampling?.abort();
  }

  interrupt(): Promise<() => void> {
    return this.#runner.interrupt();
  }

  whenIdle(): Promise<void> {
    return this.#runner.whenIdle();
  }

  close(): Promise<void> {
    return this.#memory.recorder.close();
  }

  /** What is asked for instead of the running turn ends it. */
  async #endActive(): Promise<void> {
    (await this.#runner.interrupt())();
    await this.#runner.whenIdle();
  }

  /** A turn that is accepted is on disk. */
  #open(kind: TurnKind, prepare: Prepare): Promise<AcceptedTurn> {
    return this.#runner.open(kind, async (turn) => {
      const { warnings, steersAtOnce, info } = await this.#core.setup();
      await this.#memory.ready();
      turn.steersAtOnce = steersAtOnce;
      if (kind === "user") this.#warn(warnings);
      const { clock } = this.#options;
      const opening = {
        atMs: clock.now(),
        modelContextWindow: info.usableContextWindow,
        settings: this.#settings,
      };
      return this.#keeper.open(turn, opening, () => prepare(turn));
    });
  }

  /** Another process writes the thread now: what runs here ends, and the thread is let go. */
  async #giveUp(): Promise<void> {
    await this.#endActive();
    this.#options.onLost();
  }

  #warn(warnings: readonly string[]): void {
    for (const message of warnings) this.#options.emit("warning", { threadId: this.id, message });
  }

  #heard(turn: ActiveTurn, { input }: Message): void {
    const preview = previewOf(input) ?? "";
    turn.said.push(preview);
    if (this.#preview === "") this.#preview = preview;
  }

  /** What came too late for the work to take it up was accepted all the same. */
  async #settle(turn: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    hearPending(this.#core, turn);
    if (outcome.kind === "interrupted" && turn.lost === null) this.#memory.record(turn, [TURN_ABORTED]);
  }
}
