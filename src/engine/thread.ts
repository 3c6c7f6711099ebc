import type { Clock } from "../base/clock.ts";
import { createDeferred, type Deferred } from "../base/deferred.ts";
import type { Model } from "../model/model.ts";
import type {
  ResponseItem,
  ThreadStatus,
  Thread as ThreadView,
  Turn,
  UserInput,
} from "../protocol/generated/types.ts";
import type { ToolContext } from "../tools/tool.ts";
import { createDiffReport, type DiffReport } from "./diff-report.ts";
import type { Emit } from "./events.ts";
import { createItemLog } from "./item-log.ts";
import type { ThreadSettings } from "./settings.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";
import { toThreadView } from "./thread-view.ts";
import type { ToolSet } from "./tool-calls.ts";
import { runTurn, type TurnOutcome } from "./turn.ts";
import { advance, type TurnEvent, type TurnState, toTurn } from "./turn-state.ts";
import { createUsageCounter } from "./usage.ts";
import { previewOf, toModelMessage, toUserItem } from "./user-message.ts";

/** A loaded conversation. It has one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly instructionSources: readonly string[];
  readonly activeTurnId: string | null;
  /** The turn that runs, as clients see it. */
  activeTurn(): Turn | null;
  status(): ThreadStatus;
  view(): ThreadView;
  /** Accepts a turn; the work begins with `begin`, which the caller calls once it has answered. */
  accept(message: Message): { readonly turn: Turn; begin(): void };
  /** Adds to the running turn, which takes it up at once: what the model is saying is dropped. */
  steer(message: Message): void;
  /** Ends the running turn, if there is one. */
  interrupt(): void;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
}

/** What a user says, and what the client wants the provider to know with it. */
export interface Message {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  /** Null leaves what was said with an earlier message. */
  readonly clientMetadata: Readonly<Record<string, string>> | null;
}

export interface ThreadOptions {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly model: Model;
  readonly modelContextWindow: number | null;
  readonly originator: string;
  readonly threadSource: string | null;
  readonly ephemeral: boolean;
  readonly installationId: string;
  readonly identityHeaders: () => Readonly<Record<string, string>>;
  /** What the user should know before the first turn. */
  readonly warnings: readonly string[];
  /** What the model is told before the user's first words. */
  readonly initialContext: () => Promise<readonly ResponseItem[]>;
  /** The files that part of it came from. */
  readonly instructionSources: readonly string[];
  /** Names in the diff of a turn are relative to it. */
  readonly diffRoot: string;
  readonly toolSet: ToolSet;
  readonly approve: ToolContext["approve"];
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
}

interface ActiveTurn {
  readonly id: string;
  readonly abort: AbortController;
  /** What the user has said since the turn began and the model has not been told. */
  readonly pending: Message[];
  clientMetadata: Readonly<Record<string, string>>;
  /** Ends what the model is saying. */
  sampling: AbortController | null;
  readonly ended: Deferred<void>;
  state: TurnState;
}

/** Tells the model in the next turn why its last one has no end. */
const TURN_ABORTED = toModelMessage([
  {
    type: "text",
    text: "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
  },
]);

export function createThread(options: ThreadOptions): Thread {
  return new LoadedThread(options);
}

class LoadedThread implements Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly instructionSources: readonly string[];
  readonly #options: ThreadOptions;
  readonly #history: ResponseItem[] = [];
  readonly #usage = createUsageCounter();
  readonly #contextWindowId: string;
  readonly #createdAtMs: number;
  readonly #publishStatus: () => void;
  #updatedAtMs: number;
  #preview = "";
  #failed = false;
  #warned = false;
  #active: ActiveTurn | null = null;

  constructor(options: ThreadOptions) {
    const { id, settings, emit, clock, createId } = options;
    this.id = id;
    this.settings = settings;
    this.instructionSources = options.instructionSources;
    this.#options = options;
    this.#contextWindowId = createId();
    this.#createdAtMs = this.#updatedAtMs = clock.now();
    this.#publishStatus = createStatusPublisher(
      () => this.status(),
      (status) => emit("thread/status/changed", { threadId: id, status }),
    );
  }

  get activeTurnId(): string | null {
    return this.#active?.id ?? null;
  }

  activeTurn(): Turn | null {
    return this.#active === null ? null : toTurn(this.#active.id, this.#active.state, []);
  }

  status(): ThreadStatus {
    const turnRunning = this.#active?.state.phase === "running";
    return deriveStatus({ turnRunning, pendingApprovals: 0, pendingQuestions: 0, failed: this.#failed });
  }

  view(): ThreadView {
    return toThreadView(this.#options, {
      createdAtMs: this.#createdAtMs,
      updatedAtMs: this.#updatedAtMs,
      preview: this.#preview,
      status: this.status(),
    });
  }

  accept(message: Message): { readonly turn: Turn; begin(): void } {
    if (this.#active !== null) throw new Error(`thread ${this.id} already has turn ${this.#active.id}`);
    const turn: ActiveTurn = {
      id: this.#options.createId(),
      abort: new AbortController(),
      pending: [],
      clientMetadata: {},
      sampling: null,
      ended: createDeferred(),
      state: { phase: "accepted" },
    };
    this.#active = turn;
    this.#warnOnce();
    return { turn: toTurn(turn.id, turn.state, []), begin: () => void this.#run(turn, message) };
  }

  steer(message: Message): void {
    this.#active?.pending.push(message);
    this.#active?.sampling?.abort();
  }

  interrupt(): void {
    this.#active?.abort.abort();
  }

  whenIdle(): Promise<void> {
    return this.#active?.ended.promise ?? Promise.resolve();
  }

  #warnOnce(): void {
    const { warnings, emit } = this.#options;
    for (const message of this.#warned ? [] : warnings) emit("warning", { threadId: this.id, message });
    this.#warned = true;
  }

  async #run(turn: ActiveTurn, message: Message): Promise<void> {
    const { emit, clock, threadSource, installationId, identityHeaders } = this.#options;
    const turnStartedAtMs = clock.now();
    this.#failed = false;
    turn.state = advance(turn.state, { type: "begin", atMs: turnStartedAtMs });
    this.#publishStatus();
    emit("turn/started", { threadId: this.id, turn: toTurn(turn.id, turn.state, []) });
    const isFirst = this.#history.length === 0;
    this.#hear(turn, message);
    if (isFirst) this.#history.unshift(...(await this.#options.initialContext()));
    const origin = {
      threadId: this.id,
      turnId: turn.id,
      turnStartedAtMs,
      threadSource,
      contextWindowId: this.#contextWindowId,
      installationId,
      identityHeaders: identityHeaders(),
    };
    const { signal } = turn.abort;
    const diff = createDiffReport({ threadId: this.id, turnId: turn.id, root: this.#options.diffRoot, emit });
    const outcome = await runTurn({
      ...this.#options,
      origin: () => ({ ...origin, clientMetadata: turn.clientMetadata }),
      history: this.#history,
      usage: this.#usage,
      ids: { threadId: this.id, turnId: turn.id },
      signal,
      sampleSignal() {
        turn.sampling = new AbortController();
        return AbortSignal.any([signal, turn.sampling.signal]);
      },
      hearPending: () => {
        const messages = turn.pending.splice(0);
        for (const each of messages) this.#hear(turn, each);
        return messages.length > 0;
      },
      onResponse: diff.repeat,
      toolContext: this.#toolContext(turn, diff),
    });
    this.#finish(turn, outcome);
  }

  #toolContext(turn: ActiveTurn, diff: DiffReport): ToolContext {
    const { emit, clock, settings } = this.#options;
    const ids = { threadId: this.id, turnId: turn.id };
    return {
      ...ids,
      cwd: settings.cwd,
      sandbox: settings.sandbox,
      signal: turn.abort.signal,
      items: createItemLog({ ...ids, emit, clock }),
      edited: diff.record,
      approve: this.#options.approve,
    };
  }

  /** Takes what the user says into the history. */
  #hear(turn: ActiveTurn, { input, clientUserMessageId, clientMetadata }: Message): void {
    turn.clientMetadata = clientMetadata ?? turn.clientMetadata;
    if (input.length === 0) return;
    const { id: turnId } = turn;
    const { emit, clock, createId } = this.#options;
    const threadId = this.id;
    const startedAtMs = clock.now();
    const item = toUserItem(createId(), clientUserMessageId, input, startedAtMs);
    this.#history.push(toModelMessage(input));
    if (this.#preview === "") this.#preview = previewOf(input);
    emit("item/started", { item, threadId, turnId, startedAtMs });
    const completedAtMs = clock.now();
    emit("item/completed", { item: { ...item, completedAtMs }, threadId, turnId, completedAtMs });
  }

  #finish(turn: ActiveTurn, outcome: TurnOutcome): void {
    const { emit, clock } = this.#options;
    const threadId = this.id;
    turn.state = advance(turn.state, toEvent(outcome, clock.now()));
    this.#active = null;
    this.#updatedAtMs = clock.now();
    if (outcome.kind === "interrupted") this.#history.push(TURN_ABORTED);
    this.#failed = outcome.kind === "failed";
    this.#publishStatus();
    if (outcome.kind === "failed") {
      emit("error", { error: outcome.error, willRetry: false, threadId, turnId: turn.id });
    }
    const items = outcome.kind === "completed" && outcome.lastMessage !== null ? [outcome.lastMessage] : [];
    emit("turn/completed", { threadId, turn: toTurn(turn.id, turn.state, items) });
    turn.ended.resolve();
  }
}

function toEvent(outcome: TurnOutcome, atMs: number): TurnEvent {
  switch (outcome.kind) {
    case "completed":
      return { type: "complete", atMs };
    case "interrupted":
      return { type: "interrupt", atMs };
    case "failed":
      return { type: "fail", atMs, error: outcome.error };
  }
}
