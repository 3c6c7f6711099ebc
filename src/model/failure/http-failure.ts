/** Maps an HTTP error response (status, body and headers) to a failure. */
import { isObject } from "../../base/json-object.ts";
import { printable } from "../../base/printable.ts";
import { type HttpHeaders, headerOf, parseJson } from "../provider-input.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { findOverflow } from "./context-overflow.ts";
import { createModelFailure, type FailureKind, type ModelFailure } from "./failure.ts";
import { detailOf, type ProviderError, parseErrorBody, parseProviderError } from "./provider-error.ts";
import { readReset } from "./usage-limit-reset.ts";
import { usageLimitText } from "./usage-limit-text.ts";

export interface FailedResponse {
  readonly status: number;
  /** The status with its reason phrase, such as `404 Not Found`. */
  readonly statusLine: string;
  readonly headers: HttpHeaders;
  readonly body: string;
  readonly url: string;
}

interface HttpRow {
  readonly status: readonly number[];
  readonly code?: readonly string[];
  readonly type?: string;
  readonly body?: string;
  readonly kind: FailureKind;
}

const QUOTA_CODES = [
  "insufficient_quota",
  "credit_balance_exhausted",
  "project_spend_limit_exceeded",
  "organization_spend_limit_exceeded",
];

/** The first matching row applies; a response without a match is an unexpected status. */
const ROWS: readonly HttpRow[] = [
  { status: [503], code: ["server_is_overloaded"], kind: "serverOverloaded" },
  { status: [503], code: ["slow_down"], kind: "rateLimited" },
  { status: [503], code: ["policy_capacity_unavailable"], kind: "policyCapacity" },
  { status: [400, 403], code: ["misalignment_policy_violation"], kind: "misalignment" },
  { status: [400, 403, 404], code: ["model_not_found"], kind: "modelNotFound" },
  { status: [400], code: ["cyber_policy"], kind: "cyberPolicy" },
  { status: [400], code: ["bio_policy"], kind: "bioPolicy" },
  { status: [400], code: ["invalid_prompt"], kind: "invalidPrompt" },
  {
    status: [400],
    body: "The image data you provided does not represent a valid image",
    kind: "invalidImage",
  },
  { status: [400], kind: "badRequest" },
  { status: [500], kind: "serverError" },
  { status: [429], type: "usage_limit_reached", kind: "usageLimit" },
  { status: [429], type: "usage_not_included", kind: "usageNotIncluded" },
  { status: [429], type: "insufficient_quota", kind: "quota" },
  { status: [429], code: QUOTA_CODES, kind: "quota" },
  { status: [429], code: ["flex_unavailable"], kind: "flexUnavailable" },
  { status: [429], kind: "tooManyRequests" },
];

/** For providers other than OpenAI: OpenAI's own clients retry these statuses, and its error texts are known. */
const ROWS_OF_OTHER_PROVIDERS: readonly HttpRow[] = [
  { status: [401, 402, 403, 404, 405], kind: "finalStatus" },
  { status: [429], kind: "busy" },
];

const KINDS_WITH_ADVICE: readonly FailureKind[] = ["busy", "finalStatus"];

interface Origin {
  readonly nowMs: number;
  readonly provider: Pick<ProviderSettings, "id" | "isOpenai">;
}

export function failureOfResponse(answer: FailedResponse, { nowMs, provider }: Origin): ModelFailure {
  const error = parseErrorBody(parseJson(answer.body));
  const overflow = findOverflow(answer.status, error);
  if (overflow !== null) return createModelFailure("contextWindow", { contextWindow: overflow.window });
  const kind = kindOf(answer, error, provider.isOpenai);
  const advice = KINDS_WITH_ADVICE.includes(kind) ? providerAdvice({ ...answer, error }, provider.id) : "";
  return createModelFailure(kind, {
    detail: detailFor(kind, answer, error, nowMs) + advice,
    httpStatus: answer.status,
    delayMs: parseRetryAfter(headerOf(answer.headers, "retry-after") ?? undefined, nowMs),
    resetsAtMs: kind === "usageLimit" ? readReset(error, answer.headers, nowMs) : null,
    resend: answer.status >= 500,
    misalignment: kind === "misalignment" ? (error?.misalignment ?? null) : null,
  });
}

function kindOf(answer: FailedResponse, error: ProviderError | null, isOpenai: boolean): FailureKind {
  const find = (rows: readonly HttpRow[]) => rows.find((row) => matches(row, answer, error))?.kind;
  const kind = find(ROWS) ?? "unexpectedStatus";
  const isGeneral = kind === "unexpectedStatus" || kind === "tooManyRequests";
  return isGeneral && !isOpenai ? (find(ROWS_OF_OTHER_PROVIDERS) ?? kind) : kind;
}

function matches(row: HttpRow, answer: FailedResponse, error: ProviderError | null): boolean {
  return (
    row.status.includes(answer.status) &&
    (row.code === undefined || row.code.includes(error?.code ?? "")) &&
    (row.type === undefined || row.type === error?.type) &&
    (row.body === undefined || answer.body.includes(row.body))
  );
}

function detailFor(
  kind: FailureKind,
  answer: FailedResponse,
  error: ProviderError | null,
  nowMs: number,
): string {
  switch (kind) {
    case "badRequest":
      return providerMessage(error, answer.body);
    case "usageLimit":
      return usageLimitText(error, answer.headers, nowMs);
    case "tooManyRequests":
      return answer.statusLine + idOf(answer.headers);
    case "busy":
      return `too many requests (${answer.statusLine}${idOf(answer.headers)}): ${providerMessage(error, answer.body)}`;
    case "finalStatus":
    case "unexpectedStatus":
      return unexpectedText(answer, error);
    default:
      return detailOf(error);
  }
}

function idOf(headers: HttpHeaders): string {
  const id = requestIdOf(headers) ?? headerOf(headers, "cf-ray");
  return id === null ? "" : `, request id: ${id}`;
}

function requestIdOf(headers: HttpHeaders): string | null {
  const names = ["x-request-id", "x-oai-request-id", "request-id"];
  return names.map((name) => headerOf(headers, name)).find((id) => id !== null) ?? null;
}

function unexpectedText(answer: FailedResponse, error: ProviderError | null): string {
  const { headers, statusLine, status, body } = answer;
  const blocked = status === 403 && body.includes("Cloudflare") && body.includes("blocked");
  const head = blocked
    ? `Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status ${statusLine})`
    : `unexpected status ${statusLine}: ${providerMessage(error, body)}`;
  const trail = [
    ["url", answer.url],
    ["cf-ray", headerOf(headers, "cf-ray")],
    ["request id", requestIdOf(headers)],
    ["auth error", headerOf(headers, "x-openai-authorization-error")],
    ["auth error code", errorCodeIn(headerOf(headers, "x-error-json"))],
  ] as const;
  return head + trail.map(([name, value]) => (value === null ? "" : `, ${name}: ${value}`)).join("");
}

/** The code in a header that contains a base64-encoded error object. */
function errorCodeIn(encoded: string | null): string | null {
  const parsed = encoded === null ? null : parseJson(Buffer.from(encoded, "base64").toString("utf8"));
  return isObject(parsed) ? (parseProviderError(parsed["error"])?.code ?? null) : null;
}

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

/** The delay of a `retry-after` header: whole seconds or a date. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_DELAY_MS);
}

/** Accepts only dates with a weekday, which a malformed number cannot match. */
function dateOf(text: string): number {
  return /^[a-z]{3}, /i.test(text) ? Date.parse(text) : Number.NaN;
}

const MAX_LENGTH = 1000;

/** The provider's message, or else the beginning of the body; never empty. */
function providerMessage(error: ProviderError | null, body: string): string {
  // Truncated before the replacement, because a body may be long.
  const given = (error?.message?.trim() || titleOf(body) || body.trim()).slice(0, 4 * MAX_LENGTH);
  const text = printable(given.replaceAll(/\s+/gu, " ")).trim();
  if (text === "") return "Unknown error";
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).replace(HALF, "")}...`;
}

/** A lone surrogate at the end, which clients would reject. */
const HALF = /[\ud800-\udbff]$/;

/** The title of an HTML error page from an intermediary. */
function titleOf(body: string): string | null {
  return /<title>([^<]{1,200})</i.exec(body.slice(0, 4 * MAX_LENGTH))?.[1]?.trim() || null;
}

interface Refusal {
  readonly status: number;
  readonly url: string;
  readonly error: ProviderError | null;
}

/** Advice after a semicolon; empty if there is none for the status. */
function providerAdvice(refusal: Refusal, providerId: string): string {
  const advice = findAdvice(refusal, `the model provider \`${providerId}\``);
  return advice === null ? "" : `; ${advice}`;
}

function findAdvice({ status, url, error }: Refusal, provider: string): string | null {
  switch (status) {
    case 401:
      return `check the key of ${provider}`;
    case 402:
      return "add credit to the account";
    case 403:
      return "check what the key may be used for, and from where";
    case 404:
    case 405:
      if (/\bmodel\b/i.test(error?.message ?? ""))
        return "check `model`, or ask the provider which ones it has";
      return pathOf(url).endsWith("/responses")
        ? `${provider} may have no Responses API: try \`wire_api = "chat"\`, or correct base_url`
        : `check base_url and wire_api of ${provider}`;
    case 429:
      return "wait, or ask the provider for a higher limit";
    default:
      return null;
  }
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
