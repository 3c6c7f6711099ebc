/** Which runs of a due schedule are started, and when it runs next. Always asked from the last scheduled time. */
import type { MissedPolicy } from "../../store/schedules.ts";
import type { CronTimes } from "./cron-times.ts";
import { MAX_MISSED_RUNS, MISSED_AFTER_MS } from "./schedule-limits.ts";

export interface PlannedRuns {
  /** The times that run, oldest first. */
  readonly times: readonly number[];
  /** Null if the schedule has no further run. */
  readonly nextAtMs: number | null;
}

/** The times of a schedule that runs once. */
export const ONCE: CronTimes = { next: () => null, last: (firstMs) => firstMs };

/** `dueAtMs` is the scheduled time that has come, and perhaps others after it. */
export function planScheduledRuns(
  {
    dueAtMs,
    missed,
    times,
  }: { readonly dueAtMs: number; readonly missed: MissedPolicy; readonly times: CronTimes },
  nowMs: number,
): PlannedRuns {
  const last = times.last(dueAtMs, nowMs);
  const nextAtMs = times.next(last);
  switch (missed) {
    case "skip":
      return { times: nowMs - last <= MISSED_AFTER_MS ? [last] : [], nextAtMs };
    case "once":
      return { times: [last], nextAtMs };
    case "all":
      return { times: latest(times, dueAtMs, last), nextAtMs };
  }
}

function latest(times: CronTimes, firstMs: number, lastMs: number): number[] {
  const found = [lastMs];
  for (let at = lastMs; at > firstMs && found.length < MAX_MISSED_RUNS; ) {
    at = times.last(firstMs, at - 1);
    found.unshift(at);
  }
  return found;
}
