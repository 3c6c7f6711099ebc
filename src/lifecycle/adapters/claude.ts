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

/** `continue` alone would let the call happen before the turn ends. */
const STOP_BEFORE: Writer = native(({ decision }) => {
  const reason = reasonOf(decision) ?? "a hook wants the run to end";
  return told({
    continue: false,
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
    stopReason: reason,
  });
});

function permissionRequest(decision: JsonObject) {
  return told({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

const ASKED = { tool_name: "tool_name", tool_input: "tool_input" };
const TOOL = { ...ASKED, tool_use_id: "tool_use_id" };

/** What is still at work when the model is done, and what will wake it. */
const ENDING = { ...STOPPING, background_tasks: "background_tasks", session_crons: "session_crons" };

/**
 * Claude Code. It has no name of its own for the moment at which all calls of an answer are done: that is the moment
 * before the model is asked again. A context at `Stop` and `SubagentStop` would make the work go on, uncounted, so none
 * is told there.
 */
export const claude: HarnessAdapter = {
  id: "claude",
  aliases: ["claude-code"],
  version: "0.1.0",
  displayName: "Claude",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  evidence: { program: "@anthropic-ai/claude-code", version: "2.1.325", basis: "observed" },
  contextBudget: SPILLS_ABOVE,
  hookName: ["hook_event_name"],
  identity: { session: ["session_id"], frame: ["prompt_id"] },
  fields: {
    cwd: "cwd",
    transcript_path: "transcript_path",
    permission_mode: "permission_mode",
    agent_id: "agent_id",
    agent_type: "agent_type",
    effort: "effort.level",
  },
  hooks: [
    {
      hook: "SessionStart",
      reads: "session.started",
      alsoFor: ["session.starting"],
      context: contextOf("SessionStart"),
      says: { user_message: SYSTEM_MESSAGE },
      // The model is named after a compaction only.
      fields: { source: "source", model: "model", context_tokens: "context_tokens" },
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
      says: { deny: BLOCK },
      fields: { trigger: "trigger", instructions: "custom_instructions" },
      compatible: "unsupported_directive",
    },
    {
      hook: "PostCompact",
      reads: "context.compacted",
      fields: { trigger: "trigger", summary: "compact_summary" },
      compatible: "unsupported_event",
    },
    {
      hook: "Stop",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      says: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: ENDING,
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
        stop: STOP_BEFORE,
        // Without a decision the permissions of the harness judge the new input.
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? cannot("a call that does not happen has no input")
            : objectOnly(updated_input, "PreToolUse of Claude Code", (updatedInput) => ({
                hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput },
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
        stop: native(({ decision }) =>
          permissionRequest({ behavior: "deny", interrupt: true, message: reasonOf(decision) ?? "" }),
        ),
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "allow"
            ? objectOnly(updated_input, "PermissionRequest of Claude Code", (updatedInput) => ({
                hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { updatedInput } },
              }))
            : cannot("Claude Code takes an updated input here only together with allow"),
        ),
      },
      fields: { ...ASKED, permission_suggestions: "permission_suggestions" },
    },
    {
      hook: "PermissionDenied",
      reads: "permission.decided",
      // Seen in no run without a terminal.
      support: "partial",
      fields: { ...TOOL, reason: "reason" },
    },
    {
      hook: "PostToolUse",
      reads: "tool.completed",
      context: contextOf("PostToolUse"),
      says: {
        deny: BLOCK,
        stop: STOP,
        // Anything but the tool's own shape, such as `{ stdout, stderr, interrupted, isImage }`, is ignored in silence.
        updated_output: partial(({ updated_output }) =>
          objectOnly(updated_output, "PostToolUse of Claude Code", (updatedToolOutput) => ({
            hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
          })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL, tool_output: "tool_response", duration_ms: "duration_ms" },
    },
    {
      hook: "PostToolUseFailure",
      reads: "tool.failed",
      context: contextOf("PostToolUseFailure"),
      says: { deny: BLOCK, user_message: SYSTEM_MESSAGE },
      fields: { ...TOOL, error: "error", is_interrupt: "is_interrupt", duration_ms: "duration_ms" },
    },
    {
      hook: "PostToolBatch",
      reads: "model.requested",
      // Of the first request of a prompt nobody is told.
      support: "partial",
      context: contextOf("PostToolBatch"),
      says: { deny: BLOCK, stop: BLOCK },
      fields: { tool_calls: "tool_calls" },
    },
    {
      hook: "MessageDisplay",
      reads: "model.responded",
      // Of an answer without a text nobody is told.
      support: "partial",
      fields: { last_assistant_message: "delta", is_final: "final" },
    },
    {
      hook: "SubagentStart",
      reads: "subagent.started",
      context: contextOf("SubagentStart"),
    },
    {
      hook: "SubagentStop",
      reads: "subagent.ended",
      says: { continue_with: BLOCK },
      fields: { ...ENDING, agent_transcript_path: "agent_transcript_path" },
    },
    {
      hook: "Notification",
      reads: "notification.raised",
      // Seen in no run without a terminal.
      support: "partial",
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
