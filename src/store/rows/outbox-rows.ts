/** Rows of the outbox, as databases have them. */
import type { AttemptResult, ClaimedDelivery, Delivery, DeliveryState, EndpointState } from "../outbox.ts";

export interface ClaimedRow {
  readonly number: number;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: string;
  readonly thread_id: string | null;
  readonly body: string;
  readonly attempts: number;
}

export interface DeliveryRow extends Omit<ClaimedRow, "body"> {
  readonly state: DeliveryState;
  readonly created_at_ms: number;
  readonly due_at_ms: number;
  readonly finished_at_ms: number | null;
  readonly result: string | null;
}

export interface EndpointRow {
  readonly endpoint_id: string;
  readonly off_reason: string | null;
  readonly off_at_ms: number | null;
  readonly dropped: number;
}

export interface TotalsRow {
  readonly pending: number;
  readonly abandoned: number;
  readonly oldest: number | null;
}

export function toClaimed(row: ClaimedRow): ClaimedDelivery {
  const { number, type, body, attempts } = row;
  const ids = { eventId: row.event_id, endpointId: row.endpoint_id, threadId: row.thread_id };
  return { ...ids, number, type, body, attempts };
}

export function toDelivery(row: DeliveryRow): Delivery {
  const { number, type, state, attempts } = row;
  return {
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    threadId: row.thread_id,
    number,
    type,
    state,
    attempts,
    createdAtMs: row.created_at_ms,
    dueAtMs: row.finished_at_ms === null ? row.due_at_ms : null,
    finishedAtMs: row.finished_at_ms,
    result: row.result === null ? null : (JSON.parse(row.result) as AttemptResult),
  };
}

export function toEndpoint({ endpoint_id, off_reason, off_at_ms, dropped }: EndpointRow): EndpointState {
  const off = off_at_ms === null ? null : { reason: off_reason ?? "", atMs: off_at_ms };
  return { endpointId: endpoint_id, off, dropped };
}
