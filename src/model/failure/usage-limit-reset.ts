/** When an exhausted usage limit ends, as far as the provider says. */
import { type HttpHeaders, headerOf } from "../provider-input.ts";
import type { ProviderError } from "./provider-error.ts";

/** Providers have limits of hours, of a week and of a month; a later time is an error. */
export const MAX_RESET_MS = 40 * 24 * 60 * 60 * 1000;

const USED = /^(x-.+-(?:primary|secondary))-used-percent$/;
const FULL_PERCENT = 100;

/** The time in the error of the body, or else that of the exhausted windows in the headers; null where none is named. */
export function readReset(error: ProviderError | null, headers: HttpHeaders, nowMs: number): number | null {
  const { resetsAt = null, resetsInSeconds = null } = error ?? {};
  if (resetsAt !== null) return plausible(resetsAt * 1000, nowMs);
  if (resetsInSeconds !== null) return plausible(nowMs + resetsInSeconds * 1000, nowMs);
  const resets = Object.keys(headers).flatMap((name) => {
    const window = USED.exec(name)?.[1];
    if (window === undefined || !(numberIn(headers, name) >= FULL_PERCENT)) return [];
    const resetAt = numberIn(headers, `${window}-reset-at`);
    return resetAt > 0 ? [resetAt * 1000] : [];
  });
  return resets.length === 0 ? null : plausible(Math.max(...resets), nowMs);
}

function numberIn(headers: HttpHeaders, name: string): number {
  return Number(headerOf(headers, name)?.trim() || Number.NaN);
}

/** A time that has passed is now: the limit has ended since, or the provider's clock is behind. */
function plausible(atMs: number, nowMs: number): number | null {
  if (!Number.isFinite(atMs) || atMs > nowMs + MAX_RESET_MS) return null;
  return Math.max(atMs, nowMs);
}
