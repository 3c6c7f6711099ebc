/** The state of a thread in words, and its icon. */
import { openOf } from "../state/inbox.ts";
import type { ThreadRow } from "../state/threads.ts";
import { wordsOfQuestion } from "../text/describe-question.ts";
import { clockTime } from "../text/time.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

interface StateWords {
  readonly icon: IconName | "spin";
  readonly tone: string;
  readonly words: string;
}

export function describeState(row: ThreadRow, nowMs: number): StateWords {
  const [question] = openOf(row.id);
  if (question !== undefined)
    return { icon: "warn", tone: "fg-warn", words: `Asks: ${wordsOfQuestion(question).short}` };
  if (row.waiting?.reason === "usageLimit")
    return {
      icon: "clock",
      tone: "dimmer",
      words: `Waits for the usage limit until ${clockTime(row.waiting.until, nowMs)}`,
    };
  if (row.status.type === "active") {
    if (row.status.activeFlags.length > 0) return { icon: "warn", tone: "fg-warn", words: "Asks somebody" };
    return { icon: "spin", tone: "fg-run", words: "Runs" };
  }
  const hasFailed = row.lastTurnStatus === "failed";
  if (row.status.type === "systemError")
    return { icon: "x", tone: "fg-bad", words: hasFailed ? "Failed" : "The thread cannot go on" };
  if ((row.queueLength ?? 0) > 0)
    return { icon: "pause", tone: "dimmer", words: `${row.queueLength} queued` };
  if (hasFailed) return { icon: "x", tone: "fg-bad", words: "Failed" };
  if (row.lastTurnStatus === "interrupted") return { icon: "stop", tone: "dimmer", words: "Interrupted" };
  return { icon: "ok", tone: row.status.type === "idle" ? "fg-ok" : "dimmer", words: "Done" };
}

export function StateIcon({ state }: { state: StateWords }) {
  return state.icon === "spin" ? (
    <span class={`spin ${state.tone}`} role="img" aria-label="Running" />
  ) : (
    <Icon name={state.icon} tone={state.tone} />
  );
}
