import type { JsonObject } from "../vocabulary/result.ts";
import {
  BLOCK,
  cannot,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  STOP,
  STOPPING,
  SYSTEM_MESSAGE,
  told,
  type Writer,
} from "./adapter.ts";

/** A text of more characters goes to a file. Bytes are never fewer than characters. */
const SPILLS_ABOVE = 10_000;

const CONTEXT_PLACEMENTS = {
  developer_equivalent_frame: { support: "native", max_bytes: SPILLS_ABOVE },
  pre_prompt_frame: { support: "native", max_bytes: SPILLS_ABOVE },
  side_channel_context: { support: "manual" },
} as const;

function contextOf(hook: string) {
  return {
    placements: CONTEXT_PLACEMENTS,
    write: (text: string) => ({ hookSpecificOutput: { additionalContext: text, hookEventName: hook } }),
  };
}

function permission(behavior: "allow" | "deny" | "ask"): Writer {
  return native(({ decision }) => {
    const reason = reasonOf(decision);
    return told({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: behavior,
        ...(reason !== undefined && { permissionDecisionReason: reason }),
      },
    });
  });
}

function permissionRequest(decision: JsonObject) {
  return told({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

const TOOL = { tool_name: "tool_name", tool_input: "tool_input", tool_use_id: "tool_use_id" };

/** Claude Code, by its reference of August 2026. */
export const claude: HarnessAdapter = {
  id: "claude",
  aliases: ["claude-code"],
  version: "0.1.0",
  displayName: "Claude",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  contextBudget: SPILLS_ABOVE,
  hookName: ["hook_event_name"],
  identity: { session: ["session_id"], frame: ["prompt_id"] },
  fields: {
    cwd: "cwd",
    transcript_path: "transcript_path",
    permission_mode: "permission_mode",
    agent_id: "agent_id",
    agent_type: "agent_type",
  },
  hooks: [
    {
      hook: "SessionStart",
      reads: "session.started",
      alsoFor: ["session.starting"],
      context: contextOf("SessionStart"),
      says: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { source: "source", model: "model" },
      compatible: "always_context",
    },
    {
      hook: "UserPromptSubmit",
      reads: "frame.opening",
      context: contextOf("UserPromptSubmit"),
      says: { deny: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { prompt: "prompt" },
      compatible: "always_context",
    },
    {
      hook: "PreCompact",
      reads: "context.pressure_observed",
      says: { deny: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger", instructions: "custom_instructions" },
      compatible: "unsupported_directive",
    },
    {
      hook: "PostCompact",
      reads: "context.compacted",
      says: { user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger", summary: "compact_summary" },
      compatible: "unsupported_event",
    },
    {
      hook: "Stop",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      says: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: STOPPING,
    },
    {
      hook: "StopFailure",
      reads: "frame.ended",
      fields: {
        error: "error",
        error_details: "error_details",
        last_assistant_message: "last_assistant_message",
      },
    },
    {
      hook: "SessionEnd",
      reads: "session.ended",
      alsoFor: ["session.ending"],
      fields: { reason: "reason" },
      compatible: "unsupported_directive",
    },
    {
      hook: "PreToolUse",
      reads: "tool.starting",
      context: contextOf("PreToolUse"),
      says: {
        allow: permission("allow"),
        deny: permission("deny"),
        ask: permission("ask"),
        stop: STOP,
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? cannot("a call that does not happen has no input")
            : objectOnly(updated_input, "PreToolUse of Claude Code", (updatedInput) => ({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  // The input counts only together with one of the two, and to change it is not to allow it.
                  permissionDecision: decision?.kind === "allow" ? "allow" : "ask",
                  updatedInput,
                },
              })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL,
    },
    {
      hook: "PermissionRequest",
      reads: "permission.requested",
      says: {
        allow: native(() => permissionRequest({ behavior: "allow" })),
        deny: native(({ decision }) =>
          permissionRequest({ behavior: "deny", message: reasonOf(decision) ?? "" }),
        ),
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "allow"
            ? objectOnly(updated_input, "PermissionRequest of Claude Code", (updatedInput) => ({
                hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { updatedInput } },
              }))
            : cannot("Claude Code takes an updated input here only together with allow"),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL,
    },
    {
      hook: "PermissionDenied",
      reads: "permission.decided",
      fields: { ...TOOL, reason: "reason" },
    },
    {
      hook: "PostToolUse",
      reads: "tool.completed",
      context: contextOf("PostToolUse"),
      says: {
        deny: BLOCK,
        stop: STOP,
        updated_output: native(({ updated_output = null }) =>
          told({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: updated_output } }),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL, tool_output: "tool_response", duration_ms: "duration_ms" },
    },
    {
      hook: "PostToolUseFailure",
      reads: "tool.failed",
      context: contextOf("PostToolUseFailure"),
      says: { user_message: SYSTEM_MESSAGE },
      fields: { ...TOOL, error: "error", is_interrupt: "is_interrupt", duration_ms: "duration_ms" },
    },
    {
      hook: "SubagentStart",
      reads: "subagent.started",
      context: contextOf("SubagentStart"),
      says: { user_message: SYSTEM_MESSAGE },
    },
    {
      hook: "SubagentStop",
      reads: "subagent.ended",
      says: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { ...STOPPING, agent_transcript_path: "agent_transcript_path" },
    },
    {
      hook: "Notification",
      reads: "notification.raised",
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
