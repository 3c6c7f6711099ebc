/** Renders schedules for people. */
import { inputPreview } from "../../engine/input/user-message.ts";
import type { Schedule, ScheduleRun } from "../../protocol/generated/types.ts";
import type { Paint } from "../command-line/paint.ts";
import { clip } from "../command-line/terminal-text.ts";

const MAX_TEXT_LENGTH = 100;
const MAX_REASON_LENGTH = 300;

/** The text of a schedule, its time and place, and its last and next runs. */
export function renderSchedule(schedule: Schedule, paint: Paint): string {
  const { id, name, input, missedRuns, lastRun } = schedule;
  const text = clip((inputPreview(input) ?? "").split("\n", 1)[0] ?? "", MAX_TEXT_LENGTH);
  const title = name === null ? text : `${clip(name, MAX_TEXT_LENGTH)}: ${text}`;
  const lines = [
    `${id}  ${renderStatus(schedule, paint)}  ${title}`,
    `  ${renderTime(schedule)}, ${renderTarget(schedule)}; missed runs: ${missedRuns}`,
    ...(lastRun === null ? [] : [`  last run ${renderRun(lastRun)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function renderStatus({ status, nextRunAt }: Schedule, paint: Paint): string {
  switch (status.type) {
    case "active":
      return paint.good(nextRunAt === null ? "active" : `next ${toText(nextRunAt)}`);
    case "disabled":
      return paint.bad(`disabled: ${clip(status.reason, MAX_REASON_LENGTH)}`);
    default:
      return paint.faint(status.type);
  }
}

function renderTime({ schedule }: Schedule): string {
  if (schedule.type === "once") return `once at ${toText(schedule.at)}`;
  return `${clip(schedule.expression, MAX_TEXT_LENGTH)} in ${clip(schedule.timeZone, MAX_TEXT_LENGTH)}`;
}

function renderTarget({ target }: Schedule): string {
  if (target.type === "thread") return `in thread ${target.threadId}`;
  const { cwd } = target.threadStartParams;
  return cwd == null ? "in a new thread" : `in a new thread in ${clip(cwd, MAX_TEXT_LENGTH)}`;
}

/** When it was, in which thread, and what became of it. */
export function renderRun({ scheduledAt, threadId, status }: ScheduleRun): string {
  const what =
    status.type === "failed"
      ? `failed: ${clip(status.message, MAX_REASON_LENGTH)}`
      : status.type === "queued"
        ? `queued as ${status.queuedTurnId}`
        : "is starting";
  return `${toText(scheduledAt)} in thread ${threadId}: ${what}`;
}

const toText = (seconds: number): string => new Date(seconds * 1000).toISOString();
