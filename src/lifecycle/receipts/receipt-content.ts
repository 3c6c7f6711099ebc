import { sortedJson } from "../text/json.ts";
import { measuredSize, type PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import type { CallbackRequest } from "../wire/request.ts";
import type { NewReceipt, ReceiptScope } from "./ledger.ts";

/** Whether two receipts are equal, apart from the members that differ between attempts. */
export function sameContent(one: NewReceipt, other: NewReceipt): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf(receipt: NewReceipt): string {
  const members = Object.entries(receipt).filter(
    ([name, value]) => !ATTEMPT_MEMBERS.has(name) && value !== undefined && !isEmpty(value),
  );
  return sortedJson(Object.fromEntries(members));
}

const ATTEMPT_MEMBERS: ReadonlySet<string> = new Set([
  "receipt_id",
  "invocation_id",
  "at_epoch_s",
  "sequence",
]);

/** An empty list equals an absent one. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The content of a request, which all requests under one key must share. */
export function fingerprintOf(
  request: CallbackRequest,
  payloads: readonly PayloadEnvelope[],
  parentReceiptId: string | null,
): string {
  return sortedJson({
    event: request.event,
    event_id: request.event_id,
    integration_mode: request.integration_mode,
    harness_session_id: request.harness_session_id,
    harness_run_id: request.harness_run_id,
    harness_task_id: request.harness_task_id,
    frame_context: request.frame_context,
    payload_refs: request.payload_refs ?? [],
    payloads: payloads.map((payload) => ({
      payload_id: payload.payload_id,
      payload_kind: payload.payload_kind,
      byte_size: measuredSize(payload),
      content_digest: payload.content_digest,
      acceptable_placements: payload.acceptable_placements,
    })),
    parent_receipt_id: parentReceiptId,
  });
}

/** The scope of a receipt's idempotency key; null where it has none. */
export function scopeOf(receipt: NewReceipt): ReceiptScope | null {
  const { client_id, adapter_id, idempotency_key } = receipt;
  return idempotency_key === null ? null : { client_id, adapter_id, idempotency_key };
}

/** Adds the sequence number; the members are in print order. */
export function numbered(receipt: NewReceipt, sequence: number | null): LifecycleReceipt {
  const { schema_version, receipt_id, idempotency_key, client_id, adapter_id, invocation_id, ...members } =
    receipt;
  const { event, event_id, ...rest } = members;
  const identity = { schema_version, receipt_id, idempotency_key, client_id, adapter_id, invocation_id };
  return { ...identity, event, event_id, sequence, ...rest };
}
