/** Context messages that precede a model request: the environment and the current time. */
import type { Awaitable } from "../../base/awaitable.ts";
import { worldState } from "../../store/lines/thread-lines.ts";
import { currentTimeReminder } from "../../tools/clock/current-time.ts";
import { textMessage } from "../items/response-items.ts";
import { failedWith, type TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { TurnOptions } from "./submission.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** The world-state key of the context that was sent to the model; the prefix avoids keys of other programs. */
export const CONTEXT_KEY = "heddle_context";

/** Records context changes at the beginning of a turn. A non-null outcome ends the turn. */
export async function updateContext(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  { additionalContext }: TurnOptions,
): Promise<TurnOutcome | null> {
  const { time } = setup;
  const reading = time.isInContext ? await readTime(core, turn, setup) : toReading(core.clock.now());
  if (reading.kind === "unknown") return reading.outcome;
  await recordContext(core, turn.id, setup, reading.nowMs);
  core.history.record(turn.id, core.history.context.add(additionalContext));
  return null;
}

/** Records the changed sections of the environment context at a given time. */
export async function recordContext(
  { id: threadId, history, notify }: ThreadCore,
  turnId: string,
  setup: TurnSetup,
  nowMs: number,
): Promise<void> {
  const { sections, skillsWarning } = await setup.context(nowMs);
  const sentSkills = history.context.sent?.rules["skills"];
  const updates = history.context.update(sections);
  if (skillsWarning !== null && sections.rules["skills"] !== sentSkills) {
    notify("warning", { threadId, message: skillsWarning });
  }
  if (updates.length === 0) return;
  history.record(turnId, updates);
  // The sections are stored beside the messages, so that a resumed thread does not send them again.
  history.commits.append(worldState({ [CONTEXT_KEY]: sections }, { full: true }));
}

/** Records a time reminder before a request, where one is due. A non-null outcome ends the turn. */
export function remindOfTime(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Awaitable<TurnOutcome | null> {
  const { reminder } = setup.time;
  return reminder === null ? null : recordTime(core, turn, setup, reminder);
}

async function recordTime(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  reminder: NonNullable<TurnSetup["time"]["reminder"]>,
): Promise<TurnOutcome | null> {
  const reading = await readTime(core, turn, setup);
  if (reading.kind === "unknown") return reading.outcome;
  const { nowMs } = reading;
  const { contextWindowId: windowId } = core.origin(turn);
  if (core.reminder.isDue({ windowId, nowMs, history: core.history.items }, reminder)) {
    core.history.record(turn.id, [textMessage("developer", currentTimeReminder(nowMs))]);
  }
  return null;
}

export type TimeReading =
  | { readonly kind: "read"; readonly nowMs: number }
  | { readonly kind: "unknown"; readonly outcome: Exclude<TurnOutcome, { kind: "completed" }> };

const TIMEOUT_MS = 10_000;

/** Reads the current time; where the client is the clock and does not answer, the turn fails. */
export async function readTime(
  { id: threadId, clock, questions }: Pick<ThreadCore, "id" | "clock" | "questions">,
  turn: Pick<ActiveTurn, "abort">,
  { time }: Pick<TurnSetup, "time">,
): Promise<TimeReading> {
  if (!time.isFromClient) return toReading(clock.now());
  const { signal } = turn.abort;
  const timeout = new AbortController();
  const stopTimer = clock.after(TIMEOUT_MS, () => timeout.abort());
  const answer = await questions.ask(
    "currentTime/read",
    { threadId },
    AbortSignal.any([signal, timeout.signal]),
  );
  stopTimer();
  if (answer.kind === "answered") return toReading(answer.result.currentTimeAt * 1000);
  if (signal.aborted) return { kind: "unknown", outcome: { kind: "interrupted" } };
  return failed(
    answer.kind === "unanswered" ? `failed: ${answer.reason}` : `timed out after ${TIMEOUT_MS / 1000}s`,
  );
}

function toReading(nowMs: number): TimeReading {
  return { kind: "read", nowMs };
}

function failed(reason: string): TimeReading {
  const message = `Fatal error: failed to read current time: current-time request ${reason}`;
  return { kind: "unknown", outcome: failedWith(message) };
}
