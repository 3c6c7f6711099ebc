/** Wraps a tool of an MCP server as a tool that the model can call. */
import { type Clock, startStopwatch } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { Tool as Definition } from "../../protocol/generated/types.ts";
import { MCP_CALL_CANCELLED } from "../permission.ts";
import {
  type CallDescription,
  describeFunctionCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import {
  type CallResult,
  type McpInvocation,
  toCallResult,
  toCompletedItem,
  toStartedItem,
  toToolResult,
} from "./call-result.ts";
import { createElicit } from "./elicitation.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { approvalMode, type McpPolicy } from "./mcp-policy.ts";
import type { McpServerConfig } from "./server/server-config.ts";
import { describeMcpFault } from "./server/server-failure.ts";
import { type CallableName, namesOfTool } from "./tool-names.ts";
import { toToolSchema } from "./tool-schema.ts";

export interface McpToolOptions {
  readonly definition: Definition;
  readonly callable: CallableName;
  /** The server's instructions. */
  readonly instructions: string | null;
  readonly server: McpServerConfig;
  readonly connection: McpConnection;
  readonly policy: () => McpPolicy;
  readonly clock: Clock;
}

/** Null for a tool that no model could call. */
export function createMcpTool(options: McpToolOptions): Tool | null {
  const { definition, callable, server, instructions } = options;
  const parameters = toToolSchema(definition.inputSchema, server.maxSchemaBytes);
  if (parameters === null) return null;
  const { description = "", annotations } = definition;
  return {
    name: callable.name,
    namespace: { name: callable.namespace, description: instructions?.trim() ?? "" },
    spec: { type: "function", name: callable.name, description, strict: false, parameters },
    parallel: server.parallel || (isObject(annotations) && annotations["readOnlyHint"] === true),
    describeCall: (call) => describeMcpCall(call, options),
    run: (call, context) => runCall(call, context, options),
  };
}

function describeMcpCall(call: ToolCall, { server, definition }: McpToolOptions): CallDescription {
  const aliases = namesOfTool({ server: server.name, tool: definition.name });
  return { ...describeFunctionCall(call, "mcpTool"), aliases };
}

async function runCall(call: ToolCall, context: ToolContext, options: McpToolOptions): Promise<ToolResult> {
  const { clock, server, definition } = options;
  const stopwatch = startStopwatch(clock);
  const answer = (result: CallResult): ToolResult =>
    toToolResult(result, { ...outputOptions(options), wallTimeMs: stopwatch.elapsedMs() });
  const parsed = parseArguments(call.input);
  if (!parsed.ok) return answer({ kind: "refused", message: `err: ${parsed.reason}` });
  const invocation: McpInvocation = {
    callId: call.callId,
    server: server.name,
    tool: definition.name,
    args: parsed.args,
    definition,
  };
  context.items.begin(toStartedItem(invocation));
  const { result, durationMs } = await runAllowed(call, invocation, context, options);
  if (!context.signal.aborted) context.items.complete(toCompletedItem(invocation, result, durationMs));
  return answer(result);
}

async function runAllowed(
  call: ToolCall,
  invocation: McpInvocation,
  context: ToolContext,
  options: McpToolOptions,
) {
  const { clock, server, definition, policy } = options;
  const { permissions, sandbox } = context;
  const answer = await permissions.request({
    kind: "mcpToolCall",
    call: describeMcpCall(call, options),
    itemId: invocation.callId,
    server: server.name,
    tool: definition,
    mode: approvalMode(server, definition.name),
    args: invocation.args,
  });
  if (answer.kind !== "approved") {
    const message = answer.kind === "declined" ? answer.reason : MCP_CALL_CANCELLED;
    return { result: { kind: "refused", message } as CallResult, durationMs: 0 };
  }
  const stopwatch = startStopwatch(clock);
  const ofTurn = (): McpPolicy => ({ ...policy(), sandbox });
  const result = await callServer(invocation, context, { ...options, policy: ofTurn });
  return { result, durationMs: stopwatch.elapsedMs() };
}

async function callServer(
  { callId, tool, args }: McpInvocation,
  context: ToolContext,
  { server, connection, policy }: McpToolOptions,
): Promise<CallResult> {
  const { threadId, turnId, ask, items, signal } = context;
  const fail = (cause: string): CallResult => ({
    kind: "failed",
    message: `tool call error: tool call failed for \`${server.name}/${tool}\`\n\nCaused by:\n    ${cause}`,
  });
  if (args !== null && !isObject(args)) {
    return fail(`MCP tool arguments must be a JSON object, got ${JSON.stringify(args)}`);
  }
  const params = {
    name: tool,
    ...(args !== null && { arguments: args }),
    _meta: callMeta(callId, threadId, turnId),
  };
  const outcome = await connection.request("tools/call", params, {
    timeoutMs: server.toolTimeoutMs,
    signal,
    onProgress: (message) => items.mcpProgress(callId, message),
    elicit: createElicit({ threadId, turnId, server: server.name, policy, ask }),
  });
  return outcome.kind === "answered" ? toCallResult(outcome.result) : fail(describeMcpFault(outcome));
}

/** Metadata of a call, under the names that servers expect. */
function callMeta(callId: string, threadId: string, turnId: string): JsonObject {
  const turn = { session_id: threadId, thread_id: threadId, turn_id: turnId };
  return { callId, threadId, sessionId: threadId, "x-codex-turn-metadata": turn };
}

function outputOptions({ server, definition, policy }: McpToolOptions) {
  const { truncation, modalities } = policy();
  const limit = server.tools.get(definition.name)?.outputTokenLimit ?? null;
  return { truncation: limit === null ? truncation : ({ unit: "tokens", limit } as const), modalities };
}

type Arguments =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly reason: string };

/** Empty text means no arguments. */
function parseArguments(input: string): Arguments {
  if (input.trim() === "") return { ok: true, args: null };
  try {
    return { ok: true, args: JSON.parse(input) as unknown };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}
