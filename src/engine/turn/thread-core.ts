import type { Awaitable } from "../../base/awaitable.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { CreditsSnapshot } from "../../protocol/generated/types.ts";
import { createTimeReminder, type TimeReminder } from "../context/time-reminder.ts";
import type { JournalCommits } from "../history/journal-commits.ts";
import { createRawEvents, NO_RAW_EVENTS, type Publisher } from "../history/publisher.ts";
import { ThreadHistory, type ThreadHistoryOptions } from "../history/thread-history.ts";
import type { HookPorts } from "../hooks/run-configured.ts";
import { createPendingStart, type PendingStart, type SessionStartSource } from "../hooks/session-hooks.ts";
import { createThreadHooks, type ThreadHooks } from "../hooks/thread-hooks.ts";
import { type Clients, createQuestions, type Questions } from "../permissions/questions.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { SpawnedAgent } from "../state/spawned-agent.ts";
import { rootTurnIdOf } from "../state/turn-origin.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { createReusedParts, type RequestOrigin, type ReusedParts } from "./model-request.ts";
import type { UserMessage } from "./submission.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** The state and ports that the turns of a thread share. */
export interface ThreadCore {
  readonly id: string;
  /** The root thread of the family; the thread itself unless it was spawned. */
  readonly sessionId: string;
  readonly settings: ThreadSettings;
  readonly history: ThreadHistory;
  readonly reusedParts: ReusedParts;
  readonly reminder: TimeReminder;
  /** The credits that the provider last reported. */
  readonly account: { credits: CreditsSnapshot | null };
  readonly questions: Questions;
  readonly hooks: ThreadHooks;
  readonly sessionStart: PendingStart;
  /** Notifies clients, and appends completed items to the journal. */
  readonly emit: Emit;
  /** Notifies clients of what is already in the journal. */
  readonly notify: Emit;
  /** Backpressure for producers of many notices; null while there is no need to wait. */
  readonly pace: () => Promise<void> | null;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly onEvent: OnThreadEvent;
  /** The turn setup for given settings, or else for those of the thread. */
  setup(settings?: ThreadSettings): Awaitable<TurnSetup>;
  origin(turn: ActiveTurn): RequestOrigin;
  /** Called when a user message has entered the history. */
  onPrompt(turn: ActiveTurn, message: UserMessage): void;
}

/** The thread options that turns depend on. */
export interface ThreadCoreOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly onEvent: OnThreadEvent;
  readonly clients: Clients;
  /** The setup for the initial settings, created by the caller. */
  readonly firstSetup: TurnSetup;
  /** Whether clients also receive each history item in the provider's format. */
  readonly rawEvents: boolean;
  /** The stored state; null for a new thread. */
  readonly resumed: Pick<ThreadHistoryOptions, "recall" | "usage" | "usageTurnId"> | null;
  readonly threadSource: string | null;
  readonly forkedFromId: string | null;
  /** Null for a thread that a user started. */
  readonly agent: SpawnedAgent | null;
  readonly beginning: RequestOrigin["beginning"];
  readonly installationId: string;
  readonly identityHeaders: () => Readonly<Record<string, string>>;
  readonly hooks: HookPorts;
  /** The rollout path that hooks receive; null for a thread without a file. */
  readonly transcriptPath: () => string | null;
}

/** The core of a thread, whose settings the thread changes. */
export type OwnCore = ThreadCore & { settings: ThreadSettings };

export interface ThreadCoreParts {
  readonly options: ThreadCoreOptions;
  readonly publisher: Publisher;
  readonly commits: JournalCommits;
  readonly settings: ThreadSettings;
  readonly setup: (settings: ThreadSettings) => Awaitable<TurnSetup>;
  /** Called when a question is asked or resolved. */
  readonly onQuestion: () => void;
  readonly onPrompt: ThreadCore["onPrompt"];
}

const SESSION_SOURCES: Readonly<Record<RequestOrigin["beginning"], SessionStartSource>> = {
  new: "startup",
  cold_resume: "resume",
  warm_fork: "fork",
};

export function createThreadCore(parts: ThreadCoreParts): OwnCore {
  const { options, publisher, commits, setup, onQuestion, onPrompt } = parts;
  const { id, clock, createId, log, onEvent, clients, resumed, rawEvents, firstSetup } = options;
  const { emit, notify, pace, whenFlushed } = publisher;
  const raw = rawEvents ? createRawEvents(id, emit) : NO_RAW_EVENTS;
  const history = new ThreadHistory({ ...resumed, commits, raw, createId });
  const { hooks: ports, transcriptPath, beginning } = options;
  const core: OwnCore = {
    id,
    sessionId: options.agent?.sessionId ?? id,
    settings: parts.settings,
    history,
    reusedParts: createReusedParts(),
    hooks: createThreadHooks({
      threadId: id,
      ports,
      settings: () => core.settings,
      transcriptPath,
      history,
      emit,
      clock,
      createId,
      log,
      onEvent,
    }),
    sessionStart: createPendingStart(SESSION_SOURCES[beginning]),
    reminder: createTimeReminder(),
    account: { credits: null },
    questions: createQuestions({
      threadId: id,
      clients,
      emit,
      whenFlushed,
      clock,
      timeoutMs: firstSetup.answerTimeoutMs,
      onChange: onQuestion,
    }),
    emit,
    notify,
    pace,
    clock,
    createId,
    log,
    onEvent,
    setup: (requested) => setup(requested ?? core.settings),
    origin: (turn) => originOf(turn, options, history),
    onPrompt,
  };
  return core;
}

/** The core of one turn, which fixes the current settings for as long as it runs. */
export function forTurn(core: ThreadCore): ThreadCore {
  const { settings } = core;
  return {
    ...core,
    settings,
    hooks: core.hooks.under(settings),
    setup: (requested) => core.setup(requested ?? settings),
  };
}

function originOf(turn: ActiveTurn, options: ThreadCoreOptions, { window }: ThreadHistory): RequestOrigin {
  const { id, agent, threadSource, installationId, identityHeaders, clock, beginning, forkedFromId } =
    options;
  return {
    threadId: id,
    turnId: turn.id,
    rootTurnId: rootTurnIdOf(turn),
    parentTurnId: turn.origin.parentTurnId,
    agent,
    turnStartedAtMs: turn.state.phase === "running" ? turn.state.startedAtMs : clock.now(),
    threadSource,
    beginning,
    forkedFromId,
    contextWindowId: window.id,
    windowNumber: window.number,
    installationId,
    identityHeaders: identityHeaders(),
    ...turn.requestState,
  };
}
