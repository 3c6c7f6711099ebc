// How a turn ended and what it used: snake_case in the files, camelCase on the wire, also inside an error's kind.
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ThreadTokenUsage, TokenUsageBreakdown, TurnError } from "../../protocol/generated/types.ts";
import { numberOf, objectOf, objectsOf, textOf, toCamel, toSnake, withoutNulls } from "./members.ts";

export function storeTurnError(error: TurnError): JsonObject {
  return withoutNulls({
    message: error.message,
    codex_error_info: renameKind(error.codexErrorInfo, toSnake),
    additional_details: error.additionalDetails,
    misalignment: error.misalignment,
  });
}

export function readTurnError(stored: JsonObject): TurnError {
  return {
    message: textOf(stored, "message") ?? "",
    codexErrorInfo: renameKind(stored["codex_error_info"], toCamel) as TurnError["codexErrorInfo"],
    additionalDetails: textOf(stored, "additional_details"),
    misalignment: objectOf(stored, "misalignment") as TurnError["misalignment"],
  };
}

function renameKind(kind: unknown, rename: (name: string) => string): unknown {
  if (typeof kind === "string") return rename(kind);
  if (!isObject(kind)) return null;
  return Object.fromEntries(
    Object.entries(kind).map(([name, detail]) => [
      rename(name),
      isObject(detail)
        ? Object.fromEntries(Object.entries(detail).map(([key, value]) => [rename(key), value]))
        : detail,
    ]),
  );
}

export function storeUsage(usage: TokenUsageBreakdown): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

export function readUsage(stored: JsonObject): TokenUsageBreakdown {
  return {
    totalTokens: numberOf(stored, "total_tokens") ?? 0,
    inputTokens: numberOf(stored, "input_tokens") ?? 0,
    cachedInputTokens: numberOf(stored, "cached_input_tokens") ?? 0,
    cacheWriteInputTokens: numberOf(stored, "cache_write_input_tokens") ?? 0,
    outputTokens: numberOf(stored, "output_tokens") ?? 0,
    reasoningOutputTokens: numberOf(stored, "reasoning_output_tokens") ?? 0,
  };
}

/** What a `token_count` event says of the thread; null when it says nothing of it. */
export function readTokenCount(event: JsonObject): ThreadTokenUsage | null {
  const info = objectOf(event, "info");
  const total = info === null ? null : objectOf(info, "total_token_usage");
  const last = info === null ? null : objectOf(info, "last_token_usage");
  if (info === null || total === null || last === null) return null;
  return {
    total: readUsage(total),
    last: readUsage(last),
    modelContextWindow: numberOf(info, "model_context_window"),
  };
}

/** What a review said, which the files keep in parts and the wire as one text. */
const NO_ANSWER = "Reviewer failed to output a response.";

export function storeReview(text: string): JsonObject | null {
  if (text === NO_ANSWER) return null;
  return { findings: [], overall_correctness: "", overall_explanation: text, overall_confidence_score: 0 };
}

export function readReview(stored: JsonObject | null): string {
  if (stored === null) return NO_ANSWER;
  const findings = objectsOf(stored, "findings");
  const title = findings.length > 1 ? "Full review comments:" : "Review comment:";
  const comments = findings.length === 0 ? "" : [title, ...findings.map(findingText)].join("\n\n");
  const sections = [(textOf(stored, "overall_explanation") ?? "").trim(), comments.trim()];
  return sections.filter((section) => section !== "").join("\n\n") || NO_ANSWER;
}

function findingText(finding: JsonObject): string {
  const location = objectOf(finding, "code_location") ?? {};
  const range = objectOf(location, "line_range") ?? {};
  const place = `${textOf(location, "absolute_file_path") ?? ""}:${numberOf(range, "start") ?? 0}-${numberOf(range, "end") ?? 0}`;
  const body = (textOf(finding, "body") ?? "")
    .split(/\r?\n/)
    .filter((line, at, all) => line !== "" || at < all.length - 1);
  return [`- ${textOf(finding, "title") ?? ""} — ${place}`, ...body.map((line) => `  ${line}`)].join("\n");
}
