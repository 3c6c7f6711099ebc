/** Limits how often a token, or the hooks of a thread, may wake: a bucket that refills evenly. */
import type { Clock } from "../../base/clock.ts";
import { MAX_COUNTED_TOKENS, MAX_WAKES_PER_MINUTE } from "./wake-limits.ts";

export interface WakeRate {
  /** Takes one use; the milliseconds to wait where there is none left, else 0. */
  take(user: string): number;
}

interface Bucket {
  readonly left: number;
  readonly atMs: number;
}

const REFILL_MS = 60_000 / MAX_WAKES_PER_MINUTE;

export function createWakeRate(clock: Pick<Clock, "monotonic">): WakeRate {
  /** In the order of the last use. */
  const buckets = new Map<string, Bucket>();
  return {
    take(user) {
      const now = clock.monotonic();
      const { left, atMs } = buckets.get(user) ?? { left: MAX_WAKES_PER_MINUTE, atMs: now };
      const filled = Math.min(MAX_WAKES_PER_MINUTE, left + (now - atMs) / REFILL_MS);
      const rest = filled < 1 ? filled : filled - 1;
      buckets.delete(user);
      buckets.set(user, { left: rest, atMs: now });
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_COUNTED_TOKENS && oldest !== undefined) buckets.delete(oldest);
      return filled < 1 ? (1 - filled) * REFILL_MS : 0;
    },
  };
}
