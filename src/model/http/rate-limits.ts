/** Parses the account's rate limits from response headers. */
import type { CreditsSnapshot, RateLimitSnapshot, RateLimitWindow } from "../../protocol/generated/types.ts";
import { type HttpHeaders, headerOf } from "../provider-input.ts";

const MAIN = "codex";
const FAMILY = /^x-(.+)-primary-used-percent$/;

/** Always the main limit, then the provider's further limits in the order of their ids. */
export function parseRateLimits(headers: HttpHeaders): readonly RateLimitSnapshot[] {
  const names = Object.keys(headers);
  // Most providers report none, and to look for each of them takes longer than to parse the headers.
  if (!names.some((name) => name.startsWith("x-"))) return NO_LIMITS;
  const others = names
    .flatMap((name) => FAMILY.exec(name)?.[1] ?? [])
    .filter((family) => family !== MAIN)
    .sort((left, right) => (left < right ? -1 : 1));
  return [MAIN, ...others].flatMap((family) => {
    const snapshot = snapshotOf(headers, family);
    const isEmpty = snapshot.primary === null && snapshot.secondary === null && snapshot.credits === null;
    return family !== MAIN && isEmpty ? [] : [snapshot];
  });
}

function snapshotOf(headers: HttpHeaders, family: string): RateLimitSnapshot {
  return {
    limitId: family.replaceAll("-", "_"),
    limitName: headerOf(headers, `x-${family}-limit-name`)?.trim() || null,
    normalModelSlug: null,
    primary: windowOf(headers, `x-${family}-primary`),
    secondary: windowOf(headers, `x-${family}-secondary`),
    credits: creditsOf(headers),
    individualLimit: null,
    spendControlReached: null,
    planType: null,
    rateLimitReachedType: null,
  };
}

const NO_LIMITS: readonly RateLimitSnapshot[] = [snapshotOf({}, MAIN)];

function windowOf(headers: HttpHeaders, prefix: string): RateLimitWindow | null {
  const used = numberIn(headers, `${prefix}-used-percent`);
  if (used === null) return null;
  const minutes = numberIn(headers, `${prefix}-window-minutes`);
  const resetsAt = numberIn(headers, `${prefix}-reset-at`);
  if (used === 0 && !minutes && resetsAt === null) return null;
  return { usedPercent: Math.round(used), windowDurationMins: minutes, resetsAt };
}

function creditsOf(headers: HttpHeaders): CreditsSnapshot | null {
  const hasCredits = booleanIn(headers, "x-codex-credits-has-credits");
  const unlimited = booleanIn(headers, "x-codex-credits-unlimited");
  if (hasCredits === null || unlimited === null) return null;
  return { hasCredits, unlimited, balance: headerOf(headers, "x-codex-credits-balance")?.trim() || null };
}

function numberIn(headers: HttpHeaders, name: string): number | null {
  const text = headerOf(headers, name)?.trim() ?? "";
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? null : value;
}

function booleanIn(headers: HttpHeaders, name: string): boolean | null {
  const text = headerOf(headers, name)?.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : null;
}
