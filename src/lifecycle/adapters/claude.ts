import type { JsonObject } from "../vocabulary/result.ts";
import {
  BLOCK,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  STOP,
  STOP_FIELDS,
  SYSTEM_MESSAGE,
  unsupported,
  type Writer,
  written,
} from "./adapter.ts";

/**
 * Claude Code moves a longer text to a file. The limit is in characters; a text never has more characters than bytes.
 */
const SPILL_LIMIT = 10_000;

const CONTEXT_PLACEMENTS = {
  developer_equivalent_frame: { support: "native", max_bytes: SPILL_LIMIT },
  pre_prompt_frame: { support: "native", max_bytes: SPILL_LIMIT },
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
    return written({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: behavior,
        ...(reason !== undefined && { permissionDecisionReason: reason }),
      },
    });
  });
}

/** `continue` alone would let the call run before the turn ends. */
const STOP_BEFORE: Writer = native(({ decision }) => {
  const reason = reasonOf(decision) ?? "a hook wants the run to end";
  return written({
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
  return written({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

const PERMISSION_FIELDS = { tool_name: "tool_name", tool_input: "tool_input" };
const TOOL_FIELDS = { ...PERMISSION_FIELDS, tool_use_id: "tool_use_id" };

/** Background work that is still running when the model stops, and timers that will resume it. */
const END_FIELDS = { ...STOP_FIELDS, background_tasks: "background_tasks", session_crons: "session_crons" };

/**
 * Claude Code. It has no separate hook before a model request: `PostToolBatch`, which runs when all calls of a response
 * are done, is read as that. Context at `Stop` and `SubagentStop` would continue the work without being counted, so
 * none is written there.
 */
export const claudeAdapter: HarnessAdapter = {
  id: "claude",
  aliases: ["claude-code"],
  version: "0.1.0",
  displayName: "Claude",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  evidence: { program: "@anthropic-ai/claude-code", version: "2.1.325", basis: "observed" },
  contextBudget: SPILL_LIMIT,
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
      writers: { user_message: SYSTEM_MESSAGE },
      // Claude Code names the model only after a compaction.
      fields: { source: "source", model: "model", context_tokens: "context_tokens" },
      compatible: "always_context",
    },
    {
      hook: "UserPromptSubmit",
      reads: "frame.opening",
      context: contextOf("UserPromptSubmit"),
      writers: { deny: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { prompt: "prompt" },
      compatible: "always_context",
    },
    {
      hook: "PreCompact",
      reads: "context.pressure_observed",
      writers: { deny: BLOCK },
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
      writers: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: END_FIELDS,
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
      writers: {
        allow: permission("allow"),
        deny: permission("deny"),
        ask: permission("ask"),
        stop: STOP_BEFORE,
        // Without a decision, Claude Code checks the new input against its permissions.
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? unsupported("a call that does not happen has no input")
            : objectOnly(updated_input, "PreToolUse of Claude Code", (updatedInput) => ({
                hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput },
              })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL_FIELDS,
    },
    {
      hook: "PermissionRequest",
      reads: "permission.requested",
      writers: {
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
            : unsupported("Claude Code takes an updated input here only together with allow"),
        ),
      },
      fields: { ...PERMISSION_FIELDS, permission_suggestions: "permission_suggestions" },
    },
    {
      hook: "PermissionDenied",
      reads: "permission.decided",
      // Not observed in runs without a terminal.
      support: "partial",
      fields: { ...TOOL_FIELDS, reason: "reason" },
    },
    {
      hook: "PostToolUse",
      reads: "tool.completed",
      context: contextOf("PostToolUse"),
      writers: {
        deny: BLOCK,
        stop: STOP,
        // Claude Code silently ignores any value without the shape of the tool's output, such as `{ stdout, stderr,
        // interrupted, isImage }`.
        updated_output: partial(({ updated_output }) =>
          objectOnly(updated_output, "PostToolUse of Claude Code", (updatedToolOutput) => ({
            hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput },
          })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL_FIELDS, tool_output: "tool_response", duration_ms: "duration_ms" },
    },
    {
      hook: "PostToolUseFailure",
      reads: "tool.failed",
      context: contextOf("PostToolUseFailure"),
      writers: { deny: BLOCK, user_message: SYSTEM_MESSAGE },
      fields: { ...TOOL_FIELDS, error: "error", is_interrupt: "is_interrupt", duration_ms: "duration_ms" },
    },
    {
      hook: "PostToolBatch",
      reads: "model.requested",
      // The hook does not run before the first request of a prompt.
      support: "partial",
      context: contextOf("PostToolBatch"),
      writers: { deny: BLOCK, stop: BLOCK },
      fields: { tool_calls: "tool_calls" },
    },
    {
      hook: "MessageDisplay",
      reads: "model.responded",
      // The hook does not run for a response without text.
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
      writers: { continue_with: BLOCK },
      fields: { ...END_FIELDS, agent_transcript_path: "agent_transcript_path" },
    },
    {
      hook: "Notification",
      reads: "notification.raised",
      // Not observed in runs without a terminal.
      support: "partial",
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
