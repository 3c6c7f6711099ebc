/** Reports hook runs to clients, to the journal and to the turn's state. */
import type { HookReport } from "../../hooks/run/run-hooks.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { hookRan } from "../../store/lines/thread-lines.ts";
import type { ThreadHistory } from "../history/thread-history.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { TurnState, TurnStateEvent } from "../state/turn-state.ts";

/** The turn that hooks run in. */
export interface HookedTurn {
  readonly id: string;
  readonly abort: AbortController;
  readonly state: TurnState;
  advance(event: Extract<TurnStateEvent, { type: "hookRun" | "stop" }>): void;
}

export interface HookReportOptions {
  readonly threadId: string;
  readonly history: ThreadHistory;
  readonly emit: Emit;
  readonly onEvent: OnThreadEvent;
  /** The tool call that the hooks are about; null for other events. */
  readonly callId: string | null;
}

/** Notifies clients when a run starts and ends; an ended run is also stored. */
export function createHookReporter(turn: HookedTurn, options: HookReportOptions): HookReport {
  const { threadId, emit } = options;
  const silent = createSilentReporter(turn, options);
  return {
    started(run) {
      silent.started(run);
      updateTurn(turn, run);
      emit("hook/started", { threadId, turnId: turn.id, run });
    },
    completed(run) {
      silent.completed(run);
      emit("hook/completed", { threadId, turnId: turn.id, run });
    },
  };
}

/** Stores an ended run, and sends clients no notifications. */
export function createSilentReporter(
  turn: HookedTurn,
  { history, onEvent, callId }: HookReportOptions,
): HookReport {
  return {
    started: (run) => onEvent({ type: "hookBegun", turnId: turn.id, callId, run }),
    completed(run) {
      store(turn, run, history);
      onEvent({ type: "hookEnded", turnId: turn.id, run });
    },
  };
}

function store(turn: HookedTurn, run: HookRunSummary, { commits }: ThreadHistory): void {
  commits.append(hookRan(turn.id, truncateTexts(run)));
  updateTurn(turn, run);
}

function updateTurn(turn: HookedTurn, run: HookRunSummary): void {
  if (turn.state.phase !== "ended") turn.advance({ type: "hookRun", run: truncateTexts(run) });
}

/** The limit of a stored text, because a turn is listed and sent as a whole. */
const MAX_STORED_CHARACTERS = 4096;

/** Truncates the texts of a run; clients have received them whole in `hook/completed`. */
function truncateTexts(run: HookRunSummary): HookRunSummary {
  if (run.entries.every(({ text }) => text.length <= MAX_STORED_CHARACTERS)) return run;
  const entries = run.entries.map((entry) =>
    entry.text.length <= MAX_STORED_CHARACTERS
      ? entry
      : { ...entry, text: `${entry.text.slice(0, MAX_STORED_CHARACTERS)}…` },
  );
  return { ...run, entries };
}
