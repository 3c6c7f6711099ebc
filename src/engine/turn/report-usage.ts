import type { RateLimitSnapshot } from "../../protocol/generated/types.ts";
import type { ThreadCore } from "./thread-core.ts";

/** What is known of a provider that says nothing about limits. */
const NO_LIMITS: RateLimitSnapshot = {
  limitId: "codex",
  limitName: null,
  normalModelSlug: null,
  primary: null,
  secondary: null,
  credits: null,
  individualLimit: null,
  spendControlReached: null,
  planType: null,
  rateLimitReachedType: null,
};

/** Tells clients what the thread has used so far. */
export function reportUsage(
  { id: threadId, usage, emit }: ThreadCore,
  turnId: string,
  modelContextWindow: number | null,
): void {
  emit("thread/tokenUsage/updated", { threadId, turnId, tokenUsage: usage.read(modelContextWindow) });
}

/** A provider need not repeat what it said about credits. */
export function reportLimits(core: ThreadCore, limits: readonly RateLimitSnapshot[]): void {
  for (const limit of limits.length === 0 ? [NO_LIMITS] : limits) {
    core.account.credits = limit.credits ?? core.account.credits;
    core.emit("account/rateLimits/updated", { rateLimits: { ...limit, credits: core.account.credits } });
  }
}
