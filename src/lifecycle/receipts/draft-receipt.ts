import type { Negotiation } from "../placement/negotiate.ts";
import type { PlacementDecision } from "../placement/place.ts";
import type { PayloadStatus, ReceiptStatus } from "../vocabulary/closed-sets.ts";
import { yieldsReceipt } from "../vocabulary/events.ts";
import { DEFAULT_RETRY, type Failure } from "../vocabulary/failures.ts";
import { measuredSize, type PayloadEnvelope } from "../wire/payload-envelope.ts";
import { type PayloadReceipt, receiptRules } from "../wire/receipt.ts";
import { type CallbackRequest, type HarnessIds, harnessIds } from "../wire/request.ts";
import type { CallbackResponse, Warning } from "../wire/response.ts";
import { WIRE_VERSION, wireErrorText } from "../wire/wire-error.ts";
import type { NewReceipt } from "./ledger.ts";

/** A completed dispatch. */
export interface FinishedDispatch {
  readonly request: CallbackRequest;
  /** In the order of the placement decisions. */
  readonly payloads: readonly PayloadEnvelope[];
  readonly negotiation: Negotiation;
  readonly response: CallbackResponse;
}

export interface ReceiptContext extends HarnessIds {
  readonly client_id: string;
  readonly receipt_id: string;
  readonly parent_receipt_id?: string;
  readonly at_epoch_s: number;
  /** Warnings beyond those of the negotiation and of the client. */
  readonly warnings?: readonly Warning[];
}

export type ReceiptError = {
  readonly kind: "receipt_emitted_not_emittable" | "invalid";
  readonly detail: string;
};

export type Drafted =
  | { readonly ok: true; readonly receipt: NewReceipt }
  | { readonly ok: false; readonly error: ReceiptError };

export function draftReceipt(dispatch: FinishedDispatch, context: ReceiptContext): Drafted {
  const { request, negotiation, response } = dispatch;
  const linkFault = linkageError(request, context);
  if (linkFault !== null) return { ok: false, error: linkFault };
  const { status, failure } = statusOf(negotiation, response);
  const payloadReceipts = [...placedReceipts(dispatch, status), ...refReceipts(dispatch)];
  const warnings = [...negotiation.warnings, ...(response.warnings ?? []), ...(context.warnings ?? [])];
  const receipt: NewReceipt = {
    schema_version: WIRE_VERSION,
    receipt_id: context.receipt_id,
    idempotency_key: request.idempotency_key ?? null,
    client_id: context.client_id,
    adapter_id: request.adapter_id,
    invocation_id: request.invocation_id,
    event: request.event,
    event_id: request.event_id,
    parent_receipt_id: context.parent_receipt_id ?? null,
    integration_mode: request.integration_mode,
    status,
    at_epoch_s: context.at_epoch_s,
    ...harnessIds(context),
    ...(payloadReceipts.length > 0 && { payload_receipts: payloadReceipts }),
    ...(negotiation.capability_degradations.length > 0 && {
      capability_degradations: negotiation.capability_degradations,
    }),
    failure_class: failure?.failure_class ?? null,
    retry_class: failure?.retry_class ?? null,
    ...(warnings.length > 0 && { warnings }),
  };
  const violation = receiptRules({ ...receipt, sequence: null });
  return violation === null
    ? { ok: true, receipt }
    : { ok: false, error: { kind: "invalid", detail: wireErrorText(violation) } };
}

/** Checks the receipt's links before anything is dispatched. */
export function linkageError(
  request: CallbackRequest,
  context: Pick<ReceiptContext, "receipt_id" | "parent_receipt_id">,
): ReceiptError | null {
  if (!yieldsReceipt(request.event))
    return { kind: "receipt_emitted_not_emittable", detail: `${request.event} yields no receipt` };
  const parent = context.parent_receipt_id;
  if (request.frame_context?.frame_class === "subcall" && parent === undefined)
    return {
      kind: "invalid",
      detail: "a subcall needs the parent_receipt_id of the frame that it belongs to",
    };
  if (parent === "") return { kind: "invalid", detail: "parent_receipt_id is empty; leave it out" };
  return parent === context.receipt_id
    ? { kind: "invalid", detail: "a receipt is not its own parent" }
    : null;
}

/**
 * The negotiation takes precedence over the client's status: the client may report a delivery that had no placement.
 */
function statusOf(
  { outcome, failure_class: failureClass }: Negotiation,
  response: CallbackResponse,
): { readonly status: ReceiptStatus; readonly failure: Failure | null } {
  if (outcome === "unsupported" || outcome === "requires_operator") {
    const failed = failureClass ?? "capability_unsupported";
    return { status: "failed", failure: { failure_class: failed, retry_class: DEFAULT_RETRY[failed] } };
  }
  if (response.status === "failed") {
    const failed = response.failure_class ?? "internal_error";
    const retry = response.retry_class ?? DEFAULT_RETRY[failed];
    return { status: "failed", failure: { failure_class: failed, retry_class: retry } };
  }
  return { status: outcome === "degraded" ? "degraded" : response.status, failure: null };
}

function placedReceipts(
  { payloads, negotiation, response }: FinishedDispatch,
  status: ReceiptStatus,
): readonly PayloadReceipt[] {
  return negotiation.placement_decisions.flatMap((decision, index) => {
    const payload = payloads[index];
    if (payload === undefined) return [];
    const first = payload.acceptable_placements[0]?.placement ?? "receipt_only";
    return {
      payload_id: payload.payload_id,
      payload_kind: payload.payload_kind,
      placement: decision.decision === "chosen" ? decision.placement : first,
      status: payloadStatus(decision, status, response.status),
      byte_size: measuredSize(payload),
      ...(payload.content_digest !== undefined && { content_digest: payload.content_digest }),
    };
  });
}

const STATUS_BY_CLIENT: Readonly<Record<ReceiptStatus, PayloadStatus>> = {
  delivered: "delivered",
  degraded: "degraded",
  skipped: "skipped",
  observed: "skipped",
  failed: "failed",
};

function payloadStatus(
  decision: PlacementDecision,
  receiptStatus: ReceiptStatus,
  clientStatus: ReceiptStatus,
): PayloadStatus {
  if (decision.decision !== "chosen") return decision.decision;
  if (receiptStatus === "failed") return "failed";
  const status = STATUS_BY_CLIENT[clientStatus];
  const isDemoted = decision.placement === "receipt_only" && decision.rejected.length > 0;
  return isDemoted && status === "delivered" ? "degraded" : status;
}

/** Payloads that the request only refers to are recorded and not placed. */
function refReceipts({ request, payloads, negotiation }: FinishedDispatch): readonly PayloadReceipt[] {
  const seen = new Set(
    negotiation.placement_decisions.length > 0 ? payloads.map(({ payload_id: id }) => id) : [],
  );
  return (request.payload_refs ?? [])
    .filter(({ payload_id: id }) => !seen.has(id))
    .map((ref) => ({
      payload_id: ref.payload_id,
      payload_kind: ref.payload_kind,
      placement: "receipt_only",
      status: "skipped",
      byte_size: ref.byte_size ?? 0,
      ...(ref.content_digest !== undefined && { content_digest: ref.content_digest }),
    }));
}
