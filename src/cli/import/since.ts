// The value of --since: a day, a time, or how long ago.

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Null when the text is none of these. */
export function parseSince(text: string, nowMs: number): number | null {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null;
  // A day alone begins where its user is, not where UTC is.
  const ms = Date.parse(text.length === 10 ? `${text}T00:00:00` : text);
  return Number.isNaN(ms) ? null : ms;
}
