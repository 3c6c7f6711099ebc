// Tool calls of a transcript with their results, as items and as model history, where each call has exactly one output.

import { textMember } from "../../../base/json-members.ts";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import { joinWords } from "../../../base/shlex.ts";
import type { ThreadItem } from "../../../protocol/generated/types.ts";
import { type ContentBlock, type OutputPart, outputText } from "./content-block.ts";
import { editChanges, isEditingTool } from "./file-changes.ts";
import { importedCallId } from "./imported-id.ts";
import type { TurnWriter } from "./turn-writer.ts";

type ToolUse = Extract<ContentBlock, { type: "toolUse" }>;

export interface CallTracker {
  /** False if the call is a duplicate. */
  open(use: ToolUse, cwd: string): boolean;
  /** False if no open call has this id. */
  answer(sourceId: string, result: Omit<ImportedResult, "completedAtMs">): boolean;
  /** Ends calls without a result. */
  abandon(): void;
}

export function createCallTracker(threadId: string, writer: TurnWriter): CallTracker {
  const waiting = new Map<string, ImportedCall>();
  const seen = new Set<string>();

  function close(call: ImportedCall, result: ImportedResult | null): void {
    const output: readonly OutputPart[] = result?.output ?? [{ type: "text", text: ABORTED_OUTPUT }];
    writer.addToHistory(callOutputItem(call.callId, output));
    writer.item(toolItem(call, result), call.startedAtMs);
  }

  return {
    open({ id, name, input }, cwd) {
      const callId = importedCallId(threadId, id);
      if (seen.has(callId)) return false;
      seen.add(callId);
      const call = { callId, name, input, cwd, startedAtMs: writer.nowMs };
      waiting.set(callId, call);
      writer.addToHistory(callItem(call));
      return true;
    },
    answer(sourceId, result) {
      const callId = importedCallId(threadId, sourceId);
      const call = waiting.get(callId);
      if (call === undefined) return false;
      waiting.delete(callId);
      close(call, { ...result, completedAtMs: writer.nowMs });
      return true;
    },
    abandon() {
      for (const call of waiting.values()) close(call, null);
      waiting.clear();
    },
  };
}

/** Conversion of calls to items for clients and to function calls for the model. */

export interface ImportedCall {
  /** The id of the call and of its item. */
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly cwd: string;
  readonly startedAtMs: number;
}

export interface ImportedResult {
  readonly output: readonly OutputPart[];
  readonly isError: boolean;
  /** The structured result of the tool. */
  readonly details: unknown;
  readonly completedAtMs: number;
}

type ItemOf<T extends ThreadItem["type"]> = Extract<ThreadItem, { type: T }>;

const DECLINED = "The user doesn't want to proceed with this tool use";
const NAMESPACE = "claude-code";

/** A null result is a call that was never answered. */
export function toolItem(call: ImportedCall, result: ImportedResult | null): ThreadItem {
  const id = call.callId;
  if (call.name === "Bash") return commandItem(call, result);
  if (isEditingTool(call.name)) {
    const { name, input, cwd } = call;
    const changes = editChanges({ name, input, cwd, result: result?.details });
    return { type: "fileChange", id, changes, status: statusOf(result) };
  }
  const mcp = /^mcp__(.+?)__(.+)$/s.exec(call.name);
  return mcp === null ? otherItem(call, result) : mcpItem(call, result, [mcp[1] ?? "", mcp[2] ?? ""]);
}

function commandItem(call: ImportedCall, result: ImportedResult | null): ItemOf<"commandExecution"> {
  const command = textMember(call.input, "command") ?? "";
  return {
    type: "commandExecution",
    id: call.callId,
    pluginId: null,
    scriptPath: null,
    command: joinWords(["bash", "-lc", command]),
    cwd: call.cwd,
    processId: null,
    source: "agent",
    status: statusOf(result),
    commandActions: [{ type: "unknown", command }],
    aggregatedOutput: result === null ? null : commandOutput(result) || null,
    exitCode: result === null ? null : exitCodeOf(result),
    durationMs: durationOf(call, result),
  };
}

function commandOutput({ output, details }: ImportedResult): string {
  const structured = isObject(details) ? details : {};
  const streams = [textMember(structured, "stdout"), textMember(structured, "stderr")].filter(
    (text) => text !== null && text !== "",
  );
  return streams.length > 0 ? streams.join("\n") : outputText(output);
}

function exitCodeOf({ output, isError }: ImportedResult): number | null {
  const code = /^(?:Error: )?(?:Command failed with )?[Ee]xit code (\d+)/.exec(outputText(output))?.[1];
  if (code !== undefined) return Number(code);
  return isError ? null : 0;
}

function mcpItem(
  call: ImportedCall,
  result: ImportedResult | null,
  [server, tool]: readonly [string, string],
): ItemOf<"mcpToolCall"> {
  const isSuccess = result !== null && !result.isError;
  const content = (result?.output ?? []).map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : { type: "text", text: "[image]" },
  );
  return {
    type: "mcpToolCall",
    id: call.callId,
    server,
    tool,
    status: isSuccess ? "completed" : "failed",
    arguments: call.input,
    appContext: null,
    mcpAppUi: null,
    pluginId: null,
    readOnlyHint: null,
    result: isSuccess ? { content, structuredContent: null, _meta: null } : null,
    error: isSuccess ? null : { message: result === null ? ABORTED_OUTPUT : outputText(result.output) },
    durationMs: durationOf(call, result),
  };
}

function otherItem(call: ImportedCall, result: ImportedResult | null): ItemOf<"dynamicToolCall"> {
  const isSuccess = result !== null && !result.isError;
  return {
    type: "dynamicToolCall",
    id: call.callId,
    namespace: NAMESPACE,
    tool: call.name,
    arguments: call.input,
    status: isSuccess ? "completed" : "failed",
    contentItems:
      result?.output.map((part) =>
        part.type === "text"
          ? { type: "inputText", text: part.text }
          : { type: "inputImage", imageUrl: part.url },
      ) ?? null,
    success: isSuccess,
    durationMs: durationOf(call, result),
  };
}

function statusOf(result: ImportedResult | null): "completed" | "failed" | "declined" {
  if (result === null) return "failed";
  if (!result.isError) return "completed";
  return outputText(result.output).startsWith(DECLINED) ? "declined" : "failed";
}

function durationOf({ startedAtMs }: ImportedCall, result: ImportedResult | null): number | null {
  return result === null ? null : Math.max(0, result.completedAtMs - startedAtMs);
}

/** The output of a call without a result, in the peer's wording, which models know. */
export const ABORTED_OUTPUT = "aborted";

const MAX_NAME = 64;

/** A shell command becomes a call of `exec_command`, which this server offers; other calls keep their names. */
export function callItem({ callId, name, input, cwd }: ImportedCall): JsonObject & { readonly type: string } {
  const isShell = name === "Bash";
  const args = isShell ? { cmd: textMember(input, "command") ?? "", workdir: cwd } : input;
  const plain = name.replaceAll(/[^\w-]/g, "_").slice(0, MAX_NAME) || "tool";
  return {
    type: "function_call",
    name: isShell ? "exec_command" : plain,
    arguments: JSON.stringify(args),
    call_id: callId,
  };
}

export function callOutputItem(
  callId: string,
  output: readonly OutputPart[],
): JsonObject & { readonly type: string } {
  const hasImage = output.some(({ type }) => type === "image");
  const parts = output.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: part.url },
  );
  return { type: "function_call_output", call_id: callId, output: hasImage ? parts : outputText(output) };
}
