import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { CreditsSnapshot } from "../../protocol/generated/types.ts";
import { createTimeReminder, type TimeReminder } from "../context/time-reminder.ts";
import type { JournalCommits } from "../history/journal-commits.ts";
import { createRawEvents, NO_RAW_EVENTS, type Publisher } from "../history/publisher.ts";
import { ThreadHistory, type ThreadHistoryOptions } from "../history/thread-history.ts";
import { createPendingStart, type PendingStart, type SessionSource } from "../hooks/session-hooks.ts";
import { createThreadHooks, type HookPorts, type ThreadHooks } from "../hooks/thread-hooks.ts";
import { type Clients, createQuestions, type Questions } from "../permissions/questions.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { SpawnedAgent } from "../state/spawned-agent.ts";
import { rootTurnIdOf } from "../state/turn-origin.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { RequestOrigin } from "./model-request.ts";
import type { UserMessage } from "./submission.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** What the turns of a thread share. */
export interface ThreadCore {
  readonly id: string;
  /** The first thread of its family; itself unless it was spawned. */
  readonly sessionId: string;
  readonly settings: ThreadSettings;
  readonly history: ThreadHistory;
  readonly reminder: TimeReminder;
  /** What the provider last said about the account. */
  readonly account: { credits: CreditsSnapshot | null };
  readonly questions: Questions;
  readonly hooks: ThreadHooks;
  readonly sessionStart: PendingStart;
  /** Notifies clients, and appends to the journal what is shown as finished. */
  readonly emit: Emit;
  /** The same for what is in the journal already. */
  readonly notify: Emit;
  /** Whoever makes many notices waits for this before it makes more; null where there is nothing to wait for. */
  readonly pace: () => Promise<void> | null;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  /** Tells the rest of the server what happens. */
  readonly onEvent: OnThreadEvent;
  /** What a turn runs with, for the thread's own settings or for others. */
  setup(settings?: ThreadSettings): Promise<TurnSetup>;
  /** What the provider is told about the thread and the turn. */
  origin(turn: ActiveTurn): RequestOrigin;
  /** A message of the user has entered the history in this turn. */
  onPrompt(turn: ActiveTurn, message: UserMessage): void;
}

/** What a thread is made from, as far as its turns need it. */
export interface ThreadCoreOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly onEvent: OnThreadEvent;
  readonly clients: Clients;
  /** What turns run with under the first settings, which the caller has made already. */
  readonly firstSetup: TurnSetup;
  /** Clients are also notified of each item of the history as the provider knows it. */
  readonly rawEvents: boolean;
  /** What it knew when it was last loaded; null for a new thread. */
  readonly resumed: Pick<ThreadHistoryOptions, "recall" | "usage" | "usageTurnId"> | null;
  readonly threadSource: string | null;
  readonly forkedFromId: string | null;
  /** Null for a thread of a user. */
  readonly agent: SpawnedAgent | null;
  readonly beginning: RequestOrigin["beginning"];
  readonly installationId: string;
  readonly identityHeaders: () => Readonly<Record<string, string>>;
  readonly hooks: HookPorts;
  /** The file of its history, as programs are told of it; null for a thread that keeps none. */
  readonly transcriptPath: () => string | null;
}

export interface ThreadCoreParts {
  readonly options: ThreadCoreOptions;
  readonly publisher: Publisher;
  readonly commits: JournalCommits;
  /** Those of the thread now. */
  readonly settings: () => ThreadSettings;
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
  /** A question was asked, or is settled. */
  readonly onQuestion: () => void;
  readonly onPrompt: ThreadCore["onPrompt"];
}

const SESSION_SOURCES: Readonly<Record<RequestOrigin["beginning"], SessionSource>> = {
  new: "startup",
  cold_resume: "resume",
  warm_fork: "fork",
};

export function createThreadCore(parts: ThreadCoreParts): ThreadCore {
  const { options, publisher, commits, settings, setup, onQuestion, onPrompt } = parts;
  const { id, clock, createId, log, onEvent, clients, resumed, rawEvents, firstSetup } = options;
  const { emit, notify, pace, caughtUp } = publisher;
  const raw = rawEvents ? createRawEvents(id, emit) : NO_RAW_EVENTS;
  const history = new ThreadHistory({ ...resumed, commits, raw, createId });
  const { hooks: ports, transcriptPath, beginning } = options;
  return {
    id,
    sessionId: options.agent?.sessionId ?? id,
    get settings() {
      return settings();
    },
    history,
    hooks: createThreadHooks({
      threadId: id,
      ports,
      settings,
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
      caughtUp,
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
    setup: (wanted) => setup(wanted ?? settings()),
    origin: (turn) => originOf(turn, options, history),
    onPrompt,
  };
}

/** The thread as a turn sees it: with the settings that it has now, whatever becomes of them later. */
export function forTurn(core: ThreadCore): ThreadCore {
  const { settings } = core;
  return {
    ...core,
    settings,
    hooks: core.hooks.under(settings),
    setup: (wanted) => core.setup(wanted ?? settings),
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
