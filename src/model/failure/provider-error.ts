/** The `error` object that providers send, over HTTP and inside a stream, and what its codes mean. */
import { isObject } from "../../base/json-object.ts";
import type { MisalignmentErrorDetails } from "../../protocol/generated/types.ts";
import { stringOf } from "../provider-input.ts";
import { type Failure, type FailureKind, failureOf } from "./failure.ts";

export interface ProviderError {
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string | null;
  readonly planType: string | null;
  readonly resetsAt: number | null;
  readonly misalignment: MisalignmentErrorDetails | null;
}

export function parseProviderError(value: unknown): ProviderError | null {
  if (!isObject(value)) return null;
  const resetsAt = value["resets_at"];
  return {
    code: stringOf(value["code"]),
    type: stringOf(value["type"]),
    message: stringOf(value["message"]),
    planType: stringOf(value["plan_type"]),
    resetsAt: typeof resetsAt === "number" ? resetsAt : null,
    misalignment: parseMisalignment(value["misalignment"]),
  };
}

/** Codes of a `response.failed` event; what is not here is a broken stream. */
const STREAM_CODES: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    bio_policy: "bioPolicy",
    context_length_exceeded: "contextWindow",
    credit_balance_exhausted: "quota",
    cyber_policy: "cyberPolicy",
    flex_unavailable: "flexUnavailable",
    insufficient_quota: "quota",
    invalid_prompt: "invalidPrompt",
    misalignment_policy_violation: "misalignment",
    model_not_found: "modelNotFound",
    organization_spend_limit_exceeded: "quota",
    policy_capacity_unavailable: "policyCapacity",
    project_spend_limit_exceeded: "quota",
    rate_limit_exceeded: "rateLimited",
    server_is_overloaded: "serverOverloaded",
    slow_down: "rateLimited",
    usage_not_included: "usageNotIncluded",
  } as const),
);

/** Types of errors that come without a code, as those of the Messages API do. */
const STREAM_TYPES: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    authentication_error: "badRequest",
    billing_error: "quota",
    invalid_request_error: "badRequest",
    not_found_error: "modelNotFound",
    permission_error: "badRequest",
    rate_limit_error: "rateLimited",
    request_too_large: "badRequest",
  } as const),
);

const WAIT = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|s|seconds?)/i;

/** What a response that the provider itself called failed means. */
export function failureInStream(value: unknown): Failure {
  const error = parseProviderError(value);
  if (error === null) return failureOf("disconnected", { detail: "response.failed event received" });
  const known = error.code === null ? STREAM_TYPES.get(error.type ?? "") : STREAM_CODES.get(error.code);
  const kind = known ?? "disconnected";
  return failureOf(kind, {
    detail: detailOf(error),
    delayMs: kind === "rateLimited" ? waitIn(error.message ?? "") : null,
    misalignment: kind === "misalignment" ? error.misalignment : null,
  });
}

/** A response that stopped early. A filter may let the next try pass; every other limit would be reached again. */
export function failureOfIncomplete(reason: string): Failure {
  if (reason !== "content_filter") return failureOf("incomplete", { detail: reason });
  return failureOf("disconnected", { detail: `Incomplete response returned, reason: ${reason}` });
}

/** What the provider said, where that is more than space. */
export function detailOf(error: ProviderError | null): string {
  const message = error?.message ?? "";
  return message.trim() === "" ? "" : message;
}

function waitIn(message: string): number | null {
  const [, amount, unit] = WAIT.exec(message) ?? [];
  if (amount === undefined || unit === undefined) return null;
  return Math.round(Number(amount) * (unit.toLowerCase() === "ms" ? 1 : 1000));
}

function parseMisalignment(value: unknown): MisalignmentErrorDetails | null {
  if (!isObject(value)) return null;
  const steer = value["steer"];
  const message = isObject(steer) ? stringOf(steer["message"]) : null;
  return {
    errorType: stringOf(value["error_type"]),
    detailedExplanation: stringOf(value["detailed_explanation"]),
    steer: message === null ? null : { message },
    reviewTarget: stringOf(value["review_target"]),
  };
}
