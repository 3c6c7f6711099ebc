/** Times, ages and amounts as people read them. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a time in seconds was. */
export function ageOf(atSeconds: number, nowMs: number): string {
  const seconds = Math.max(0, Math.floor(nowMs / 1000 - atSeconds));
  if (seconds < MINUTE) return "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** The time of day, with the date where it is not today. */
export function clockTime(atSeconds: number, nowMs: number): string {
  const date = new Date(atSeconds * 1000);
  const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${date.toLocaleDateString(undefined, { month: "short", day: "numeric" })}, ${time}`;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < MINUTE) return `${Math.round(seconds)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${Math.round(seconds % MINUTE)} s`;
  return `${Math.floor(seconds / HOUR)} h ${Math.round((seconds % HOUR) / MINUTE)} min`;
}

/** 1234567 as `1.2M`. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  const isMillions = count >= 999_500;
  const value = count / (isMillions ? 1_000_000 : 1000);
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/u, "") : Math.round(value)}${isMillions ? "M" : "k"}`;
}

/** A path with the home folder as `~`. */
export function withTilde(path: string, home: string | null): string {
  return home !== null && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}
