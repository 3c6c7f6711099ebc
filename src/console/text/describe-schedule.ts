/** When a schedule runs, in words for the usual times, and the time that a form has for one run. */
import type { Schedule, ScheduleTime } from "../../protocol/generated/types.ts";
import type { Words } from "./describe-queue.ts";
import { clockTime } from "./time.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Null for a line that has no short description. */
export function describeCron(expression: string): string | null {
  const [minute, hour, day, month, weekday, ...more] = expression.trim().split(/\s+/u);
  if (weekday === undefined || more.length > 0 || day !== "*" || month !== "*") return null;
  if (hour === "*") return weekday === "*" ? describeHourly(minute ?? "") : null;
  if (!isNumber(minute) || !isNumber(hour)) return null;
  const days = describeDays(weekday);
  return days === null ? null : `${days} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

function describeHourly(minute: string): string | null {
  if (minute === "*") return "Every minute";
  const every = /^\*\/(\d+)$/u.exec(minute)?.[1];
  if (every !== undefined) return `Every ${every} minutes`;
  if (!isNumber(minute)) return null;
  return Number(minute) === 0 ? "Every hour" : `Every hour at minute ${Number(minute)}`;
}

function describeDays(weekday: string): string | null {
  if (weekday === "*") return "Every day";
  if (weekday === "1-5") return "Weekdays";
  const name = isNumber(weekday) ? DAYS[Number(weekday) % 7] : undefined;
  return name === undefined ? null : `${name}s`;
}

const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d{1,2}$/u.test(text);

/** The words, and below them the line itself. */
export function describeTime(time: ScheduleTime, nowMs: number): { words: string; line: string | null } {
  if (time.type === "once") return { words: `Once, ${clockTime(time.at, nowMs)}`, line: null };
  const { expression, timeZone } = time;
  return { words: describeCron(expression) ?? "By a cron line", line: `${expression}  ${timeZone}` };
}

export function describeLastRun({ lastRun }: Pick<Schedule, "lastRun">): Words | null {
  switch (lastRun?.status.type) {
    case undefined:
      return null;
    case "starting":
      return { words: "starting", tone: "run", icon: null };
    case "queued":
      return { words: "queued", tone: "ok", icon: "ok" };
    case "failed":
      return { words: "failed", tone: "bad", icon: "x" };
  }
}

export function describeScheduleStatus({ status }: Pick<Schedule, "status">): Words | null {
  switch (status.type) {
    case "active":
      return null;
    case "paused":
      return { words: "paused", tone: "warn", icon: "pause" };
    case "disabled":
      return { words: "switched off by the server", tone: "bad", icon: "x" };
    case "finished":
      return { words: "finished", tone: "", icon: "ok" };
  }
}

/** The value of a field of the type `datetime-local`, in the zone of the browser. */
export function toLocalField(ms: number): string {
  const date = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16);
}

/** In seconds. Null for a field that is not filled in. */
export function fromLocalField(value: string): number | null {
  const ms = new Date(value).getTime();
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}
