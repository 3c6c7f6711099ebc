/** The `error` object that providers send, over HTTP and inside a stream, and what its codes mean. */
import { isObject } from "../../base/json-object.ts";
import type { MisalignmentErrorDetails } from "../../protocol/generated/types.ts";
import { parseJson, stringOf } from "../provider-input.ts";
import { findOverflow } from "./context-overflow.ts";
import { type Failure, type FailureKind, failureOf } from "./failure.ts";

export interface ProviderError {
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string | null;
  readonly planType: string | null;
  readonly resetsAt: number | null;
  readonly misalignment: MisalignmentErrorDetails | null;
  /** Tokens of the model's window, in an error that is about it. */
  readonly window: number | null;
}

/** What is read of a message: nobody says more in an error, and it is searched for words. */
const MAX_MESSAGE_LENGTH = 4000;

export function parseProviderError(value: unknown): ProviderError | null {
  if (!isObject(value)) return null;
  const { resets_at: resetsAt, n_ctx: window } = value;
  return {
    code: stringOf(value["code"]),
    type: stringOf(value["type"]),
    message: stringOf(value["message"])?.slice(0, MAX_MESSAGE_LENGTH) ?? null,
    planType: stringOf(value["plan_type"]),
    resetsAt: typeof resetsAt === "number" ? resetsAt : null,
    misalignment: parseMisalignment(value["misalignment"]),
    window: typeof window === "number" ? window : null,
  };
}

/**
 * The error in the body of an answer, wherever its provider puts it: under `error`, as an object or a mere text, at
 * the top, under `detail`, in a list of one, or inside that of a provider that only passes requests on.
 */
export function parseErrorBody(body: unknown): ProviderError | null {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return null;
  const { error, detail } = outer;
  if (isObject(error)) return innerError(error["metadata"]) ?? parseProviderError(error);
  const text = stringOf(error) ?? stringOf(outer["message"]) ?? stringOf(detail);
  return text === null ? null : parseProviderError({ ...outer, message: text });
}

/** What the provider behind a gateway said, as OpenRouter passes it on. */
function innerError(metadata: unknown): ProviderError | null {
  const raw = isObject(metadata) ? stringOf(metadata["raw"]) : null;
  const parsed = raw === null ? undefined : parseJson(raw);
  const error = Array.isArray(parsed) ? (parsed as unknown[])[0] : parsed;
  if (!isObject(error))
    return raw === null || raw.trim() === "" ? null : parseProviderError({ message: raw });
  return parseProviderError(isObject(error["error"]) ? error["error"] : error);
}

/** Codes of a `response.failed` event; what is not here is a broken stream. */
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

/** Types of errors that come without a code, as those of the Messages API do. */
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

const WAIT = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|s|seconds?)/i;

/** What a response that the provider itself called failed means. */
export function failureInStream(value: unknown): Failure {
  const error = isObject(value) ? parseErrorBody({ error: value }) : null;
  if (error === null) return failureOf("disconnected", { detail: "response.failed event received" });
  const overflow = findOverflow(null, error);
  if (overflow !== null) return failureOf("contextWindow", { contextWindow: overflow.window });
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
