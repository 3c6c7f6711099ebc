/** The bodies of webhook requests: small, and without likely secrets. */
import type { JsonObject } from "../../base/json-object.ts";
import { redactSecrets } from "../../base/redact-secrets.ts";

/** The limit of Standard Webhooks is advice, and receivers rely on it. */
export const MAX_EVENT_BYTES = 20_000;
/** Characters of each text. */
export const MAX_EVENT_TEXT = 1000;

export interface EventBody {
  readonly type: string;
  readonly atMs: number;
  readonly data: JsonObject;
}

export function renderBody({ type, atMs, data }: EventBody): string {
  const timestamp = new Date(atMs).toISOString();
  const clipped = mapTexts(data, MAX_EVENT_TEXT);
  const body = JSON.stringify({ type, timestamp, data: clipped });
  if (Buffer.byteLength(body) <= MAX_EVENT_BYTES) return body;
  // Only many long texts of several bytes for each character get here.
  return JSON.stringify({ type, timestamp, data: mapTexts(data, MAX_EVENT_TEXT / 10) });
}

function mapTexts(data: JsonObject, limit: number): JsonObject {
  const entries = Object.entries(data).map(([key, value]) => [
    key,
    typeof value === "string" ? clip(redactSecrets(value.slice(0, 4 * limit)), limit) : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).toWellFormed()}…` : text.toWellFormed();
}
