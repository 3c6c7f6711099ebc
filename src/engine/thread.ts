import { isDeepStrictEqual } from "node:util";
import { inBackground, logFailure } from "../base/tasks.ts";
import { notificationRows } from "../protocol/generated/table.ts";
import type {
  ResponseItem,
  ThreadItem,
  ThreadStatus,
  ThreadTokenUsage,
  Thread as ThreadView,
  ThreadWaiting,
  Turn,
} from "../protocol/generated/types.ts";
import type { EventToken } from "../store/event-token.ts";
import { questionId } from "../store/question-id.ts";
import { toWaiting } from "../store/waiting.ts";
import { type Ask, HISTORY_LOST } from "../tools/tool.ts";
import { DurableEvents } from "./history/durable-events.ts";
import type { OpenNotice } from "./history/open-items.ts";
import { createPublisher, type Publisher } from "./history/publisher.ts";
import type { SubmittedItems } from "./history/thread-history.ts";
import { TurnRecords } from "./history/turn-records.ts";
import { endSession } from "./hooks/session-hooks.ts";
import { inputPreview } from "./input/user-message.ts";
import type { Answered, OpenDecision } from "./permissions/questions.ts";
import { type Accepted, accepted } from "./state/accepted.ts";
import {
  changeSettings,
  type SettingsChange,
  type ThreadSettings,
  toSettingsView,
} from "./state/settings.ts";
import type { SpawnedAgent } from "./state/spawned-agent.ts";
import {
  createReadState,
  createStatusPublisher,
  deriveStatus,
  isUnreadAfter,
  type ReadState,
} from "./state/thread-status.ts";
import { type TurnKind, type TurnOutcome, toTurnView } from "./state/turn-state.ts";
import type { Thread, ThreadOptions } from "./thread-options.ts";
import { toThreadView } from "./thread-view.ts";
import type { ActiveTurn } from "./turn/active-turn.ts";
import { recordContext } from "./turn/model-context.ts";
import { readMessage, submit, type UserMessage } from "./turn/submission.ts";
import type { SuspendedTurn } from "./turn/suspended-turn.ts";
import { createThreadCore, type OwnCore, type ThreadCore } from "./turn/thread-core.ts";
import { type AcceptOptions, ThreadTurns } from "./turn/turn.ts";
import { createTurnSetups, type TurnSetups } from "./turn/turn-setup.ts";
import {
  notifyTurnCompleted,
  runShellCommand,
  type ShellCommand,
  type TurnRequest,
} from "./turn/turn-work.ts";

/** The turn id of items that are recorded outside of a turn. */
const NO_TURN = "";

/** A loaded thread: its turns, their shared core, and its settings and read state. */
export class LoadedThread implements Thread {
  readonly id: string;
  readonly readState: ReadState;
  readonly instructionSources: readonly string[];
  readonly warnings: readonly string[];
  readonly configOverrides: Thread["configOverrides"];
  readonly #options: ThreadOptions;
  readonly #records: TurnRecords;
  readonly #publisher: Publisher;
  readonly #events: DurableEvents;
  readonly #setups: TurnSetups;
  readonly #core: OwnCore;
  readonly #turns: ThreadTurns;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #updatedAtMs: number;
  #preview: string;
  /** The turn of an earlier process that is yet to be continued. */
  #suspended: SuspendedTurn | null;
  /** The last turn that has ended in this session. */
  #lastTurnId: string | undefined;

  constructor(options: ThreadOptions) {
    const { id, settings, clock, resumed, log, onEvent } = options;
    this.id = id;
    this.readState = createReadState(options.createRevision);
    this.instructionSources = options.firstSetup.instructionSources;
    this.warnings = options.warnings;
    this.configOverrides = options.configOverrides;
    this.#options = options;
    this.#createdAtMs = resumed?.createdAtMs ?? clock.now();
    this.#updatedAtMs = resumed?.updatedAtMs ?? this.#createdAtMs;
    this.#preview = resumed?.preview ?? "";
    const { emit } = options;
    const events = createEvents(options);
    this.#events = events;
    this.#records = new TurnRecords({
      ...options,
      threadId: id,
      storedSettings: resumed === null ? "none" : resumed.hasCurrentSettings ? "current" : "outdated",
      emit: (method, params) => this.#publisher.notify(method, params),
      onAppendFailed: (_turn, failure) => {
        this.#turns.active?.advance({ type: "appendFailed", failure });
        this.#turns.active?.abort.abort(HISTORY_LOST);
      },
      onKept: (lines, firstSeq) => events.kept(lines, firstSeq),
      onTakenOver: () => inBackground(log, "releasing a thread after a takeover", this.#stopAfterTakeover()),
    });
    this.#publisher = createPublisher({
      send(method, params) {
        emit(method, params);
        if (notificationRows[method].isDurable === true) events.notified(method, params);
      },
      commits: this.#records.commits,
      onEvent,
      log,
    });
    this.#publishStatus = createStatusPublisher(
      () => this.status(),
      (status) => {
        this.#publisher.emit("thread/status/changed", { threadId: id, status });
        onEvent({ type: "statusChanged", status });
      },
    );
    this.#setups = createTurnSetups(options);
    this.#core = createThreadCore({
      options,
      publisher: this.#publisher,
      commits: this.#records.commits,
      settings,
      setup: (requested) => this.#setups.of(requested),
      onQuestion: this.#publishStatus,
      onPrompt: (turn, message) => this.#onPrompt(turn, message),
    });
    this.#turns = new ThreadTurns({
      core: this.#core,
      records: this.#records,
      publishStatus: this.#publishStatus,
      onEvent,
      onEnd: (turn, outcome) => this.#onEnd(turn, outcome),
      onEnded: (core, turn, outcome) => this.#onEnded(core, turn, outcome),
    });
    this.#suspended = resumed?.suspended ?? null;
    if (this.#suspended !== null) this.#turns.reopen(this.#suspended);
  }

  eventsEnd(): EventToken | null {
    return this.#events.end();
  }

  get ask(): Ask {
    const { signal } = new AbortController();
    return (method, params) => this.#core.questions.ask(method, params, signal);
  }

  get settings(): ThreadSettings {
    return this.#core.settings;
  }

  get turnSettings(): ThreadSettings {
    return this.#turns.core.settings;
  }

  get agent(): SpawnedAgent | null {
    return this.#options.agent;
  }

  get activeTurnId(): string | null {
    return this.#turns.active?.workId ?? null;
  }

  get activeKind(): TurnKind | null {
    return this.#turns.active?.kind ?? null;
  }

  openItems(): ThreadItem[] {
    return this.#publisher.openItems();
  }

  openNotices(): readonly OpenNotice[] {
    return this.#publisher.openNotices();
  }

  activeTurn(): Turn | null {
    const { active } = this.#turns;
    return active === null ? null : toTurnView(active, active.state, []);
  }

  status(): ThreadStatus {
    const { questions } = this.#core;
    return deriveStatus({
      turnRunning: this.#turns.isRunning,
      pendingApprovals: questions.pendingApprovals(),
      pendingQuestions: questions.pendingQuestions(),
      failed: this.#turns.hasFailed,
    });
  }

  view(): ThreadView {
    return toThreadView(
      { ...this.#options, settings: this.settings },
      {
        createdAtMs: this.#createdAtMs,
        updatedAtMs: this.#updatedAtMs,
        preview: this.#preview,
        status: this.status(),
        path: this.#options.journal?.location ?? null,
      },
    );
  }

  waiting(): ThreadWaiting | null {
    const turnId = this.activeTurnId;
    const held = this.#turns.active?.wait ?? null;
    if (held !== null) return held.isOver ? null : toWaiting(held.wait);
    const suspended = this.#suspended;
    const kept = suspended !== null && "calls" in suspended ? suspended.calls.questions.values() : null;
    const [first] = kept ?? (this.isWaiting ? this.openDecisions() : []);
    if (turnId === null || first === undefined) return null;
    const since = Math.floor(first.atMs / 1000);
    const timeout = Math.floor(this.#setups.latest().answerTimeoutMs / 1000);
    return { reason: "question", turnId, decisionId: questionId(first), since, until: since + timeout };
  }

  get usageTurnId(): string | null {
    return this.#core.history.usage.turnId;
  }

  usage(): ThreadTokenUsage | null {
    const { usage } = this.#core.history;
    return usage.isKnown ? usage.read(this.#setups.latest().info().usableContextWindow) : null;
  }

  async changeSettings(change: SettingsChange): Promise<Accepted<null>> {
    const before = this.settings;
    const settings = changeSettings(before, change);
    if (settings === before) return accepted(null);
    await this.#records.changeSettings(settings);
    this.#core.settings = settings;
    const threadSettings = toSettingsView(settings);
    if (isDeepStrictEqual(threadSettings, toSettingsView(before))) return accepted(null);
    return accepted(null, () =>
      this.#publisher.notify("thread/settings/updated", { threadId: this.id, threadSettings }),
    );
  }

  async flush(): Promise<void> {
    await this.#records.commits.flush();
  }

  persistSettings(): Promise<void> {
    return this.#records.persistSettings(this.settings);
  }

  accept(request: TurnRequest, options?: AcceptOptions): Promise<Accepted<Turn>> {
    return this.#turns.accept(request, options);
  }

  async acceptShellCommand(command: ShellCommand): Promise<Accepted<null>> {
    const { active, core } = this.#turns;
    if (active === null) {
      const turn = await this.#turns.accept({ kind: "shell", command });
      return accepted(null, turn.begin);
    }
    return accepted(null, () => {
      void this.#turns.attempt(active, () => runShellCommand(core, active, command));
    });
  }

  async inject(injected: readonly ResponseItem[]): Promise<void> {
    const { history, clock } = this.#core;
    await history.ready();
    const items = history.prepare(injected);
    const { active } = this.#turns;
    if (active === null) await recordContext(this.#core, NO_TURN, await this.#core.setup(), clock.now());
    const persisted = history.commits.watch();
    const submitted = history.submit(items);
    await persisted();
    this.#add(submitted, active);
  }

  async steer(message: UserMessage): Promise<Accepted<null>> {
    const { active, core } = this.#turns;
    const { history } = core;
    const draft = await readMessage(core, await core.setup(), message);
    const persisted = history.commits.watch();
    const submission = submit(core, active?.id ?? NO_TURN, draft);
    await persisted();
    return accepted(null, () => this.#add(submission, active));
  }

  /** Input for a turn that has meanwhile ended still enters the history. */
  #add(input: SubmittedItems, turn: ActiveTurn | null): void {
    if (turn !== null && turn === this.#turns.active) turn.pending.add(input);
    else this.#core.history.enterIdle(NO_TURN, input);
  }

  continueTurn(): void {
    const suspended = this.#suspended;
    this.#suspended = null;
    if (suspended !== null) this.#turns.continue(suspended);
  }

  answer(decision: number, answered: Answered<unknown>): boolean {
    return this.#core.questions.answer(decision, answered);
  }

  openDecisions(): readonly OpenDecision[] {
    return this.#core.questions.openDecisions();
  }

  get isWaiting(): boolean {
    if (this.#suspended !== null || this.#isLimited) return true;
    return this.#turns.active?.batch?.hasWaiting ?? false;
  }

  get isOnlyWaiting(): boolean {
    return this.#isLimited || (this.#turns.active?.batch?.isOnlyWaiting ?? false);
  }

  /** Whether the turn waits for the end of a usage limit. */
  get #isLimited(): boolean {
    return this.#turns.active?.wait?.isOver === false;
  }

  suspend(): Promise<void> {
    // A turn that was not continued yet has nothing that could end.
    this.continueTurn();
    return this.#turns.suspend();
  }

  interrupt(): Promise<Accepted<null>> {
    this.continueTurn();
    return this.#turns.interrupt();
  }

  whenIdle(): Promise<void> {
    return this.#turns.whenIdle();
  }

  async close(): Promise<void> {
    const { log, createId, journal } = this.#options;
    const { hooks, history } = this.#core;
    try {
      await endSession(hooks, createId(), this.#lastTurnId);
    } catch (error) {
      logFailure(log, "running the SessionEnd hooks", error);
    }
    await hooks.close();
    await history.commits.flush();
    await journal?.close();
  }

  /** Another process holds the lease now, so the running turn ends and the thread is unloaded. */
  async #stopAfterTakeover(): Promise<void> {
    await this.#turns.stop();
    this.#options.onTakenOver();
  }

  #onPrompt(turn: ActiveTurn, { input }: UserMessage): void {
    const preview = inputPreview(input) ?? "";
    turn.prompts.push(preview);
    if (this.#preview === "") this.#preview = preview;
  }

  #onEnd(turn: ActiveTurn, outcome: TurnOutcome): void {
    this.#updatedAtMs = this.#options.clock.now();
    this.#lastTurnId = turn.id;
    if (!isUnreadAfter(turn.kind, outcome, this.#options)) return;
    const readState = this.readState.markUnread(turn.id);
    this.#publisher.notify("thread/readState/changed", { threadId: this.id, readState });
    this.#options.onEvent({ type: "readStateChanged", readState });
  }

  #onEnded(core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome): void {
    this.#publisher.endItems();
    this.#core.questions.resolveAbandoned();
    void notifyTurnCompleted(core, turn, outcome);
  }
}

function createEvents({ id, journal, resumed, followers }: ThreadOptions): DurableEvents {
  const state = resumed?.suspended?.eventState ?? null;
  return new DurableEvents({ threadId: id, next: journal?.next() ?? null, state, followers });
}
