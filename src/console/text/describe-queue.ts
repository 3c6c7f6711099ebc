/** Turns that wait, and why they wait, in words. */
import type { QueuedTurn, QueueHold, UserInput } from "../../protocol/generated/types.ts";
import type { IconName } from "../ui/icon.tsx";
import { clockTime } from "./time.ts";

export interface Words {
  readonly words: string;
  readonly tone: "" | "ok" | "warn" | "bad" | "run";
  readonly icon: IconName | null;
}

/** Why the first turn of a queue does not start. Null where it is about to. */
export function describeHold(hold: QueueHold | null, nowMs: number): Words | null {
  switch (hold?.type) {
    case undefined:
      return null;
    case "question":
      return { words: "The running turn waits for an answer", tone: "warn", icon: "warn" };
    case "usageLimit":
      return {
        words: `Waits for the usage limit until ${clockTime(hold.until, nowMs)}`,
        tone: "warn",
        icon: "clock",
      };
    case "paused":
      return {
        words: hold.reason === "" ? "Paused" : `Paused: ${hold.reason}`,
        tone: "warn",
        icon: "pause",
      };
    case "failed":
      return { words: "Blocked by its first turn", tone: "bad", icon: "x" };
    case "notBefore":
      return { words: `Starts at ${clockTime(hold.notBefore, nowMs)}`, tone: "", icon: "clock" };
    case "turn":
      return { words: "A turn runs", tone: "run", icon: null };
    case "elsewhere":
      return { words: "Another process holds the thread", tone: "warn", icon: "off" };
    case "noServer":
      return { words: "No server starts turns by itself", tone: "warn", icon: "off" };
  }
}

/** The state of the turn at a place of the queue. */
export function describeQueuedTurn(
  { status, notBefore }: Pick<QueuedTurn, "status" | "notBefore">,
  at: number,
  hold: QueueHold | null,
  nowMs: number,
): Words {
  if (status.type === "failed") return { words: "failed to start", tone: "bad", icon: "x" };
  if (notBefore !== undefined && notBefore * 1000 > nowMs)
    return { words: `not before ${clockTime(notBefore, nowMs)}`, tone: "", icon: "clock" };
  if (hold?.type === "paused") return { words: "paused", tone: "", icon: null };
  if (at === 0) return { words: "next", tone: "", icon: null };
  return { words: hold?.type === "failed" ? "waits for the first" : "waits", tone: "", icon: null };
}

const SOURCES = { event: "an event", schedule: "a schedule" } as const;

export const describeAdder = ({ source, sentBy }: Pick<QueuedTurn, "source" | "sentBy">): string =>
  sentBy ?? (source === undefined ? "a client" : SOURCES[source]);

/** The text of an input, and the number of its other parts. */
export function inputText(input: readonly UserInput[]): string {
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text.trim()] : []));
  const others = input.length - texts.length;
  if (others > 0) texts.push(`${others} ${others === 1 ? "attachment" : "attachments"}`);
  return texts.join("\n");
}

/** The ids with one of them at another place. */
export function moved(ids: readonly string[], id: string, to: number): readonly string[] {
  const others = ids.filter((each) => each !== id);
  if (others.length === ids.length) return ids;
  return others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, id);
}
