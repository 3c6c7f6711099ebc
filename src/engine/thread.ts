import type { Clock } from "../base/clock.ts";
import { createDeferred, type Deferred } from "../base/deferred.ts";
import type { Model } from "../model/model.ts";
import type {
  ResponseItem,
  ThreadItem,
  ThreadStatus,
  Thread as ThreadView,
  Turn,
  UserInput,
} from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-version.ts";
import type { Emit } from "./events.ts";
import type { ThreadSettings } from "./settings.ts";
import { deriveStatus } from "./thread-status.ts";
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
  const { id, settings, emit, clock, createId } = options;
  const createdAtMs = clock.now();
  const history: ResponseItem[] = [];
  const usage = createUsageCounter();
  const contextWindowId = createId();
  let warned = false;
  let updatedAtMs = createdAtMs;
  let preview = "";
  let failed = false;
  let active: ActiveTurn | null = null;
  let published: ThreadStatus = { type: "idle" };

  function status(): ThreadStatus {
    const turnRunning = active !== null && active.state.phase === "running";
    return deriveStatus({ turnRunning, pendingApprovals: 0, pendingQuestions: 0, failed });
  }

  function publishStatus(): void {
    const current = status();
    if (JSON.stringify(current) === JSON.stringify(published)) return;
    published = current;
    emit("thread/status/changed", { threadId: id, status: current });
  }

  async function run(
    turn: ActiveTurn,
    { input, clientUserMessageId, clientMetadata }: TurnRequest,
  ): Promise<void> {
    const turnStartedAtMs = clock.now();
    failed = false;
    turn.state = advance(turn.state, { type: "begin", atMs: turnStartedAtMs });
    publishStatus();
    emit("turn/started", { threadId: id, turn: toTurn(turn.id, turn.state, []) });
    if (input.length > 0) say(turn.id, input, clientUserMessageId);
    const { threadSource, installationId } = options;
    const origin = {
      threadId: id,
      turnId: turn.id,
      turnStartedAtMs,
      threadSource,
      contextWindowId,
      installationId,
      identityHeaders: options.identityHeaders(),
      clientMetadata,
    };
    finish(turn, await runTurn({ ...options, origin, history, usage, signal: turn.abort.signal }));
  }

  function warnOnce(): void {
    for (const message of warned ? [] : options.warnings) emit("warning", { threadId: id, message });
    warned = true;
  }

  function say(turnId: string, input: readonly UserInput[], clientId: string | null): void {
    const startedAtMs = clock.now();
    const item = toUserItem(createId(), clientId, input, startedAtMs);
    history.push(toModelMessage(input));
    if (preview === "") preview = previewOf(input);
    emit("item/started", { item, threadId: id, turnId, startedAtMs });
    const completedAtMs = clock.now();
    emit("item/completed", { item: { ...item, completedAtMs }, threadId: id, turnId, completedAtMs });
  }

  function finish(turn: ActiveTurn, outcome: TurnOutcome): void {
    turn.state = advance(turn.state, toEvent(outcome, clock.now()));
    active = null;
    updatedAtMs = clock.now();
    failed = outcome.kind === "failed";
    publishStatus();
    if (outcome.kind === "failed") {
      emit("error", { error: outcome.error, willRetry: false, threadId: id, turnId: turn.id });
    }
    const items: ThreadItem[] =
      outcome.kind === "completed" && outcome.lastMessage ? [outcome.lastMessage] : [];
    emit("turn/completed", { threadId: id, turn: toTurn(turn.id, turn.state, items) });
    turn.ended.resolve();
  }

  return {
    id,
    settings,
    get activeTurnId() {
      return active?.id ?? null;
    },
    status,
    view: () => toView(options, { createdAtMs, updatedAtMs, preview, status: status() }),
    accept(request) {
      if (active !== null) throw new Error(`thread ${id} already has turn ${active.id}`);
      const turn: ActiveTurn = {
        id: createId(),
        abort: new AbortController(),
        ended: createDeferred(),
        state: { phase: "accepted" },
      };
      active = turn;
      warnOnce();
      return {
        turn: toTurn(turn.id, turn.state, []),
        begin: () => void run(turn, request),
      };
    },
    interrupt: () => active?.abort.abort(),
    whenIdle: () => active?.ended.promise ?? Promise.resolve(),
  };
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

interface Facts {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly preview: string;
  readonly status: ThreadStatus;
}

function toView(
  { id, settings, originator, threadSource, ephemeral }: ThreadOptions,
  facts: Facts,
): ThreadView {
  const updatedAt = Math.floor(facts.updatedAtMs / 1000);
  return {
    id,
    environments: [{ environmentId: "local", cwd: settings.cwd, runtimeWorkspaceRoots: [settings.cwd] }],
    extra: null,
    sessionId: id,
    forkedFromId: null,
    parentThreadId: null,
    preview: facts.preview,
    ephemeral,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode: "paginated",
    modelProvider: settings.modelProvider,
    model: settings.model,
    reasoningEffort: settings.effort,
    createdAt: Math.floor(facts.createdAtMs / 1000),
    updatedAt,
    recencyAt: updatedAt,
    status: facts.status,
    path: null,
    cwd: settings.cwd,
    cliVersion: peerVersion,
    originator,
    source: "vscode",
    canAcceptDirectInput: true,
    threadSource,
    agentNickname: null,
    agentRole: null,
    gitInfo: null,
    name: null,
    daybreakEnabled: null,
    turns: [],
  };
}
