// Turn ends and token usage: snake_case in the files, camelCase on the wire, also inside an error's kind.

import {
  numberMember,
  objectMember,
  objectsMember,
  textMember,
  withoutNulls,
} from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { toCamel, toSnake } from "../../base/letter-case.ts";
import type { ThreadTokenUsage, TokenUsageBreakdown, TurnError } from "../../protocol/generated/types.ts";

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
    message: textMember(stored, "message") ?? "",
    codexErrorInfo: renameKind(stored["codex_error_info"], toCamel) as TurnError["codexErrorInfo"],
    additionalDetails: textMember(stored, "additional_details"),
    misalignment: objectMember(stored, "misalignment") as TurnError["misalignment"],
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
    totalTokens: numberMember(stored, "total_tokens") ?? 0,
    inputTokens: numberMember(stored, "input_tokens") ?? 0,
    cachedInputTokens: numberMember(stored, "cached_input_tokens") ?? 0,
    cacheWriteInputTokens: numberMember(stored, "cache_write_input_tokens") ?? 0,
    outputTokens: numberMember(stored, "output_tokens") ?? 0,
    reasoningOutputTokens: numberMember(stored, "reasoning_output_tokens") ?? 0,
  };
}

/** The usage of a `token_count` event; null if it has none. */
export function readTokenCount(event: JsonObject): ThreadTokenUsage | null {
  const info = objectMember(event, "info");
  const total = info === null ? null : objectMember(info, "total_token_usage");
  const last = info === null ? null : objectMember(info, "last_token_usage");
  if (info === null || total === null || last === null) return null;
  return {
    total: readUsage(total),
    last: readUsage(last),
    modelContextWindow: numberMember(info, "model_context_window"),
  };
}

/** A review result, which is structured in the files and one text on the wire. */
const NO_RESPONSE = "Reviewer failed to output a response.";

export function storeReview(text: string): JsonObject | null {
  if (text === NO_RESPONSE) return null;
  return { findings: [], overall_correctness: "", overall_explanation: text, overall_confidence_score: 0 };
}

export function readReview(stored: JsonObject | null): string {
  if (stored === null) return NO_RESPONSE;
  const findings = objectsMember(stored, "findings");
  const title = findings.length > 1 ? "Full review comments:" : "Review comment:";
  const comments = findings.length === 0 ? "" : [title, ...findings.map(findingText)].join("\n\n");
  const sections = [(textMember(stored, "overall_explanation") ?? "").trim(), comments.trim()];
  return sections.filter((section) => section !== "").join("\n\n") || NO_RESPONSE;
}

function findingText(finding: JsonObject): string {
  const location = objectMember(finding, "code_location") ?? {};
  const range = objectMember(location, "line_range") ?? {};
  const reference = `${textMember(location, "absolute_file_path") ?? ""}:${numberMember(range, "start") ?? 0}-${numberMember(range, "end") ?? 0}`;
  const body = (textMember(finding, "body") ?? "")
    .split(/\r?\n/)
    .filter((line, at, all) => line !== "" || at < all.length - 1);
  return [`- ${textMember(finding, "title") ?? ""} — ${reference}`, ...body.map((line) => `  ${line}`)].join(
    "\n",
  );
}
