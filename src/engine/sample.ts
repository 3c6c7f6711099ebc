import type { CompletedEvent, Model, ModelRequest } from "../model/model.ts";
import type { RateLimitSnapshot, ResponseItem, ThreadItem, TurnError } from "../protocol/generated/types.ts";
import { createResponseReader, type ResponseReaderOptions } from "./response-reader.ts";

/** What came of asking the model once. */
export type Sample =
  | {
      readonly kind: "answered";
      readonly items: readonly ResponseItem[];
      readonly lastMessage: ThreadItem | null;
      readonly completed: CompletedEvent;
      readonly rateLimits: readonly RateLimitSnapshot[];
    }
  /** The signal ended it; nothing of it is kept. */
  | { readonly kind: "cut" }
  | { readonly kind: "failed"; readonly error: TurnError };

/**
 * Asks the model once, and reports its items and deltas as they arrive. Nothing is awaited between
 * the arrival of a delta and its notification.
 */
export async function sample(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  report: ResponseReaderOptions,
): Promise<Sample> {
  const { threadId, turnId, emit } = report;
  let reader = createResponseReader(report);
  let rateLimits: readonly RateLimitSnapshot[] = [];
  for await (const events of model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      switch (event.type) {
        case "failed":
          return { kind: "failed", error: event.error };
        case "retrying":
          emit("error", { error: event.error, willRetry: true, threadId, turnId });
          reader = createResponseReader(report);
          break;
        case "accepted":
          rateLimits = event.rateLimits;
          break;
        case "completed":
          return {
            kind: "answered",
            items: reader.items,
            lastMessage: reader.lastMessage,
            completed: event,
            rateLimits,
          };
        default:
          reader.read(event);
      }
    }
  }
  return { kind: "cut" };
}
