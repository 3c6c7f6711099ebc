/**
 * The times of a cron line in a time zone. The library only calculates: it gets no callback, sets no timer, and is
 * loaded when the first line is read. Where clocks go forward, a time that does not exist runs once, right after the
 * gap; where they go back, a time of day that comes twice runs once, and hourly lines run in each real hour.
 */
import { messageOf } from "../../base/errors.ts";
import { isRefusal } from "../../base/refusal.ts";
import { isTimeZone } from "../../base/time-zone.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { MAX_CRON_LENGTH } from "./schedule-limits.ts";

export interface CronTimes {
  /** The first time after this one; null if there is none. */
  next(afterMs: number): number | null;
  /** The last time from `firstMs`, which is one of its times, until `untilMs`. */
  last(firstMs: number, untilMs: number): number;
}

const MINUTE_MS = 60_000;
const FIELDS = 5;

/** Refuses a malformed line, one with seconds, an unknown zone, and a line that never runs after `nowMs`. */
export async function readCron(
  { expression, timeZone }: { readonly expression: string; readonly timeZone: string },
  nowMs: number,
): Promise<CronTimes | ThreadRefusal> {
  const fields = expression.trim().split(/\s+/u);
  if (expression.length > MAX_CRON_LENGTH)
    return refuseInvalid(`the cron line is too long: it may have ${MAX_CRON_LENGTH} characters`);
  if (fields.length !== FIELDS)
    return refuseInvalid(
      `the cron line \`${expression}\` has ${count(fields)}: it needs five, minute, hour, day of month, month and day of week`,
    );
  if (!isTimeZone(timeZone))
    return refuseInvalid(
      `unknown time zone \`${timeZone}\`: name one of the IANA database, as Europe/Berlin`,
    );
  const times = await openTimes(fields.join(" "), timeZone);
  if (isRefusal(times)) return times;
  if (times.next(nowMs) === null)
    return refuseInvalid(`the cron line \`${expression}\` never runs: no date matches its day and its month`);
  return times;
}

async function openTimes(line: string, timeZone: string): Promise<CronTimes | ThreadRefusal> {
  const { Cron } = await import("croner");
  try {
    const cron = new Cron(line, { timezone: timeZone, paused: true, mode: "5-part" });
    const next = (afterMs: number): number | null => cron.nextRun(new Date(afterMs))?.getTime() ?? null;
    return { next, last: (firstMs, untilMs) => findLast(next, firstMs, untilMs) };
  } catch (error) {
    return refuseInvalid(`the cron line \`${line}\` is not valid: ${messageOf(error)}`);
  }
}

/**
 * By bisection, because a server may have been down for a year: from the last time on, and from no earlier minute, the
 * next time is after `untilMs`.
 */
function findLast(next: CronTimes["next"], firstMs: number, untilMs: number): number {
  let before = 0;
  let from = Math.floor((untilMs - firstMs) / MINUTE_MS);
  while (before < from) {
    const middle = Math.floor((before + from) / 2);
    if ((next(firstMs + middle * MINUTE_MS) ?? Infinity) > untilMs) from = middle;
    else before = middle + 1;
  }
  return firstMs + from * MINUTE_MS;
}

function count(fields: readonly string[]): string {
  const given = fields[0] === "" ? 0 : fields.length;
  return given === 1 ? "one field" : `${given} fields`;
}
