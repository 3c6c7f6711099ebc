import { currentTimeReminder } from "../../tools/clock/current-time.ts";
import { textMessage } from "../items/text-message.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { readTime } from "./read-time.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnOutcome } from "./turn-outcome.ts";
import type { TurnSetup } from "./turn-setup.ts";

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
  if (core.reminder.isDue({ windowId, nowMs, history: core.history }, reminder)) {
    core.record(turn, [textMessage("developer", currentTimeReminder(nowMs))]);
  }
  return null;
}
