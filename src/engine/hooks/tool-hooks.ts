/** PreToolUse, PermissionRequest and PostToolUse hooks, with the same input format for every tool. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { PermissionSubject, PresetPermission } from "../../tools/permission.ts";
import {
  type CallDescription,
  commandOf,
  type McpValue,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolResult,
} from "../../tools/tool.ts";
import type { PermissionHooks } from "../permissions/permission-kind.ts";
import type { HookedTurn } from "./hook-report.ts";
import { addContexts, type HookedThread, type ThreadHooks } from "./thread-hooks.ts";

export interface ToolHooks {
  /** Runs the PreToolUse hooks, which may block or rewrite the call. */
  before(call: DescribedCall): Promise<BeforeCall>;
  /** Runs the PostToolUse hooks, and returns the result with the output for the model. */
  after(call: DescribedCall, result: ToolResult, ranMs: number): Promise<ToolResult>;
}

export interface DescribedCall {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly description: CallDescription;
}

export type BeforeCall =
  | { readonly kind: "proceed"; readonly call: ToolCall; readonly permission: PresetPermission | null }
  | { readonly kind: "refused"; readonly result: ToolResult };

export function createToolHooks(thread: HookedThread, turn: HookedTurn): ToolHooks {
  const { hooks } = thread;
  return {
    async before({ tool, call, description }) {
      const { kind, name, aliases, input } = description;
      // Polling the output of a command has no effect that a hook could block.
      if (kind === "commandInput" && !hasKeystrokes(input))
        return { kind: "proceed", call, permission: null };
      const own = { tool_name: name, tool_input: input, tool_use_id: call.callId };
      const { contexts, verdict, stop } = await hooks.run("PreToolUse", own, {
        turn,
        aliases,
        files: description.files,
        suffix: call.callId,
      });
      await addContexts(thread, turn, contexts);
      if (stop !== null) turn.advance({ type: "stop" });
      if (verdict.kind === "block") return refused(blockedText(description, verdict.reason));
      for (const conflict of verdict.conflicts) hooks.warn(conflict);
      const rewritten = verdict.updatedInput === undefined ? call : rewrite(tool, call, verdict.updatedInput);
      if (rewritten === null) return refused(UNUSABLE_INPUT);
      const { permission, reason } = verdict;
      if (permission === "ask" && !canAsk(description))
        return refused(blockedText(description, reason ?? CANNOT_ASK));
      return {
        kind: "proceed",
        call: rewritten,
        permission: permission === null ? null : { behavior: permission, reason },
      };
    },
    async after({ call, description }, result, ranMs) {
      const event = describeResult(call, description, result);
      if (event === null) return result;
      const decision = await hooks.run("PostToolUse", event, {
        turn,
        aliases: description.aliases,
        files: description.files,
        hasFailed: hasFailed(result),
        durationMs: runTimeOf(call, description, result, ranMs),
        ...(result.value.kind === "patch" && { changes: result.value.changes }),
        suffix: event.tool_use_id,
      });
      const { contexts, replacement, updatedOutput, addition, conflicts, stop } = decision;
      await addContexts(thread, turn, contexts);
      if (stop !== null) turn.advance({ type: "stop" });
      for (const conflict of conflicts) hooks.warn(conflict);
      if (replacement !== null) return { ...result, output: replacement };
      const output = updatedOutput === undefined ? result.output : textOf(updatedOutput);
      return { ...result, output: addition === null ? output : `${textOf(output)}\n\n${addition}` };
    },
  };
}

/** PermissionRequest hooks, which may answer in place of clients. */
export function createPermissionHooks(hooks: ThreadHooks, turn: HookedTurn): PermissionHooks {
  return {
    async answer(subject) {
      const { call } = subject;
      const { verdict, stop } = await hooks.run(
        "PermissionRequest",
        { tool_name: call.name, tool_input: permissionInput(subject) },
        { turn, aliases: call.aliases, files: call.files, suffix: permissionSuffix(subject) },
      );
      if (stop !== null) turn.advance({ type: "stop" });
      return verdict;
    },
  };
}

/** Includes the model's justification, where it gave one. */
function permissionInput(subject: PermissionSubject): unknown {
  const { input } = subject.call;
  const reason = subject.kind === "command" ? subject.reason : null;
  return reason === null ? input : { ...(input as object), description: reason };
}

function permissionSuffix(subject: PermissionSubject): string {
  const id = "item" in subject ? subject.item.id : subject.itemId;
  return subject.kind === "command" && subject.afterDenial !== null ? `${id}:retry` : id;
}

interface DescribedResult {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
  readonly tool_use_id: string;
}

/** The PostToolUse input of a result; null for a call that did not run or is still running. */
function describeResult(
  { callId }: ToolCall,
  { name, input }: CallDescription,
  { output, success, value }: ToolResult,
): DescribedResult | null {
  const own = { tool_name: name, tool_input: input, tool_use_id: callId };
  switch (value.kind) {
    case "refused":
      return null;
    case "command":
      // A finished command is reported as the call that started it, even if a later call has polled its end.
      return value.exitCode === null
        ? null
        : {
            tool_name: "Bash",
            tool_input: { command: value.command },
            tool_use_id: value.callId,
            tool_response: value.output,
          };
    case "mcpTool":
      return success ? { ...own, tool_response: toMcpResult(value) } : null;
    case "patch":
    case "data":
      return success ? { ...own, tool_response: textOf(output) } : null;
  }
}

/** Omits members that the MCP server did not send. */
function toMcpResult({ content, structuredContent, isError, meta }: McpValue): JsonObject {
  return {
    content,
    ...(structuredContent !== null && { structuredContent }),
    ...(isError !== null && { isError }),
    ...(meta !== null && { _meta: meta }),
  };
}

const CANNOT_ASK = "a hook wants the user to be asked, which this tool cannot do";

/** Whether the tool asks for permission at all; a hook cannot request a question for other tools. */
function canAsk({ kind, name }: CallDescription): boolean {
  return kind === "command" || kind === "patch" || kind === "mcpTool" || name === "request_permissions";
}

function hasFailed({ success, value }: ToolResult): boolean {
  return !success || (value.kind === "command" && value.exitCode !== 0);
}

/** The run time without the wait for approval; undefined where it is unknown. */
function runTimeOf(
  { callId }: ToolCall,
  description: CallDescription,
  { value }: ToolResult,
  ranMs: number,
): number | undefined {
  // A polling call measures its own wait, not the run time of the command.
  if (value.kind === "command") return value.callId === callId ? value.durationMs : undefined;
  return canAsk(description) ? undefined : ranMs;
}

function refused(output: string): BeforeCall {
  return { kind: "refused", result: refuseCall(output) };
}

function rewrite(tool: Tool, call: ToolCall, input: unknown): ToolCall | null {
  return tool.withInput === undefined
    ? { ...call, input: JSON.stringify(input) }
    : tool.withInput(call, input);
}

function hasKeystrokes(input: unknown): boolean {
  return isObject(input) && typeof input["chars"] === "string" && input["chars"] !== "";
}

function blockedText({ name, input }: CallDescription, reason: string): string {
  const command = commandOf(input);
  return command === null
    ? `Tool call blocked by PreToolUse hook: ${reason}. Tool: ${name}`
    : `Command blocked by PreToolUse hook: ${reason}. Command: ${command}`;
}

/** For commands and patches; other tools accept any input. */
const UNUSABLE_INPUT = "hook returned updatedInput without string field `command`";

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
