/** The item under which clients see a call of an MCP tool. */
import { isObject } from "../../base/json-object.ts";
import type { ThreadItem, Tool } from "../../protocol/generated/types.ts";
import { type CallResult, toItemResult } from "./call-result.ts";

type McpItem = Extract<ThreadItem, { type: "mcpToolCall" }>;

export interface McpInvocation {
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: unknown;
  /** What the server says about the tool; null for tools of our own. */
  readonly definition: Tool | null;
}

export function toStartedItem({ callId, server, tool, args, definition }: McpInvocation): McpItem {
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

export function toCompletedItem(invocation: McpInvocation, result: CallResult, durationMs: number): McpItem {
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
