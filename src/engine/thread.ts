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
import type { Emit } from "./events.ts";
import type { ThreadSettings } from "./settings.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";
import { toThreadView } from "./thread-view.ts";
import { runTurn, type TurnOutcome } from "./turn.ts";
import { advance, type TurnEvent, type TurnState, toTurn } from "./turn-state.ts";
import { createUsageCounter } from "./usage.ts";
import { previewOf, toModelMessage, toUserItem } from "./user-message.ts";

/** A loaded conversation. It has one turn at a time and is the only writer of its history. */
export interface Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
  readonly activeTurnId: string | null;
  status(): ThreadStatus;
  view(): ThreadView;
  /** Accepts a turn; the work begins with `begin`, which the caller calls once it has answered. */
  accept(request: TurnRequest): { readonly turn: Turn; begin(): void };
  /** Ends the running turn, if there is one. */
  interrupt(): void;
  /** Resolves when no turn runs. */
  whenIdle(): Promise<void>;
}

/** What a client asks of a turn. */
export interface TurnRequest {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  readonly clientMetadata: Readonly<Record<string, string>>;
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
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
}

interface ActiveTurn {
  readonly id: string;
  readonly abort: AbortController;
  readonly ended: Deferred<void>;
  state: TurnState;
}

export function createThread(options: ThreadOptions): Thread {
  return new LoadedThread(options);
}

class LoadedThread implements Thread {
  readonly id: string;
  readonly settings: ThreadSettings;
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

  accept(request: TurnRequest): { readonly turn: Turn; begin(): void } {
    if (this.#active !== null) throw new Error(`thread ${this.id} already has turn ${this.#active.id}`);
    const turn: ActiveTurn = {
      id: this.#options.createId(),
      abort: new AbortController(),
      ended: createDeferred(),
      state: { phase: "accepted" },
    };
    this.#active = turn;
    this.#warnOnce();
    return { turn: toTurn(turn.id, turn.state, []), begin: () => void this.#run(turn, request) };
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

  async #run(turn: ActiveTurn, { input, clientUserMessageId, clientMetadata }: TurnRequest): Promise<void> {
    const { emit, clock, threadSource, installationId, identityHeaders } = this.#options;
    const turnStartedAtMs = clock.now();
    this.#failed = false;
    turn.state = advance(turn.state, { type: "begin", atMs: turnStartedAtMs });
    this.#publishStatus();
    emit("turn/started", { threadId: this.id, turn: toTurn(turn.id, turn.state, []) });
    if (input.length > 0) this.#hear(turn.id, input, clientUserMessageId);
    const origin = {
      threadId: this.id,
      turnId: turn.id,
      turnStartedAtMs,
      threadSource,
      contextWindowId: this.#contextWindowId,
      installationId,
      identityHeaders: identityHeaders(),
      clientMetadata,
    };
    const { signal } = turn.abort;
    this.#finish(
      turn,
      await runTurn({ ...this.#options, origin, history: this.#history, usage: this.#usage, signal }),
    );
  }

  /** Takes what the user says into the history. */
  #hear(turnId: string, input: readonly UserInput[], clientId: string | null): void {
    const { emit, clock, createId } = this.#options;
    const threadId = this.id;
    const startedAtMs = clock.now();
    const item = toUserItem(createId(), clientId, input, startedAtMs);
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
