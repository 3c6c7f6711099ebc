import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { CreditsSnapshot, ResponseItem } from "../../protocol/generated/types.ts";
import type { ContextLog } from "../context/context-log.ts";
import { createTimeReminder, type TimeReminder } from "../context/time-reminder.ts";
import type { Publisher } from "../history/publisher.ts";
import type { RawEvents, TurnOfItems } from "../history/raw-events.ts";
import type { Recorder } from "../history/recorder.ts";
import type { ThreadMemory } from "../history/thread-memory.ts";
import type { UsageCounter } from "../history/usage.ts";
import { createQuestions, type Questions } from "../questions.ts";
import type { Emit } from "../state/events.ts";
import type { ThreadSettings } from "../state/settings.ts";
import type { ThreadOptions } from "../thread-options.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import type { RequestOrigin } from "./model-request.ts";
import type { TurnSetup } from "./turn-setup.ts";
import type { TurnSetups } from "./turn-setups.ts";

/** What the turns of a thread share. */
export interface ThreadCore {
  readonly id: string;
  readonly settings: ThreadSettings;
  /** What the model is told with each request, besides its instructions. */
  readonly history: readonly ResponseItem[];
  readonly context: ContextLog;
  readonly reminder: TimeReminder;
  readonly usage: UsageCounter;
  /** What the provider last said about the account. */
  readonly account: { credits: CreditsSnapshot | null };
  readonly questions: Questions;
  readonly emit: Emit;
  /** The same for what is written down already. */
  readonly tell: Emit;
  /** Whoever makes many notices waits for this before it makes more; null where there is nothing to wait for. */
  readonly pace: () => Promise<void> | null;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  /** What a turn runs with, for the thread's own settings or for others. */
  setup(settings?: ThreadSettings): Promise<TurnSetup>;
  /** What the provider is told about the thread and the turn. */
  origin(turn: ActiveTurn): RequestOrigin;
  readonly recorder: Recorder;
  readonly raw: RawEvents;
  /** Gives items that have no name one of our own, and makes them fit to be kept. */
  name(items: readonly ResponseItem[]): ResponseItem[];
  /** Writes items down that the history will have later. */
  keep(items: readonly ResponseItem[]): void;
  /** Takes items that are written down into the history. */
  remember(turn: TurnOfItems, items: readonly ResponseItem[]): void;
  /** Names items, writes them down and takes them into the history. */
  record(turn: TurnOfItems, items: readonly ResponseItem[]): void;
  /** Puts a short history, whose last word is the summary, in the place of a long one. */
  replaceHistory(items: readonly ResponseItem[], summary: string): void;
  /** The user has said something in this turn. */
  heard(turn: ActiveTurn, message: Message): void;
}

export interface CoreParts {
  readonly options: ThreadOptions;
  readonly memory: ThreadMemory;
  readonly setups: TurnSetups;
  /** Those of the thread now. */
  readonly settings: () => ThreadSettings;
  readonly publisher: Publisher;
  /** A question was asked, or is settled. */
  readonly onQuestion: () => void;
  readonly onHeard: ThreadCore["heard"];
}

export function createThreadCore(parts: CoreParts): ThreadCore {
  const { options, memory, setups, settings, publisher, onQuestion, onHeard } = parts;
  const { emit, tell, pace, caughtUp } = publisher;
  const { id, clock, createId, log, clients } = options;
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
      caughtUp,
      clock,
      timeoutMs: options.firstSetup.answerTimeoutMs,
      onChange: onQuestion,
    }),
    emit,
    tell,
    pace,
    clock,
    createId,
    log,
    setup: (wanted) => setups.of(wanted ?? settings()),
    origin: (turn) => originOf(turn, options, memory),
    name: (items) => memory.name(items),
    keep: (items) => memory.keep(items),
    remember: (turn, items) => memory.remember(turn, items),
    record: (turn, items) => memory.record(turn, items),
    replaceHistory: (items, summary) => memory.replace(items, summary),
    heard: onHeard,
  };
}

function originOf(turn: ActiveTurn, options: ThreadOptions, { window }: ThreadMemory): RequestOrigin {
  const { id, threadSource, installationId, identityHeaders, clock, beginning, forkedFromId } = options;
  return {
    threadId: id,
    turnId: turn.id,
    turnStartedAtMs: turn.state.phase === "running" ? turn.state.startedAtMs : clock.now(),
    threadSource,
    beginning,
    forkedFromId,
    contextWindowId: window.id,
    windowNumber: window.number,
    installationId,
    identityHeaders: identityHeaders(),
    clientMetadata: turn.clientMetadata,
    providerState: turn.providerState,
  };
}
