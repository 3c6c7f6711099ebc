/** When a failed delivery is attempted again. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The schedule of Standard Webhooks. The outbox abandons what would come after its time. */
export const RETRY_DELAYS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** Up to this share is added to a delay, so that endpoints that failed together are not called together. */
export const JITTER = 0.1;

/** `attempts` have been made; `retryAfter` is the header of the last response. */
export function retryDelayMs(
  attempts: number,
  retryAfter: string | null,
  { now, random }: { readonly now: number; readonly random: () => number },
): number {
  const scheduled = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0];
  const jittered = Math.round(scheduled * (1 + JITTER * random()));
  return Math.max(jittered, readRetryAfter(retryAfter, now));
}

/** Seconds or a date; 0 for anything else. */
function readRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d{1,9}$/u.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
