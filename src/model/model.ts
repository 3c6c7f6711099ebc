/**
 * The port to a model: a provider over HTTP, the demo model or a custom model. The engine depends only on this.
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
   * Streams one response. Events that arrive together form one batch, so that a fast stream wakes the consumer once per
   * chunk and not once per delta. Nothing more is read until a batch is consumed.
   *
   * Never throws. The last event is `completed` or `failed`; after an abort, or after the consumer stops iterating, the
   * connection is closed immediately and the stream ends without one.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  /** A model's context window in tokens as reported by the provider; null if not reported. */
  contextWindow?(model: string): number | null;
  /** Closes idle connections. Open streams continue to their end. */
  close(): void;
}

export interface ModelRequest {
  readonly model: string;
  /** The whole conversation. Items are passed unchanged, including unknown members. They are immutable. */
  readonly input: readonly ResponseItem[];
  /** Requests with the same value mostly continue each other's input; absent for a single request. */
  readonly conversation?: string;
  readonly tools: readonly unknown[];
  readonly parallelToolCalls: boolean;
  readonly reasoning: ReasoningRequest | null;
  readonly text: TextRequest | null;
  readonly serviceTier: string | null;
  readonly promptCacheKey: string;
  /** Retries already used, if the finished items of a broken stream are now part of the input. */
  readonly retriesUsed?: number;
  readonly clientMetadata: Readonly<Record<string, string>>;
  /** Headers that identify the engine and the turn, such as `originator`, `user-agent` and `session-id`. */
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
  /** The provider accepted the request. `turnState` must be sent with the turn's next request. */
  | {
      readonly type: "accepted";
      readonly turnState: string | null;
      readonly rateLimits: readonly RateLimitSnapshot[];
    }
  /** The responding model, if the provider names it. */
  | { readonly type: "serverModel"; readonly model: string }
  | { readonly type: "verification"; readonly verifications: readonly ModelVerification[] }
  /** The provider's metadata on how the response may be displayed. */
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
  /** The usage in the provider's format. */
  readonly rawUsage?: unknown;
  /** False: the model asks for another request although it called no tool. */
  readonly endTurn: boolean | null;
}

/** The stream broke and restarts after the delay. Unfinished items before this event are discarded. */
export interface RetryingEvent {
  readonly type: "retrying";
  readonly attempt: number;
  /** Null while waiting for the network, which is retried without limit. */
  readonly max: number | null;
  readonly delayMs: number;
  /** The payload of the `error` notification with `willRetry: true`. */
  readonly error: TurnError;
}

export interface FailedEvent {
  readonly type: "failed";
  readonly error: TurnError;
  /** Absent where neither another model nor time would help. */
  readonly cause?: FailureCause;
}

/** Why a provider does not answer now, although nothing is wrong with the request or the account. */
export type FailureCause =
  /** It has too much to do, or an error of its own: another model may answer. */
  | { readonly kind: "overloaded" }
  /** The account has used what it may use, until the reset. */
  | { readonly kind: "usageLimit"; readonly resetsAtMs: number };
