/**
 * The port to whatever answers a prompt: a provider over HTTP, or the demo model. The engine knows only this.
 */
import type {
  ModelVerification,
  RateLimitSnapshot,
  ReasoningEffort,
  ReasoningSummary,
  ResponseItem,
  TokenUsageBreakdown,
  TurnError,
  Verbosity,
} from "../protocol/generated/types.ts";

export interface Model {
  /**
   * Streams one response. The events that arrived together come as one batch, so that a fast stream costs one
   * wake-up per chunk and not one per delta; nothing more is read while a batch waits to be taken.
   *
   * Never throws. The last event is `completed` or `failed`; after an abort, and after the consumer has left, the
   * connection is closed at once and the stream ends without one.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  /** Tokens of a model's context window, as far as the provider has said; null while it has not. */
  contextWindow?(model: string): number | null;
  /** Closes the connections that wait for a next request. Streams that are still open go on to their end. */
  close(): void;
}

export interface ModelRequest {
  readonly model: string;
  /** The whole conversation. Items travel as they are, also with members that no type names. */
  readonly input: readonly ResponseItem[];
  readonly tools: readonly unknown[];
  readonly parallelToolCalls: boolean;
  readonly reasoning: ReasoningRequest | null;
  readonly text: TextRequest | null;
  readonly serviceTier: string | null;
  readonly promptCacheKey: string;
  /** Retries that were made before, when what was finished of a broken stream is part of the input now. */
  readonly retriesUsed?: number;
  readonly clientMetadata: Readonly<Record<string, string>>;
  /** What the engine says about itself and the turn: `originator`, `user-agent`, `session-id` and the like. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReasoningRequest {
  readonly effort?: ReasoningEffort;
  readonly summary?: Exclude<ReasoningSummary, "none">;
}

export interface TextRequest {
  readonly verbosity?: Verbosity;
  readonly format?: {
    readonly type: "json_schema";
    readonly strict: boolean;
    readonly schema: unknown;
    readonly name: string;
  };
}

export type ModelEvent =
  /** The provider accepted the request. `turnState` is to be sent back with the turn's next request. */
  | {
      readonly type: "accepted";
      readonly turnState: string | null;
      readonly rateLimits: readonly RateLimitSnapshot[];
    }
  /** The model that answers, where the provider names it. */
  | { readonly type: "serverModel"; readonly model: string }
  | { readonly type: "verification"; readonly verifications: readonly ModelVerification[] }
  /** What the provider says about how the answer may be shown. */
  | { readonly type: "moderation"; readonly metadata: unknown }
  | { readonly type: "created" }
  | { readonly type: "itemAdded"; readonly item: ResponseItem }
  | { readonly type: "textDelta"; readonly itemId: string | null; readonly delta: string }
  | { readonly type: "reasoningSummaryPartAdded"; readonly itemId: string | null; readonly index: number }
  | {
      readonly type: "reasoningSummaryDelta";
      readonly itemId: string | null;
      readonly delta: string;
      readonly index: number;
    }
  | {
      readonly type: "reasoningTextDelta";
      readonly itemId: string | null;
      readonly delta: string;
      readonly index: number;
    }
  | { readonly type: "itemDone"; readonly item: ResponseItem }
  | CompletedEvent
  | RetryingEvent
  | FailedEvent;

export interface CompletedEvent {
  readonly type: "completed";
  readonly responseId: string;
  readonly usage: TokenUsageBreakdown | null;
  /** The same as the provider sent it. */
  readonly rawUsage?: unknown;
  /** False: the model wants to be asked again although it called no tool. */
  readonly endTurn: boolean | null;
}

/** The stream broke and starts again after the delay. What came before belongs to nothing. */
export interface RetryingEvent {
  readonly type: "retrying";
  readonly attempt: number;
  /** Null while waiting for the network, which has no limit. */
  readonly max: number | null;
  readonly delayMs: number;
  /** Ready for the `error` notification with `willRetry: true`. */
  readonly error: TurnError;
}

export interface FailedEvent {
  readonly type: "failed";
  readonly error: TurnError;
}
