/**
 * All failures of a model request as one table: the error for clients and whether to retry. The texts and codes are part
 * of the protocol.
 */

import type { CodexErrorInfo, MisalignmentErrorDetails, TurnError } from "../../protocol/generated/types.ts";
import type { FailureCause } from "../model.ts";

/** A failure with everything that retries and error reports need. */
export interface ModelFailure {
  /** The error to report if there is no further retry. */
  readonly error: TurnError;
  readonly retry: ModelRetryClass;
  /** There was no readable response, so the same request can be resent cheaply. */
  readonly resend: boolean;
  /** The status for retry announcements. */
  readonly httpStatus: number | null;
  /** The retry delay requested by the provider. */
  readonly delayMs: number | null;
  /** The model's context window in tokens, if the request exceeded it and the provider names it. */
  readonly contextWindow: number | null;
  /** The reason, if another model or a later time may help; null otherwise. */
  readonly cause: FailureCause | null;
}

/** `network`: the provider is unreachable; if configured, retries continue until the network is back. */
export type ModelRetryClass = "never" | "stream" | "network";

interface FailureRow {
  readonly info: CodexErrorInfo | "httpConnectionFailed" | "responseTooManyFailedAttempts";
  /** `asked`: only if the provider sends a retry delay. */
  readonly retry: ModelRetryClass | "asked";
  /** The message; `{}` is replaced by the provider's message. */
  readonly text: string;
  /** The replacement if the provider sends no message. */
  readonly detail?: string;
  /** Retry announcements contain the status. */
  readonly showsStatus?: true;
  /** The fault is the provider's, and passes. */
  readonly isOverload?: true;
}

const DISCONNECTED = "stream disconnected before completion: {}";

const ROWS = {
  badRequest: { info: "other", retry: "never", text: "{}" },
  busy: {
    info: "responseTooManyFailedAttempts",
    retry: "asked",
    text: "{}",
    showsStatus: true,
    isOverload: true,
  },
  bioPolicy: {
    info: "other",
    retry: "never",
    text: "{}",
    detail: "This content was flagged for possible biological risk.",
  },
  contextWindow: {
    info: "contextWindowExceeded",
    retry: "never",
    text: "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
  },
  cyberPolicy: {
    info: "cyberPolicy",
    retry: "never",
    text: "{}",
    detail: "This request has been flagged for possible cybersecurity risk.",
  },
  disconnected: { info: "other", retry: "stream", text: DISCONNECTED },
  flexUnavailable: {
    info: "flexUnavailable",
    retry: "never",
    text: "Flex capacity unavailable.",
    isOverload: true,
  },
  incomplete: { info: "other", retry: "never", text: "Incomplete response returned, reason: {}" },
  invalidImage: {
    info: "badRequest",
    retry: "never",
    text: "Invalid image in your last message. Please remove it and try again.",
  },
  invalidPrompt: { info: "other", retry: "never", text: "{}", detail: "Invalid request." },
  misalignment: {
    info: "misalignmentPolicyViolation",
    retry: "never",
    text: "{}",
    detail: "This request was blocked due to a misalignment policy violation.",
  },
  modelNotFound: { info: "modelNotFound", retry: "never", text: "{}", detail: "model_not_found" },
  policyCapacity: {
    info: "policyCapacityUnavailable",
    retry: "asked",
    text: "Policy-restricted capacity is unavailable. Please try again later.",
    isOverload: true,
  },
  quota: {
    info: "usageLimitExceeded",
    retry: "never",
    text: "Quota exceeded. Check your plan and billing details.",
  },
  rateLimited: {
    info: "rateLimitExceeded",
    retry: "stream",
    text: "rate limit exceeded: {}",
    isOverload: true,
  },
  /** A retry would get the same status. */
  finalStatus: { info: "httpConnectionFailed", retry: "never", text: "{}", showsStatus: true },
  refused: {
    info: "other",
    retry: "never",
    text: "the model refused to answer: say it in another way, or go back to before the message that it refuses",
  },
  serverError: {
    info: "internalServerError",
    retry: "stream",
    text: "We’re currently experiencing high demand, which may cause temporary errors.",
    isOverload: true,
  },
  serverOverloaded: {
    info: "serverOverloaded",
    retry: "asked",
    text: "Selected model is at capacity. Please try a different model.",
    isOverload: true,
  },
  timedOut: { info: "other", retry: "stream", text: "request timed out" },
  tooManyRequests: {
    info: "responseTooManyFailedAttempts",
    retry: "asked",
    text: "exceeded retry limit, last status: {}",
    showsStatus: true,
    isOverload: true,
  },
  unexpectedStatus: { info: "httpConnectionFailed", retry: "stream", text: "{}", showsStatus: true },
  unreachable: { info: "httpConnectionFailed", retry: "network", text: "Connection failed: {}" },
  unusable: { info: "other", retry: "never", text: "{}" },
  usageLimit: { info: "usageLimitExceeded", retry: "never", text: "{}" },
  usageNotIncluded: {
    info: "usageLimitExceeded",
    retry: "never",
    text: "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
  },
  /** A retry would give the same result. */
  unreadable: { info: "other", retry: "never", text: DISCONNECTED },
} as const satisfies Record<string, FailureRow>;

export type FailureKind = keyof typeof ROWS;

export interface FailureDetails {
  readonly detail?: string;
  readonly httpStatus?: number;
  readonly delayMs?: number | null;
  readonly resend?: boolean;
  readonly misalignment?: MisalignmentErrorDetails | null;
  readonly contextWindow?: number | null;
  /** For kinds that do not say themselves whether another model may answer. */
  readonly isOverload?: boolean;
  /** When a usage limit ends; null where the provider does not say. */
  readonly resetsAtMs?: number | null;
}

export function createModelFailure(kind: FailureKind, facts: FailureDetails = {}): ModelFailure {
  const row: FailureRow = ROWS[kind];
  const detail = facts.detail === undefined || facts.detail === "" ? (row.detail ?? "") : facts.detail;
  const delayMs = facts.delayMs ?? null;
  return {
    error: {
      // A function, because a replacement string would interpret `$&` in the provider's message.
      message: row.text.replace("{}", () => detail),
      codexErrorInfo: infoOf(row, facts.httpStatus ?? null),
      additionalDetails: null,
      misalignment: facts.misalignment ?? null,
    },
    retry: row.retry === "asked" ? (delayMs === null ? "never" : "stream") : row.retry,
    resend: facts.resend ?? false,
    httpStatus: row.showsStatus === true ? (facts.httpStatus ?? null) : null,
    delayMs,
    contextWindow: facts.contextWindow ?? null,
    cause: causeOf(row, facts),
  };
}

function causeOf(
  row: FailureRow,
  { isOverload, resetsAtMs, httpStatus }: FailureDetails,
): FailureCause | null {
  if (row.info === "usageLimitExceeded")
    return resetsAtMs == null ? null : { kind: "usageLimit", resetsAtMs };
  const isServerError = row.showsStatus === true && (httpStatus ?? 0) >= FIRST_SERVER_ERROR;
  return row.isOverload === true || isOverload === true || isServerError ? { kind: "overloaded" } : null;
}

/** Statuses from this one on say that the fault is the provider's. */
const FIRST_SERVER_ERROR = 500;

function infoOf({ info }: FailureRow, httpStatusCode: number | null): CodexErrorInfo {
  if (info === "httpConnectionFailed") return { httpConnectionFailed: { httpStatusCode } };
  if (info === "responseTooManyFailedAttempts") return { responseTooManyFailedAttempts: { httpStatusCode } };
  return info;
}
