import { ownMember } from "../text/json.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import {
  type FieldPaths,
  type HarnessAdapter,
  type HookRow,
  native,
  objectOnly,
  partial,
  reasonOf,
  unsupported,
  type Writer,
  written,
} from "./adapter.ts";

const CONTEXT = {
  placements: {
    developer_equivalent_frame: { support: "partial", max_bytes: 8192 },
    pre_prompt_frame: { support: "partial", max_bytes: 8192 },
    side_channel_context: { support: "manual" },
  },
  write: (text: string): JsonObject => ({ additional_context: text }),
} as const;

function permission(kind: "allow" | "deny" | "ask"): Writer {
  return native(({ decision }) => {
    const reason = reasonOf(decision);
    return written({ permission: kind, ...(reason !== undefined && { agent_message: reason }) });
  });
}

const USER_MESSAGE: Writer = native(({ user_message = "" }) => written({ user_message }));

/** A hook for one kind of tool, beside the general one: the same event, and it can also ask the user. */
function beforeTool(hook: string, fields: FieldPaths): HookRow {
  return {
    hook,
    reads: "tool.starting",
    writers: {
      allow: permission("allow"),
      deny: permission("deny"),
      ask: permission("ask"),
      user_message: USER_MESSAGE,
    },
    fields,
  };
}

function afterTool(hook: string, fields: FieldPaths): HookRow {
  return { hook, reads: "tool.completed", fields };
}

/** Cursor's agent, as documented in its hooks reference. It accepts no context with a prompt. */
export const cursorAdapter: HarnessAdapter = {
  id: "cursor",
  aliases: [],
  version: "0.1.0",
  displayName: "Cursor",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  evidence: { program: "cursor", basis: "documented" },
  contextBudget: 16_384,
  hookName: ["hook_event_name"],
  identity: { session: ["conversation_id", "session_id"], frame: ["generation_id"] },
  fields: {
    model: "model",
    transcript_path: "transcript_path",
    workspace_roots: "workspace_roots",
    cwd: "cwd",
  },
  hooks: [
    {
      hook: "sessionStart",
      reads: "session.started",
      alsoFor: ["session.starting"],
      context: CONTEXT,
    },
    {
      hook: "beforeSubmitPrompt",
      reads: "frame.opening",
      writers: {
        deny: native(({ decision, user_message }) =>
          // The reason is for the user, because no model has been called yet.
          written({ continue: false, user_message: user_message ?? reasonOf(decision) ?? "" }),
        ),
        user_message: USER_MESSAGE,
      },
      fields: { prompt: "prompt", attachments: "attachments" },
    },
    {
      hook: "stop",
      reads: {
        among: ["frame.ending", "frame.ended", "interrupt.requested"],
        choose: (input) => {
          const status = ownMember(input, "status");
          if (status === "aborted") return "interrupt.requested";
          return status === "error" ? "frame.ended" : "frame.ending";
        },
      },
      // An aborted or failed turn unsupported be continued.
      writersAt: ["frame.ending"],
      writers: {
        continue_with: native(({ decision }) => written({ followup_message: reasonOf(decision) ?? "" })),
      },
      fields: { status: "status", continuations: "loop_count" },
    },
    { hook: "preCompact", reads: "context.pressure_observed", fields: { trigger: "trigger" } },
    {
      hook: "sessionEnd",
      reads: "session.ended",
      alsoFor: ["session.ending"],
      fields: { reason: "reason" },
    },
    {
      hook: "preToolUse",
      reads: "tool.starting",
      writers: {
        allow: permission("allow"),
        deny: permission("deny"),
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny"
            ? unsupported("a call that is denied has no input")
            : objectOnly(updated_input, "preToolUse of Cursor", (value) => ({ updated_input: value })),
        ),
        user_message: USER_MESSAGE,
      },
      fields: { tool_name: "tool_name", tool_input: "tool_input", tool_use_id: "tool_use_id" },
    },
    beforeTool("beforeShellExecution", { command: "command" }),
    beforeTool("beforeMCPExecution", { tool_name: "tool_name", tool_input: "tool_input" }),
    {
      hook: "beforeReadFile",
      reads: "tool.starting",
      // This hook shows messages to neither the model nor the user.
      writers: {
        allow: partial(() => written({ permission: "allow" })),
        deny: partial(() => written({ permission: "deny" })),
      },
      fields: { file_path: "file_path" },
    },
    {
      hook: "postToolUse",
      reads: "tool.completed",
      context: CONTEXT,
      writers: {
        // Cursor replaces the output of MCP tools only.
        updated_output: partial(({ updated_output = null }) =>
          written({ updated_mcp_tool_output: updated_output }),
        ),
      },
      fields: {
        tool_name: "tool_name",
        tool_input: "tool_input",
        tool_use_id: "tool_use_id",
        tool_output: "tool_output",
        duration_ms: "duration",
      },
    },
    afterTool("afterShellExecution", { command: "command", tool_output: "output", duration_ms: "duration" }),
    afterTool("afterMCPExecution", {
      tool_name: "tool_name",
      tool_input: "tool_input",
      tool_output: "result_json",
    }),
    afterTool("afterFileEdit", { file_path: "file_path", edits: "edits" }),
    {
      hook: "postToolUseFailure",
      reads: "tool.failed",
      fields: { tool_name: "tool_name", tool_input: "tool_input", error: "error_message" },
    },
    {
      hook: "subagentStart",
      reads: "subagent.started",
      fields: { agent_type: "subagent_type", task: "task" },
    },
    {
      hook: "subagentStop",
      reads: "subagent.ended",
      fields: { agent_type: "subagent_type", status: "status" },
    },
    { hook: "afterAgentResponse", reads: "model.responded", fields: { last_assistant_message: "text" } },
    { hook: "afterAgentThought", reads: "model.responded", fields: { thought: "text" } },
  ],
};
