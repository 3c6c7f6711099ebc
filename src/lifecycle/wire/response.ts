import { RECEIPT_STATUSES, type ReceiptStatus } from "../vocabulary/closed-sets.ts";
import {
  FAILURE_CLASSES,
  type FailureClass,
  RETRY_CLASSES,
  type RetryClass,
} from "../vocabulary/failures.ts";
import type { JsonObject, LifecycleResult } from "../vocabulary/result.ts";
import { PAYLOAD_ENVELOPE, type PayloadEnvelope, payloadRules } from "./payload-envelope.ts";
import { LIFECYCLE_RESULT, resultRules } from "./result.ts";
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

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly capability?: string;
}

/** The response of a client. */
export interface CallbackResponse {
  readonly schema_version: string;
  readonly status: ReceiptStatus;
  readonly client_payloads?: readonly PayloadEnvelope[];
  readonly receipt_refs?: readonly string[];
  readonly warnings?: readonly Warning[];
  readonly failure_class?: FailureClass;
  readonly retry_class?: RetryClass;
  readonly metadata?: JsonObject;
  /** The client's decision. The original protocol has no such member. */
  readonly result?: LifecycleResult;
}

export const WARNING = shape.members({
  code: shape.required(shape.TEXT),
  message: shape.required(shape.TEXT),
  capability: shape.optional(shape.TEXT),
});

const RESPONSE = shape.members({
  schema_version: shape.required(shape.TEXT),
  status: shape.required(shape.oneOf(RECEIPT_STATUSES)),
  client_payloads: shape.defaulted(shape.listOf(PAYLOAD_ENVELOPE)),
  receipt_refs: shape.defaulted(shape.listOf(shape.TEXT)),
  warnings: shape.defaulted(shape.listOf(WARNING)),
  failure_class: shape.optional(shape.oneOf(FAILURE_CLASSES)),
  retry_class: shape.optional(shape.oneOf(RETRY_CLASSES)),
  metadata: shape.defaulted(shape.JSON_MAP),
  result: shape.optional(LIFECYCLE_RESULT),
});

export function parseResponse(value: unknown): ParsedMessage<CallbackResponse> {
  return checked(shape.readShape<CallbackResponse>(RESPONSE, value, "response"), responseRules);
}

function responseRules(response: CallbackResponse): WireError | null {
  return firstViolation([
    () => wrongVersion(response.schema_version),
    ...(response.client_payloads ?? []).map((payload) => () => payloadRules(payload)),
    () =>
      (response.receipt_refs ?? []).includes("")
        ? ({ kind: "empty_field", detail: "response.receipt_refs[]" } as const)
        : null,
    ...(response.warnings ?? []).map((warning) => () => warningRules(warning)),
    () => classRules("invalid_response", response),
    () => (response.result === undefined ? null : resultRules(response.result)),
  ]);
}

export function warningRules(warning: Warning): WireError | null {
  return firstEmpty("warning", warning, ["code", "message", "capability"]);
}

/** A failed status requires both classes; any other status must have no failure class. */
export function classRules(
  kind: "invalid_response" | "invalid_receipt",
  of: {
    readonly status: ReceiptStatus;
    readonly failure_class?: FailureClass | null;
    readonly retry_class?: RetryClass | null;
  },
): WireError | null {
  const failureClass = of.failure_class ?? null;
  if (of.status !== "failed")
    return failureClass === null
      ? null
      : violation(kind, `${of.status} has no failure_class; only failed has one`);
  if (failureClass === null) return violation(kind, "failed needs a failure_class");
  return (of.retry_class ?? null) === null ? violation(kind, "failed needs a retry_class") : null;
}
