/** Limits failed attempts to guess a secret, for each caller and for all of them together. */

export interface AttemptLimit {
  /** How many seconds a caller has to wait; null if it may try now. */
  refuse(address: string): number | null;
  failed(address: string): void;
  /** Takes back a failure that was counted before the outcome was known. */
  succeeded(address: string): void;
}

export const MAX_FAILURES = 5;
export const MAX_TOTAL_FAILURES = 60;
export const FAILURE_WINDOW_MS = 60_000;

interface FailureCount {
  readonly endsAt: number;
  failures: number;
}

/** `now` is monotonic. At most as many callers are counted as failures are allowed within one window. */
export function createAttemptLimit(now: () => number): AttemptLimit {
  const byAddress = new Map<string, FailureCount>();
  let total: FailureCount = { endsAt: 0, failures: 0 };

  function current(count: FailureCount | undefined): FailureCount {
    return count !== undefined && count.endsAt > now()
      ? count
      : { endsAt: now() + FAILURE_WINDOW_MS, failures: 0 };
  }

  return {
    refuse(address) {
      const own = byAddress.get(address);
      const reached = [
        ...(own !== undefined && own.failures >= MAX_FAILURES ? [own] : []),
        ...(total.failures >= MAX_TOTAL_FAILURES ? [total] : []),
      ].filter(({ endsAt }) => endsAt > now());
      if (reached.length === 0) return null;
      return Math.ceil((Math.max(...reached.map(({ endsAt }) => endsAt)) - now()) / 1000);
    },
    failed(address) {
      for (const [other, { endsAt }] of byAddress) if (endsAt <= now()) byAddress.delete(other);
      total = current(total);
      total.failures += 1;
      const own = current(byAddress.get(address));
      own.failures += 1;
      byAddress.set(address, own);
    },
    succeeded(address) {
      for (const count of [total, byAddress.get(address)])
        if (count !== undefined && count.failures > 0) count.failures -= 1;
    },
  };
}
