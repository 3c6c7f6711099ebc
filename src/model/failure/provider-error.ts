/** Parses the `error` object of providers, in HTTP bodies and streams, and maps its codes. */
import { isObject } from "../../base/json-object.ts";
import type { MisalignmentErrorDetails } from "../../protocol/generated/types.ts";
import { parseJson, stringOf } from "../provider-input.ts";
import { findOverflow } from "./context-overflow.ts";
import { createModelFailure, type FailureKind, type ModelFailure } from "./failure.ts";

export interface ProviderError {
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string | null;
  readonly planType: string | null;
  /** When a usage limit ends, in seconds since 1970. */
  readonly resetsAt: number | null;
  /** The same from now on; providers send one of the two. */
  readonly resetsInSeconds: number | null;
  readonly misalignment: MisalignmentErrorDetails | null;
  /** The model's context window in tokens, in errors about it. */
  readonly window: number | null;
}

/** Messages are truncated, because patterns are matched against them. */
const MAX_MESSAGE_LENGTH = 4000;

export function parseProviderError(value: unknown): ProviderError | null {
  if (!isObject(value)) return null;
  const { resets_at: resetsAt, resets_in_seconds: resetsIn, n_ctx: window } = value;
  return {
    code: stringOf(value["code"]),
    type: stringOf(value["type"]),
    message: stringOf(value["message"])?.slice(0, MAX_MESSAGE_LENGTH) ?? null,
    planType: stringOf(value["plan_type"]),
    resetsAt: typeof resetsAt === "number" ? resetsAt : null,
    resetsInSeconds: typeof resetsIn === "number" ? resetsIn : null,
    misalignment: parseMisalignment(value["misalignment"]),
    window: typeof window === "number" ? window : null,
  };
}

/**
 * The error in a response body, wherever the provider puts it: in `error`, as an object or a string, at the top level, in
 * `detail`, in an array of one, or nested in the error of a gateway.
 */
export function parseErrorBody(body: unknown): ProviderError | null {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return null;
  const { error, detail } = outer;
  if (isObject(error)) return innerError(error["metadata"]) ?? parseProviderError(error);
  const text = stringOf(error) ?? stringOf(outer["message"]) ?? stringOf(detail);
  return text === null ? null : parseProviderError({ ...outer, message: text });
}

/** The upstream error that a gateway such as OpenRouter forwards. */
function innerError(metadata: unknown): ProviderError | null {
  const raw = isObject(metadata) ? stringOf(metadata["raw"]) : null;
  const parsed = raw === null ? undefined : parseJson(raw);
  const error = Array.isArray(parsed) ? (parsed as unknown[])[0] : parsed;
  if (!isObject(error))
    return raw === null || raw.trim() === "" ? null : parseProviderError({ message: raw });
  return parseProviderError(isObject(error["error"]) ? error["error"] : error);
}

/** Codes of a `response.failed` event; an unknown code counts as a broken stream. */
const STREAM_CODES: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    bio_policy: "bioPolicy",
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

/** Types of errors without a code, such as those of the Messages API. */
const STREAM_TYPES: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries({
    authentication_error: "badRequest",
    billing_error: "quota",
    invalid_request_error: "badRequest",
    not_found_error: "modelNotFound",
    permission_error: "badRequest",
    rate_limit_error: "rateLimited",
  } as const),
);

/** Codes and types of errors inside a stream that the provider itself is the cause of. */
const SERVER_FAULTS: ReadonlySet<string> = new Set(["api_error", "overloaded_error", "server_error"]);

const RETRY_DELAY = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|s|seconds?)/i;

/** Maps the error of a failed response inside a stream. */
export function failureInStream(value: unknown): ModelFailure {
  const error = isObject(value) ? parseErrorBody({ error: value }) : null;
  if (error === null) return createModelFailure("disconnected", { detail: "response.failed event received" });
  const overflow = findOverflow(null, error);
  if (overflow !== null) return createModelFailure("contextWindow", { contextWindow: overflow.window });
  const mapped = error.code === null ? STREAM_TYPES.get(error.type ?? "") : STREAM_CODES.get(error.code);
  const kind = mapped ?? "disconnected";
  return createModelFailure(kind, {
    detail: detailOf(error),
    delayMs: kind === "rateLimited" ? retryDelayIn(error.message ?? "") : null,
    misalignment: kind === "misalignment" ? error.misalignment : null,
    isOverload: SERVER_FAULTS.has(error.code ?? "") || SERVER_FAULTS.has(error.type ?? ""),
  });
}

/** An incomplete response. A retry may pass a content filter; every other limit would be reached again. */
export function failureOfIncomplete(reason: string): ModelFailure {
  if (reason !== "content_filter") return createModelFailure("incomplete", { detail: reason });
  return createModelFailure("disconnected", { detail: `Incomplete response returned, reason: ${reason}` });
}

/** The provider's message, or empty if it is blank. */
export function detailOf(error: ProviderError | null): string {
  const message = error?.message ?? "";
  return message.trim() === "" ? "" : message;
}

function retryDelayIn(message: string): number | null {
  const [, amount, unit] = RETRY_DELAY.exec(message) ?? [];
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
