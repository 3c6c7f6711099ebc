import { createTimeReminder } from "./context/time-reminder.ts";
import type { JournalCommits } from "./history/journal-commits.ts";
import type { Publisher } from "./history/publisher.ts";
import { createRawEvents, NO_RAW_EVENTS } from "./history/raw-events.ts";
import { ThreadHistory } from "./history/thread-history.ts";
import { createQuestions } from "./permissions/questions.ts";
import type { ThreadSettings } from "./state/settings.ts";
import type { ThreadOptions } from "./thread-options.ts";
import type { ActiveTurn } from "./turn/active-turn.ts";
import type { RequestOrigin } from "./turn/model-request.ts";
import type { ThreadCore } from "./turn/thread-core.ts";
import type { TurnSetup } from "./turn/turn-setup.ts";

export interface ThreadCoreParts {
  readonly options: ThreadOptions;
  readonly publisher: Publisher;
  readonly commits: JournalCommits;
  /** Those of the thread now. */
  readonly settings: () => ThreadSettings;
  readonly setup: (settings: ThreadSettings) => Promise<TurnSetup>;
  /** A question was asked, or is settled. */
  readonly onQuestion: () => void;
  readonly onPrompt: ThreadCore["onPrompt"];
}

/** What the turns of a loaded thread share. */
export function createThreadCore(parts: ThreadCoreParts): ThreadCore {
  const { options, publisher, commits, settings, setup, onQuestion, onPrompt } = parts;
  const { id, clock, createId, log, clients, resumed, rawEvents, firstSetup } = options;
  const { emit, notify, pace, caughtUp } = publisher;
  const raw = rawEvents ? createRawEvents(id, emit) : NO_RAW_EVENTS;
  const history = new ThreadHistory({ ...resumed, commits, raw, createId });
  return {
    id,
    get settings() {
      return settings();
    },
    history,
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
    setup: (wanted) => setup(wanted ?? settings()),
    origin: (turn) => originOf(turn, options, history),
    onPrompt,
  };
}

function originOf(turn: ActiveTurn, options: ThreadOptions, { window }: ThreadHistory): RequestOrigin {
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
    ...turn.requestState,
  };
}
