const FIRST_MS = 200;

/** The wait before the nth try: it doubles each time and is spread by a tenth, so that clients do not return together. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.floor(FIRST_MS * 2 ** (attempt - 1) * (0.9 + 0.2 * random()));
}
