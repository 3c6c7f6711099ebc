/** Time zones of the IANA database, and the days in them. */

/** Only names: an offset such as `+02:00` has no daylight saving. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,99}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The day after a day, both as `2026-11-30`. */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** Whether it is a day of the calendar, as `2026-11-30`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns when a day begins in a time zone. */
export function createDayStarts(timeZone: string): (day: string) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  /** How far the clocks of the zone are ahead of UTC. */
  function offsetAt(ms: number): number {
    const parts = format.formatToParts(ms).map(({ type, value }) => [type, Number(value)] as const);
    const {
      year = 0,
      month = 1,
      day = 1,
      hour = 0,
      minute = 0,
      second = 0,
    } = Object.fromEntries(parts) as Partial<Record<string, number>>;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  }
  return (day) => {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const guess = midnight - offsetAt(midnight);
    // Where clocks change between the two, the offset of the day itself counts.
    return midnight - offsetAt(guess);
  };
}
