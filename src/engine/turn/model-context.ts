/** What the model is told before it is asked: about the place it works in, and what time it is. */
import { worldState } from "../../store/lines/thread-lines.ts";
import { currentTimeReminder } from "../../tools/clock/current-time.ts";
import { textMessage } from "../items/response-items.ts";
import { failedWith, type TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { TurnOptions } from "./submission.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** Under this name, which belongs to no other program, the journal keeps what the model was told. */
export const CONTEXT_KEY = "heddle_context";

/** Brings the model up to date at the beginning of a turn. Anything but null ends the turn. */
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

/** Records what is new about the place that the model works in, as it is at a time. */
export async function recordContext(
  { id: threadId, history, notify }: ThreadCore,
  turnId: string,
  setup: TurnSetup,
  nowMs: number,
): Promise<void> {
  const { sections, skillsWarning } = await setup.context(nowMs);
  const knownSkills = history.context.told?.rules["skills"];
  const updates = history.context.update(sections);
  if (skillsWarning !== null && sections.rules["skills"] !== knownSkills) {
    notify("warning", { threadId, message: skillsWarning });
  }
  if (updates.length === 0) return;
  history.record(turnId, updates);
  // What was told is kept beside it, so that a resumed thread is not told again.
  history.commits.append(worldState({ [CONTEXT_KEY]: sections }, { full: true }));
}

/** Tells the model the time before a request, where it is due. Anything but null ends the turn. */
export async function remindOfTime(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<TurnOutcome | null> {
  const { reminder } = setup.time;
  if (reminder === null) return null;
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

/** What time it is for the model; where the client is to say it and does not, the turn cannot go on. */
export async function readTime(
  { id: threadId, clock, questions }: Pick<ThreadCore, "id" | "clock" | "questions">,
  turn: Pick<ActiveTurn, "abort">,
  { time }: Pick<TurnSetup, "time">,
): Promise<TimeReading> {
  if (!time.isFromClient) return toReading(clock.now());
  const { signal } = turn.abort;
  const limit = new AbortController();
  const stopTimer = clock.after(TIMEOUT_MS, () => limit.abort());
  const answer = await questions.ask(
    "currentTime/read",
    { threadId },
    AbortSignal.any([signal, limit.signal]),
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
