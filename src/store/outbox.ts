/**
 * The port for deliveries of events to webhook endpoints. A delivery survives `kill -9` once `enqueue` resolves, and is
 * made by one process at a time: `claim` has one winner, and the claim of a process that died ends by itself. Deliveries
 * of one thread to one endpoint have the order in which they were enqueued: each waits until the one before it is
 * finished. The store knows nothing about endpoints except their ids, and bodies are opaque. Timestamps come from the
 * store's clock.
 */

export interface Outbox {
  /** Adds deliveries, all or none. One with the event id of an earlier one to the same endpoint is that one. */
  enqueue(deliveries: readonly NewDelivery[]): Promise<EnqueueOutcome>;
  /** Claims up to `limit` due deliveries of an endpoint, the earliest first, for `CLAIM_MS`. */
  claim(endpointId: string, limit: number): Promise<readonly ClaimedDelivery[]>;
  /** Records the result of an attempt. `lost`: the claim has ended, or the delivery is gone. */
  finish(claimed: ClaimedDelivery, outcome: AttemptOutcome): Promise<DeliveryState | "lost">;
  /** When the next delivery of these endpoints can be claimed; null if none waits. */
  nextDueMs(endpointIds: readonly string[]): Promise<number | null>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** Makes unfinished and abandoned deliveries due now, with all of their time again; returns their count. */
  retry(target: RetryTarget): Promise<number>;
  /** Abandons the open deliveries of an endpoint, and takes no more for it until `switchOn`. */
  switchOff(endpointId: string, reason: string): Promise<void>;
  /** False if it was not off. */
  switchOn(endpointId: string): Promise<boolean>;
  /** The endpoints that are off or have lost events. */
  endpoints(): Promise<readonly EndpointState[]>;
  totals(): Promise<OutboxTotals>;
}

/** How long a claim lasts: longer than an attempt may take. */
export const CLAIM_MS = 60_000;
/** How long a delivery is retried. */
export const DELIVERY_TTL_MS = 24 * 60 * 60 * 1000;
/** Beyond it the oldest finished deliveries are evicted, and new ones are dropped where none has finished. */
export const MAX_DELIVERIES = 10_000;
/** Character limit of a stored error. */
export const MAX_ERROR_CHARACTERS = 500;

export interface NewDelivery {
  /** The same for every attempt and every endpoint. */
  readonly eventId: string;
  readonly endpointId: string;
  readonly type: string;
  /** Deliveries without a thread have no order. */
  readonly threadId: string | null;
  readonly body: string;
}

/** `pending` waits for its time or for the one before it, `claimed` is being attempted. */
export type DeliveryState = "pending" | "claimed" | "delivered" | "abandoned";

/** Without its body, which is not kept after delivery. */
export interface Delivery extends Omit<NewDelivery, "body"> {
  /** Grows with each delivery; never reused. */
  readonly number: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  /** When it can be attempted, or its claim ends; null once it is finished. */
  readonly dueAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** The result of the last attempt; null before the first. */
  readonly result: AttemptResult | null;
}

export interface ClaimedDelivery extends NewDelivery {
  readonly number: number;
  /** Counts this attempt; identifies the claim. */
  readonly attempts: number;
}

export interface AttemptResult {
  readonly atMs: number;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Why it failed; null for a success. */
  readonly error: string | null;
}

export type AttemptOutcome =
  | { readonly kind: "delivered"; readonly result: NewResult }
  /** Attempted again after the delay, or abandoned where that would be after `DELIVERY_TTL_MS`. */
  | { readonly kind: "failed"; readonly result: NewResult; readonly retryAfterMs: number }
  /** The attempt was broken off and does not count. */
  | { readonly kind: "released" };

/** The store adds the timestamp. */
export type NewResult = Omit<AttemptResult, "atMs">;

export interface EnqueueOutcome {
  readonly added: number;
  /** Lost because the outbox is full of unfinished deliveries. */
  readonly dropped: number;
}

export interface DeliveryQuery {
  readonly endpointId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Only deliveries with a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** All deliveries of an endpoint, or one of them. */
export type RetryTarget = { readonly endpointId: string } | { readonly number: number };

export interface EndpointState {
  readonly endpointId: string;
  /** Null where it is on. */
  readonly off: { readonly reason: string; readonly atMs: number } | null;
  /** The events for it that were dropped because the outbox was full. */
  readonly dropped: number;
}

export interface OutboxTotals {
  readonly pending: number;
  readonly abandoned: number;
  /** The creation time of the oldest pending delivery; null if there is none. */
  readonly oldestAtMs: number | null;
}

export function toResult({ status, error }: NewResult, atMs: number): AttemptResult {
  return { atMs, status, error: error === null ? null : error.slice(0, MAX_ERROR_CHARACTERS) };
}
