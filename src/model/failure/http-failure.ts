/** What an answer that is no stream means: status, body and headers to a failure. */
import { isObject } from "../../base/json-object.ts";
import { type HttpHeaders, headerOf, parseJson } from "../provider-input.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { findOverflow } from "./context-overflow.ts";
import { type Failure, type FailureKind, failureOf } from "./failure.ts";
import { detailOf, type ProviderError, parseErrorBody, parseProviderError } from "./provider-error.ts";
import { adviceFor, wordsOf } from "./provider-words.ts";
import { usageLimitText } from "./usage-limit-text.ts";

export interface FailedResponse {
  readonly status: number;
  /** The status with its usual name, `404 Not Found`. */
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

/** The first row that fits decides; an answer that fits none is an unexpected status. */
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

/** What providers other than OpenAI mean by these: OpenAI's own clients try them again, and its texts are known. */
const ROWS_OF_OTHERS: readonly HttpRow[] = [
  { status: [401, 402, 403, 404, 405], kind: "finalStatus" },
  { status: [429], kind: "busy" },
];

const ADVISED: readonly FailureKind[] = ["busy", "finalStatus"];

interface Origin {
  readonly nowMs: number;
  readonly provider: Pick<ProviderSettings, "id" | "isOpenai">;
}

export function failureOfResponse(answer: FailedResponse, { nowMs, provider }: Origin): Failure {
  const error = parseErrorBody(parseJson(answer.body));
  const overflow = findOverflow(answer.status, error);
  if (overflow !== null) return failureOf("contextWindow", { contextWindow: overflow.window });
  const kind = kindOf(answer, error, provider.isOpenai);
  const advice = ADVISED.includes(kind) ? adviceFor({ ...answer, error }, provider.id) : "";
  return failureOf(kind, {
    detail: detailFor(kind, answer, error, nowMs) + advice,
    httpStatus: answer.status,
    delayMs: parseRetryAfter(headerOf(answer.headers, "retry-after") ?? undefined, nowMs),
    resend: answer.status >= 500,
    misalignment: kind === "misalignment" ? (error?.misalignment ?? null) : null,
  });
}

function kindOf(answer: FailedResponse, error: ProviderError | null, isOpenai: boolean): FailureKind {
  const find = (rows: readonly HttpRow[]) => rows.find((row) => fits(row, answer, error))?.kind;
  const kind = find(ROWS) ?? "unexpectedStatus";
  const isGeneral = kind === "unexpectedStatus" || kind === "tooManyRequests";
  return isGeneral && !isOpenai ? (find(ROWS_OF_OTHERS) ?? kind) : kind;
}

function fits(row: HttpRow, answer: FailedResponse, error: ProviderError | null): boolean {
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
      return wordsOf(error, answer.body);
    case "usageLimit":
      return usageLimitText(error, answer.headers, nowMs);
    case "tooManyRequests":
      return answer.statusLine + idOf(answer.headers);
    case "busy":
      return `too many requests (${answer.statusLine}${idOf(answer.headers)}): ${wordsOf(error, answer.body)}`;
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
    : `unexpected status ${statusLine}: ${wordsOf(error, body)}`;
  const trail = [
    ["url", answer.url],
    ["cf-ray", headerOf(headers, "cf-ray")],
    ["request id", requestIdOf(headers)],
    ["auth error", headerOf(headers, "x-openai-authorization-error")],
    ["auth error code", errorCodeIn(headerOf(headers, "x-error-json"))],
  ] as const;
  return head + trail.map(([name, value]) => (value === null ? "" : `, ${name}: ${value}`)).join("");
}

/** The code inside a header that holds a whole error object in base64. */
function errorCodeIn(encoded: string | null): string | null {
  const parsed = encoded === null ? null : parseJson(Buffer.from(encoded, "base64").toString("utf8"));
  return isObject(parsed) ? (parseProviderError(parsed["error"])?.code ?? null) : null;
}

const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

/** The wait that a `retry-after` header asks for: whole seconds or a date. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_DELAY_MS);
}

/** Only the form with a weekday, which no broken number can be taken for. */
function dateOf(text: string): number {
  return /^[a-z]{3}, /i.test(text) ? Date.parse(text) : Number.NaN;
}
