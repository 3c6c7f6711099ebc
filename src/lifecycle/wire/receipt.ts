import {
  INTEGRATION_MODES,
  type IntegrationMode,
  PAYLOAD_STATUSES,
  type PayloadStatus,
  PLACEMENTS,
  type Placement,
  RECEIPT_STATUSES,
  type ReceiptStatus,
  SUPPORT_STATES,
  type SupportState,
} from "../vocabulary/closed-sets.ts";
import { EVENT_NAMES, type EventName, yieldsReceipt } from "../vocabulary/events.ts";
import {
  FAILURE_CLASSES,
  type FailureClass,
  RETRY_CLASSES,
  type RetryClass,
} from "../vocabulary/failures.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import { classRules, WARNING, type Warning, warningRules } from "./response.ts";
import * as shape from "./shape.ts";
import {
  checked,
  firstEmpty,
  firstViolation,
  type ParsedMessage,
  violation,
  type WireError,
  wrongVersion,
} from "./wire-error.ts";

export interface PayloadReceipt {
  readonly payload_id: string;
  readonly payload_kind: string;
  readonly placement: Placement;
  readonly status: PayloadStatus;
  readonly byte_size: number;
  readonly content_digest?: string;
}

export interface CapabilityDegradation {
  readonly capability: string;
  readonly previous_support: SupportState;
  readonly current_support: SupportState;
  readonly evidence?: string;
  readonly retry_class?: RetryClass;
}

/** The outcome of an event. The members are in print order. */
export interface LifecycleReceipt {
  readonly schema_version: string;
  readonly receipt_id: string;
  readonly idempotency_key: string | null;
  readonly client_id: string;
  readonly adapter_id: string;
  readonly invocation_id: string;
  readonly event: EventName;
  readonly event_id: string;
  /** Counts the receipts of one run, from 1; null where the run is unknown. */
  readonly sequence: number | null;
  readonly parent_receipt_id: string | null;
  readonly integration_mode: IntegrationMode;
  readonly status: ReceiptStatus;
  readonly at_epoch_s: number;
  readonly harness_session_id?: string;
  readonly harness_run_id?: string;
  readonly harness_task_id?: string;
  readonly payload_receipts?: readonly PayloadReceipt[];
  readonly telemetry_summary?: JsonObject;
  readonly capability_degradations?: readonly CapabilityDegradation[];
  readonly failure_class: FailureClass | null;
  readonly retry_class: RetryClass | null;
  readonly warnings?: readonly Warning[];
}

const PAYLOAD_RECEIPT = shape.members({
  payload_id: shape.required(shape.TEXT),
  payload_kind: shape.required(shape.TEXT),
  placement: shape.required(shape.oneOf(PLACEMENTS)),
  status: shape.required(shape.oneOf(PAYLOAD_STATUSES)),
  byte_size: shape.required(shape.COUNT),
  content_digest: shape.optional(shape.TEXT),
});

const CAPABILITY_DEGRADATION = shape.members({
  capability: shape.required(shape.TEXT),
  previous_support: shape.required(shape.oneOf(SUPPORT_STATES)),
  current_support: shape.required(shape.oneOf(SUPPORT_STATES)),
  evidence: shape.optional(shape.TEXT),
  retry_class: shape.optional(shape.oneOf(RETRY_CLASSES)),
});

const RECEIPT = shape.members({
  schema_version: shape.required(shape.TEXT),
  receipt_id: shape.required(shape.TEXT),
  idempotency_key: shape.nullable(shape.TEXT),
  client_id: shape.required(shape.TEXT),
  adapter_id: shape.required(shape.TEXT),
  invocation_id: shape.required(shape.TEXT),
  event: shape.required(shape.oneOf(EVENT_NAMES)),
  event_id: shape.required(shape.TEXT),
  sequence: shape.nullable(shape.COUNT),
  parent_receipt_id: shape.nullable(shape.TEXT),
  integration_mode: shape.required(shape.oneOf(INTEGRATION_MODES)),
  status: shape.required(shape.oneOf(RECEIPT_STATUSES)),
  at_epoch_s: shape.required(shape.COUNT),
  harness_session_id: shape.optional(shape.TEXT),
  harness_run_id: shape.optional(shape.TEXT),
  harness_task_id: shape.optional(shape.TEXT),
  payload_receipts: shape.defaulted(shape.listOf(PAYLOAD_RECEIPT)),
  telemetry_summary: shape.defaulted(shape.JSON_MAP),
  capability_degradations: shape.defaulted(shape.listOf(CAPABILITY_DEGRADATION)),
  failure_class: shape.nullable(shape.oneOf(FAILURE_CLASSES)),
  retry_class: shape.nullable(shape.oneOf(RETRY_CLASSES)),
  warnings: shape.defaulted(shape.listOf(WARNING)),
});

export function parseReceipt(value: unknown): ParsedMessage<LifecycleReceipt> {
  return checked(shape.readShape<LifecycleReceipt>(RECEIPT, value, "receipt"), receiptRules);
}

export function receiptRules(receipt: LifecycleReceipt): WireError | null {
  return firstViolation([
    () => wrongVersion(receipt.schema_version),
    () =>
      firstEmpty("receipt", receipt, [
        "receipt_id",
        "client_id",
        "adapter_id",
        "invocation_id",
        "event_id",
        "idempotency_key",
        "parent_receipt_id",
        "harness_session_id",
        "harness_run_id",
        "harness_task_id",
      ]),
    () =>
      receipt.parent_receipt_id === receipt.receipt_id
        ? violation("invalid_receipt", "a receipt is not its own parent")
        : null,
    () =>
      yieldsReceipt(receipt.event)
        ? null
        : violation("invalid_receipt", `${receipt.event} yields no receipt`),
    () => classRules("invalid_receipt", receipt),
    ...(receipt.payload_receipts ?? []).map(
      (payload) => () =>
        firstEmpty("payload_receipt", payload, ["payload_id", "payload_kind", "content_digest"]),
    ),
    ...(receipt.capability_degradations ?? []).map(
      (degradation) => () => firstEmpty("capability_degradation", degradation, ["capability", "evidence"]),
    ),
    ...(receipt.warnings ?? []).map((warning) => () => warningRules(warning)),
  ]);
}
