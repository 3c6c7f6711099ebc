import type { CompletedEvent, Model, ModelRequest } from "../../model/model.ts";
import type {
  RateLimitSnapshot,
  ResponseItem,
  ThreadItem,
  TurnError,
} from "../../protocol/generated/types.ts";
import { createResponseReader, type ResponseReaderOptions } from "../items/response-reader.ts";
import type { ProviderNotices } from "./provider-notices.ts";

/** What came of asking the model once. */
export type Sample =
  | {
      readonly kind: "answered";
      readonly items: readonly ResponseItem[];
      readonly lastMessage: ThreadItem | null;
      readonly completed: CompletedEvent;
      readonly rateLimits: readonly RateLimitSnapshot[];
      /** To be sent back with the turn's next request. */
      readonly turnState: string | null;
    }
  /** The signal ended it; nothing of it is kept. */
  | { readonly kind: "cut" }
  | { readonly kind: "failed"; readonly error: TurnError };

export interface SampleOptions extends ResponseReaderOptions {
  readonly model: Model;
  readonly notices: ProviderNotices;
}

/**
 * Asks the model once and reports the answer as items while it arrives. Nothing is awaited between
 * the arrival of a delta and its notification.
 */
export async function sample(
  request: ModelRequest,
  signal: AbortSignal,
  options: SampleOptions,
): Promise<Sample> {
  const { threadId, turnId, emit, model, notices } = options;
  let reader = createResponseReader(options);
  let rateLimits: readonly RateLimitSnapshot[] = [];
  let turnState: string | null = null;
  for await (const events of model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      switch (event.type) {
        case "failed":
          return { kind: "failed", error: event.error };
        case "retrying":
          emit("error", { error: event.error, willRetry: true, threadId, turnId });
          reader = createResponseReader(options);
          break;
        case "accepted":
          ({ rateLimits, turnState } = event);
          break;
        case "serverModel":
        case "verification":
        case "moderation":
          notices.read(event);
          break;
        case "completed": {
          const { items, lastMessage } = reader;
          return { kind: "answered", items, lastMessage, completed: event, rateLimits, turnState };
        }
        default:
          reader.read(event);
      }
    }
  }
  return { kind: "cut" };
}
