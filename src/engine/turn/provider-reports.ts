/** Notifications from provider data beside the response: rerouting, verification, token usage and rate limits. */
import type { ModelEvent } from "../../model/model.ts";
import type { RateLimitSnapshot } from "../../protocol/generated/types.ts";
import type { Emit } from "../state/events.ts";
import type { ThreadCore } from "./thread-core.ts";

export interface ProviderNoticesOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly requestedModel: string;
}

/** Forwards provider notices of a turn to clients; rerouting and verification at most once. */
export interface ProviderNotices {
  read(event: ModelEvent): void;
}

export function createProviderNotices({
  threadId,
  turnId,
  emit,
  requestedModel,
}: ProviderNoticesOptions): ProviderNotices {
  const ids = { threadId, turnId };
  let isRerouted = false;
  let isVerified = false;
  return {
    read(event) {
      if (event.type === "serverModel") {
        if (isRerouted || event.model.toLowerCase() === requestedModel.toLowerCase()) return;
        isRerouted = true;
        const route = { fromModel: requestedModel, toModel: event.model };
        emit("model/rerouted", { ...ids, ...route, reason: "highRiskCyberActivity" });
      } else if (event.type === "verification") {
        if (isVerified) return;
        isVerified = true;
        emit("model/verification", { ...ids, verifications: [...event.verifications] });
      } else if (event.type === "moderation") {
        emit("turn/moderationMetadata", { ...ids, metadata: event.metadata });
      }
    },
  };
}

/** The rate limits of a provider that reports none. */
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

/** Notifies clients of the thread's token usage. */
export function reportUsage(
  { id: threadId, history, emit }: ThreadCore,
  turnId: string,
  modelContextWindow: number | null,
): void {
  const tokenUsage = history.usage.read(modelContextWindow);
  emit("thread/tokenUsage/updated", { threadId, turnId, tokenUsage });
}

/** Credits are cached, because a provider need not repeat them in each response. */
export function reportLimits({ account, emit }: ThreadCore, limits: readonly RateLimitSnapshot[]): void {
  for (const limit of limits.length === 0 ? [NO_LIMITS] : limits) {
    account.credits = limit.credits ?? account.credits;
    emit("account/rateLimits/updated", { rateLimits: { ...limit, credits: account.credits } });
  }
}
