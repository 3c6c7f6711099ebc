/** What is shown and kept of the runs of hooks. */
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
  /** The call that hooks are told of; null where they are told of none. */
  readonly callId: string | null;
}

/** Clients see a run as it begins and as it ends; the thread keeps it once it has ended. */
export function createHookReporter(turn: HookedTurn, options: HookReportOptions): HookReport {
  const { threadId, emit } = options;
  const kept = createSilentReporter(turn, options);
  return {
    started(run) {
      kept.started(run);
      show(turn, run);
      emit("hook/started", { threadId, turnId: turn.id, run });
    },
    completed(run) {
      kept.completed(run);
      emit("hook/completed", { threadId, turnId: turn.id, run });
    },
  };
}

/** Clients do not see it run; the thread keeps it all the same. */
export function createSilentReporter(
  turn: HookedTurn,
  { history, onEvent, callId }: HookReportOptions,
): HookReport {
  return {
    started: (run) => onEvent({ type: "hookBegun", turnId: turn.id, callId, run }),
    completed(run) {
      keep(turn, run, history);
      onEvent({ type: "hookEnded", turnId: turn.id, run });
    },
  };
}

function keep(turn: HookedTurn, run: HookRunSummary, { commits }: ThreadHistory): void {
  commits.append(hookRan(turn.id, abridge(run)));
  show(turn, run);
}

function show(turn: HookedTurn, run: HookRunSummary): void {
  if (turn.state.phase !== "ended") turn.advance({ type: "hookRun", run: abridge(run) });
}

/** Of a long text, what is kept with its turn, which is listed and sent as a whole. */
const MAX_KEPT_CHARACTERS = 4096;

/** The run with the beginnings of its texts: clients that follow it have seen all of them. */
function abridge(run: HookRunSummary): HookRunSummary {
  if (run.entries.every(({ text }) => text.length <= MAX_KEPT_CHARACTERS)) return run;
  const entries = run.entries.map((entry) =>
    entry.text.length <= MAX_KEPT_CHARACTERS
      ? entry
      : { ...entry, text: `${entry.text.slice(0, MAX_KEPT_CHARACTERS)}…` },
  );
  return { ...run, entries };
}
