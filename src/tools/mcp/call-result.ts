/** Converts the result of an MCP tool call into an item for clients and an output for the model. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { byteBudget, type Truncation, truncateMiddle } from "../../base/truncate-text.ts";
import type {
  FunctionCallOutputContentItem,
  ImageDetail,
  InputModality,
  McpToolCallResult,
  ThreadItem,
  Tool,
} from "../../protocol/generated/types.ts";
import type { ResultValue, ToolResult } from "../tool.ts";

type McpCallItem = Extract<ThreadItem, { type: "mcpToolCall" }>;

export interface McpInvocation {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
  /** The server's definition of the tool; null for Heddle's own tools. */
  readonly definition: Tool | null;
}

export function toStartedItem({ callId, server, tool, args, definition }: McpInvocation): McpCallItem {
  const uri = appResourceOf(definition);
  return {
    type: "mcpToolCall",
    id: callId,
    server,
    tool,
    status: "inProgress",
    arguments: args,
    appContext: null,
    ...(uri !== null && { mcpAppResourceUri: uri }),
    mcpAppUi: null,
    pluginId: null,
    readOnlyHint: readOnlyHint(definition),
    result: null,
    error: null,
    durationMs: null,
  };
}

export function toCompletedItem(
  invocation: McpInvocation,
  result: CallResult,
  durationMs: number,
): McpCallItem {
  const item = { ...toStartedItem(invocation), durationMs };
  if (result.kind !== "answered") return { ...item, status: "failed", error: { message: result.message } };
  return { ...item, status: result.isError ? "failed" : "completed", result: toItemResult(result) };
}

function readOnlyHint(definition: Tool | null): boolean | null {
  const annotations = definition?.annotations;
  const hint = isObject(annotations) ? annotations["readOnlyHint"] : null;
  return typeof hint === "boolean" ? hint : null;
}

function appResourceOf(definition: Tool | null): string | null {
  const meta = definition?._meta;
  if (!isObject(meta)) return null;
  const { ui } = meta;
  const uri =
    (isObject(ui) ? ui["resourceUri"] : undefined) ?? meta["ui/resourceUri"] ?? meta["openai/outputTemplate"];
  return typeof uri === "string" ? uri : null;
}

export type CallResult =
  | {
      readonly kind: "answered";
      readonly content: readonly unknown[];
      readonly structuredContent: unknown;
      /** Null where the server omits it. */
      readonly isError: boolean | null;
      readonly meta: unknown;
    }
  | { readonly kind: "failed"; readonly message: string }
  /** The call was not sent to the server. */
  | { readonly kind: "refused"; readonly message: string };

/** Larger results are not sent to clients and histories, where they would not be read. */
const MAX_ITEM_BYTES = 1024 * 1024;

export function toCallResult(result: JsonObject): CallResult {
  const { content, structuredContent = null, isError, _meta: meta = null } = result;
  return {
    kind: "answered",
    content: Array.isArray(content) ? content : [],
    structuredContent,
    isError: typeof isError === "boolean" ? isError : null,
    meta,
  };
}

function toItemResult(result: Extract<CallResult, { kind: "answered" }>): McpToolCallResult {
  const { content, structuredContent, isError, meta } = result;
  const whole = { content: [...content], structuredContent, _meta: meta };
  const text = JSON.stringify({
    content,
    ...(structuredContent !== null && { structuredContent }),
    ...(isError === true && { isError }),
    ...(meta !== null && { _meta: meta }),
  });
  if (Buffer.byteLength(text) <= MAX_ITEM_BYTES) return whole;
  const preview = truncateMiddle(text, { unit: "bytes", limit: MAX_ITEM_BYTES });
  return { content: [{ type: "text", text: preview }], structuredContent: null, _meta: null };
}

export interface OutputOptions {
  readonly wallTimeMs: number;
  readonly truncation: Truncation;
  readonly modalities: readonly InputModality[];
}

export function toToolResult(
  result: CallResult,
  { wallTimeMs, truncation, modalities }: OutputOptions,
): ToolResult {
  const heading = `Wall time: ${(wallTimeMs / 1000).toFixed(4)} seconds\nOutput:`;
  const limit = withMargin(truncation);
  const value = toValue(result);
  if (result.kind !== "answered") {
    return { output: truncateItems([text(heading), text(result.message)], limit), success: false, value };
  }
  const success = result.isError !== true;
  const { structuredContent } = result;
  if (structuredContent !== null) {
    const output = truncateMiddle(`${heading}\n${JSON.stringify(structuredContent)}`, limit);
    return { output, success, value };
  }
  const items = result.content.map((block) => toContentItem(block, modalities));
  return { output: truncateItems([text(heading), ...items], limit), success, value };
}

function toValue(result: CallResult): ResultValue {
  switch (result.kind) {
    case "answered": {
      const { content, structuredContent, isError, meta } = result;
      return { kind: "mcpTool", content, structuredContent, isError, meta };
    }
    case "failed": {
      const content = [{ type: "text", text: result.message }];
      return { kind: "mcpTool", content, structuredContent: null, isError: true, meta: null };
    }
    case "refused":
      return { kind: "refused" };
  }
}

/** The text is JSON-quoted once more later, which the margin allows for. */
export function withMargin({ unit, limit }: Truncation): Truncation {
  return { unit, limit: Math.ceil(limit * 1.2) };
}

function text(value: string): FunctionCallOutputContentItem {
  return { type: "input_text", text: value };
}

function toContentItem(block: unknown, modalities: readonly InputModality[]): FunctionCallOutputContentItem {
  if (!isObject(block)) return text(JSON.stringify(block));
  const { type, data, _meta: meta } = block;
  if (type === "text" && typeof block["text"] === "string") return text(block["text"]);
  if ((type !== "image" && type !== "audio") || typeof data !== "string") return text(JSON.stringify(block));
  if (type === "image" && !modalities.includes("image")) {
    return text("<image content omitted because you do not support image input>");
  }
  if (type === "audio" && !modalities.includes("audio")) {
    return text("<audio content omitted because you do not support audio input>");
  }
  const mimeType = block["mimeType"] ?? block["mime_type"];
  const kind = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  const url = data.startsWith("data:") ? data : `data:${kind};base64,${data}`;
  if (type === "audio") return { type: "input_audio", audio_url: url };
  return { type: "input_image", image_url: url, detail: detailOf(meta) };
}

const DETAILS: readonly ImageDetail[] = ["auto", "low", "high", "original"];

function detailOf(meta: unknown): ImageDetail {
  const wanted = isObject(meta) ? meta["codex/imageDetail"] : undefined;
  return DETAILS.find((detail) => detail === wanted) ?? "high";
}

/** The budget covers all texts together; images do not count. */
function truncateItems(
  items: readonly FunctionCallOutputContentItem[],
  { unit, limit }: Truncation,
): FunctionCallOutputContentItem[] {
  let left = byteBudget({ unit, limit });
  let omitted = 0;
  const kept = items.flatMap((item) => {
    if (item.type !== "input_text") return [item];
    const bytes = Buffer.byteLength(item.text);
    if (left === 0 && bytes > 0) {
      omitted += 1;
      return [];
    }
    const shown = bytes <= left ? item.text : truncateMiddle(item.text, scaled(unit, left));
    left = Math.max(0, left - bytes);
    return [text(shown)];
  });
  return omitted === 0 ? kept : [...kept, text(`[omitted ${omitted} text items ...]`)];
}

function scaled(unit: Truncation["unit"], bytes: number): Truncation {
  return { unit, limit: unit === "bytes" ? bytes : Math.floor(bytes / 4) };
}
