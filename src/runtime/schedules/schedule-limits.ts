/** Limits of schedules. */

/** Schedules of a home, the paused and finished ones included. */
export const MAX_SCHEDULES = 1000;
/** The JSON of a schedule, with its input and the params of its new threads. */
export const MAX_SCHEDULE_BYTES = 64 * 1024;
export const MAX_CRON_LENGTH = 200;
export const MAX_SCHEDULE_NAME = 200;
/** A run that starts later than this after its time is a missed one. */
export const MISSED_AFTER_MS = 60_000;
/** Missed runs that are caught up with `all`: the latest ones. */
export const MAX_MISSED_RUNS = 24;
