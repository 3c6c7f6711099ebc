import type { Clock } from "../base/clock.ts";
import type { CompletedEvent, Model } from "../model/model.ts";
import type { RateLimitSnapshot, ResponseItem, ThreadItem, TurnError } from "../protocol/generated/types.ts";
import type { Emit } from "./events.ts";
import { type RequestOrigin, toModelRequest } from "./model-request.ts";
import { createResponseReader } from "./response-reader.ts";
import type { ThreadSettings } from "./settings.ts";
import type { UsageCounter } from "./usage.ts";

export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

export interface TurnOptions {
  readonly origin: RequestOrigin;
  readonly settings: ThreadSettings;
  readonly model: Model;
  readonly modelContextWindow: number | null;
  readonly history: ResponseItem[];
  readonly usage: UsageCounter;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
}

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

/**
 * Asks the model until it asks for nothing more. Nothing is awaited between the arrival of a delta
 * and its notification.
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { origin, emit, clock, createId, signal } = options;
  const { threadId, turnId } = origin;
  const newReader = () => createResponseReader({ threadId, turnId, emit, now: () => clock.now(), createId });
  let reader = newReader();
  let limits: readonly RateLimitSnapshot[] = [];
  const request = toModelRequest(options.settings, options.history, origin);
  for await (const events of options.model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      switch (event.type) {
        case "failed":
          return { kind: "failed", error: event.error };
        case "retrying":
          emit("error", { error: event.error, willRetry: true, threadId, turnId });
          reader = newReader();
          break;
        case "accepted":
          limits = event.rateLimits;
          break;
        case "completed":
          options.history.push(...reader.items);
          reportUsage(options, event, limits);
          return { kind: "completed", lastMessage: reader.lastMessage };
        default:
          reader.read(event);
      }
    }
  }
  return { kind: "interrupted" };
}

function reportUsage(
  options: TurnOptions,
  { usage }: CompletedEvent,
  limits: readonly RateLimitSnapshot[],
): void {
  const { origin, emit, modelContextWindow } = options;
  const { threadId, turnId } = origin;
  if (usage !== null) options.usage.add(usage);
  emit("thread/tokenUsage/updated", { threadId, turnId, tokenUsage: options.usage.read(modelContextWindow) });
  for (const rateLimits of limits.length === 0 ? [NO_LIMITS] : limits) {
    emit("account/rateLimits/updated", { rateLimits });
  }
}
