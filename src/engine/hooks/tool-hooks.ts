/** Hooks before and after a call of a tool, in the same terms for every tool. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { PresetPermission } from "../../tools/permission.ts";
import {
  type CallDescription,
  commandOf,
  type McpValue,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolResult,
} from "../../tools/tool.ts";
import type { HookedTurn } from "./hook-report.ts";
import { addContexts, type HookedThread } from "./thread-hooks.ts";

export interface ToolHooks {
  /** Whether and how the call is done. */
  before(call: DescribedCall): Promise<BeforeCall>;
  /** What the model is told of a call that was done. */
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
      // A look at what a command has written does nothing.
      if (kind === "commandInput" && !typesSomething(input))
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
      const told = describeResult(call, description, result);
      if (told === null) return result;
      const decision = await hooks.run("PostToolUse", told, {
        turn,
        aliases: description.aliases,
        files: description.files,
        hasFailed: hasFailed(result),
        durationMs: workedMs(call, description, result, ranMs),
        ...(result.value.kind === "patch" && { changes: result.value.changes }),
        suffix: told.tool_use_id,
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

interface DescribedResult {
  readonly tool_name: string;
  readonly tool_input: unknown;
  readonly tool_response: unknown;
  readonly tool_use_id: string;
}

/** What hooks are told of a result; null where nothing was done, or it is not over. */
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
      // Seen to its end, a command is told of as the call that began it, whichever call has seen it.
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

/** With what the server has said, and nothing else. */
function toMcpResult({ content, structuredContent, isError, meta }: McpValue): JsonObject {
  return {
    content,
    ...(structuredContent !== null && { structuredContent }),
    ...(isError !== null && { isError }),
    ...(meta !== null && { _meta: meta }),
  };
}

const CANNOT_ASK = "a hook wants the user to be asked, which this tool cannot do";

/** Whether the tool asks for permission at all; of the others a hook cannot have somebody asked. */
function canAsk({ kind, name }: CallDescription): boolean {
  return kind === "command" || kind === "patch" || kind === "mcpTool" || name === "request_permissions";
}

function hasFailed({ success, value }: ToolResult): boolean {
  return !success || (value.kind === "command" && value.exitCode !== 0);
}

/** Without the time for which somebody was asked; undefined where the two cannot be told apart. */
function workedMs(
  { callId }: ToolCall,
  description: CallDescription,
  { value }: ToolResult,
  ranMs: number,
): number | undefined {
  // A call that looks at a command knows how long it has looked, not how long the command has run.
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

function typesSomething(input: unknown): boolean {
  return isObject(input) && typeof input["chars"] === "string" && input["chars"] !== "";
}

function blockedText({ name, input }: CallDescription, reason: string): string {
  const command = commandOf(input);
  return command === null
    ? `Tool call blocked by PreToolUse hook: ${reason}. Tool: ${name}`
    : `Command blocked by PreToolUse hook: ${reason}. Command: ${command}`;
}

/** Of commands and patches; every other tool is called with whatever it is given. */
const UNUSABLE_INPUT = "hook returned updatedInput without string field `command`";

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
