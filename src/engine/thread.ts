import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../base/errors.ts";
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
import { createTimeReminder } from "./context/time-reminder.ts";
import type { Emit } from "./events.ts";
import { followItems, type OpenItems } from "./history/open-items.ts";
import { recordItems } from "./history/record-items.ts";
import { ThreadMemory } from "./history/thread-memory.ts";
import { TurnKeeper } from "./history/turn-keeper.ts";
import { previewOf } from "./input/user-item.ts";
import { createQuestions } from "./questions.ts";
import { createReadState, type ReadState } from "./read-state.ts";
import { changeSettings, type SettingsChange, type ThreadSettings, toSettingsView } from "./settings.ts";
import type { Thread, ThreadOptions } from "./thread-options.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";
import { toThreadView } from "./thread-view.ts";
import { createTurnSetups } from "./turn-setups.ts";
import { toTurn } from "./turn-state.ts";
import type { ActiveTurn, Message, TurnKind, TurnOptions } from "./turns/active-turn.ts";
import { runCompactTurn } from "./turns/compact-turn.ts";
import { hearPending, keepWords, readWords, type Words } from "./turns/hear-message.ts";
import { runReviewTurn } from "./turns/review-turn.ts";
import { runShellCommand, type ShellCommand } from "./turns/shell-turn.ts";
import { tellContext } from "./turns/tell-context.ts";
import type { ThreadCore } from "./turns/thread-core.ts";
import { TURN_ABORTED } from "./turns/turn-aborted.ts";
import type { TurnOutcome } from "./turns/turn-outcome.ts";
import { type AcceptedTurn, type Prepare, TurnRunner } from "./turns/turn-runner.ts";
import { prepareUserTurn, runUserTurn } from "./turns/user-turn.ts";

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
  readonly #core: ThreadCore;
  readonly #openItems: OpenItems;
  readonly #runner: TurnRunner;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #settings: ThreadSettings;
  #updatedAtMs: number;
  #preview: string;

  constructor(options: ThreadOptions) {
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
      onTakenOver: () => void this.#giveUp(),
    });
    const { recorder } = this.#keeper;
    this.#openItems = followItems(recordItems(options.emit, recorder));
    const { emit } = this.#openItems;
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
    this.#core = this.#createCore(emit);
    this.#runner = new TurnRunner({
      ...options,
      emit,
      threadId: id,
      publishStatus: this.#publishStatus,
      settle: (turn, outcome) => this.#settle(turn, outcome),
      hearLate: async (turn) => hearPending(this.#core, turn),
      keepEnd: (turn, outcome, atMs) => this.#keeper.close(turn, outcome, atMs),
      onEnd: (turn, outcome) => this.#onEnd(turn, outcome),
      onEnded: (turn, outcome) => {
        this.#openItems.clear();
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

  openItems(): ThreadItem[] {
    return this.#openItems.list();
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
    return usage.isKnown ? usage.read(this.#options.firstSetup.info.usableContextWindow) : null;
  }

  changeSettings(change: SettingsChange): void {
    const settings = changeSettings(this.#settings, change);
    const before = this.#settings;
    if (settings === before) return;
    this.#settings = settings;
    this.#keeper.changed(settings);
    const threadSettings = toSettingsView(settings);
    if (isDeepStrictEqual(threadSettings, toSettingsView(before))) return;
    this.#options.emit("thread/settings/updated", { threadId: this.id, threadSettings });
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
    this.#core.keep(items);
    await this.#core.recorder.saved();
    if (active !== null && active === this.#runner.active) active.pendingItems.push(...items);
    else this.#core.remember(NO_TURN, items);
  }

  async steer(message: Message): Promise<() => void> {
    const { active } = this.#runner;
    const said = await readWords(this.#core, message);
    const words = keepWords(this.#core, active?.id ?? "", said);
    await this.#core.recorder.saved();
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

  #createCore(emit: Emit): ThreadCore {
    const { id, clock, createId, log, clients } = this.#options;
    const memory = this.#memory;
    const setups = createTurnSetups(this.#options);
    const settings = () => this.#settings;
    return {
      id,
      get settings() {
        return settings();
      },
      history: memory.items,
      context: memory.context,
      reminder: createTimeReminder(),
      usage: memory.usage,
      recorder: memory.recorder,
      raw: memory.raw,
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
      tell: this.#options.emit,
      clock,
      createId,
      log,
      setup: (wanted) => setups(wanted ?? this.#settings),
      origin: (turn) => this.#originOf(turn),
      name: (items) => memory.name(items),
      keep: (items) => memory.keep(items),
      remember: (turn, items) => memory.remember(turn, items),
      record: (turn, items) => memory.record(turn, items),
      replaceHistory: (items, summary) => memory.replace(items, summary),
      heard: (turn, { input }) => {
        turn.said.push(previewOf(input) ?? "");
        if (this.#preview === "") this.#preview = previewOf(input) ?? "";
      },
    };
  }

  #originOf(turn: ActiveTurn) {
    const { threadSource, installationId, identityHeaders, clock, beginning, forkedFromId } = this.#options;
    return {
      threadId: this.id,
      turnId: turn.id,
      turnStartedAtMs: turn.state.phase === "running" ? turn.state.startedAtMs : clock.now(),
      threadSource,
      beginning,
      forkedFromId,
      contextWindowId: this.#memory.window.id,
      windowNumber: this.#memory.window.number,
      installationId,
      identityHeaders: identityHeaders(),
      clientMetadata: turn.clientMetadata,
      providerState: turn.providerState,
    };
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

  /** What came too late for the work to take it up was accepted all the same. */
  async #settle(turn: ActiveTurn, outcome: TurnOutcome): Promise<void> {
    hearPending(this.#core, turn);
    if (outcome.kind === "interrupted") this.#memory.record(turn, [TURN_ABORTED]);
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
