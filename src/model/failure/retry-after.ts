const LONGEST_MS = 24 * 60 * 60 * 1000;

/** The wait that a `retry-after` header asks for: whole seconds or a date. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_MS);
}

/** Only the form with a weekday, which no broken number can be taken for. */
function dateOf(text: string): number {
  return /^[a-z]{3}, /i.test(text) ? Date.parse(text) : Number.NaN;
}
