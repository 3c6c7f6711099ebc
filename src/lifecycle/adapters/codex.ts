import {
  BLOCK,
  type HarnessAdapter,
  native,
  partial,
  reasonOf,
  STOP,
  STOP_FIELDS,
  SYSTEM_MESSAGE,
  stopAsDenial,
  textOnly,
  unsupported,
  written,
} from "./adapter.ts";

/** Codex moves longer output to a file, and the model receives its beginning and its end. */
const SPILL_LIMIT = 10_000;

const CONTEXT_PLACEMENTS = {
  developer_equivalent_frame: { support: "native", max_bytes: 8192 },
  pre_prompt_frame: { support: "native", max_bytes: 8192 },
  side_channel_context: { support: "manual" },
} as const;

function contextOf(hook: string) {
  return {
    placements: CONTEXT_PLACEMENTS,
    write: (text: string) => ({ hookSpecificOutput: { additionalContext: text, hookEventName: hook } }),
  };
}

/** Writes a decision about a call, with its reason as the named member. */
export function preToolUseDecision(body: Readonly<Record<string, string>>, member?: string) {
  return native(({ decision }) => {
    const reason = reasonOf(decision);
    return written({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        ...body,
        ...(member !== undefined && reason !== undefined && { [member]: reason }),
      },
    });
  });
}

const DENY_CALL = preToolUseDecision({ permissionDecision: "deny" }, "permissionDecisionReason");

const TOOL_FIELDS = { tool_name: "tool_name", tool_input: "tool_input", tool_use_id: "tool_use_id" };

/** Codex 0.166. Its parser is strict: a single unknown member makes the hook run fail, and its output is ignored. */
export const codexAdapter: HarnessAdapter = {
  id: "codex",
  aliases: [],
  version: "0.1.0",
  displayName: "Codex",
  role: "primary_worker",
  modes: ["native_hook", "manual_skill"],
  channel: "stdout",
  evidence: { program: "@openai/codex", version: "0.166.0", basis: "observed" },
  contextBudget: SPILL_LIMIT,
  hookName: ["hook_event_name"],
  identity: { session: ["session_id"], frame: ["turn_id"] },
  renewal: {
    reset: { native: "unavailable", wrapper_mediated: "unavailable", manual: "manual" },
    continuation: { observation: "native", payload_delivery: "unavailable" },
  },
  fields: {
    cwd: "cwd",
    transcript_path: "transcript_path",
    model: "model",
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
      writers: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { source: "source" },
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
      writers: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger" },
    },
    {
      hook: "PostCompact",
      reads: "context.compacted",
      writers: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger" },
    },
    {
      hook: "Stop",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      writers: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { ...STOP_FIELDS, continuations: "stop_hook_continuations" },
    },
    {
      hook: "SessionEnd",
      reads: "session.ended",
      alsoFor: ["session.ending"],
      fields: { reason: "reason" },
      compatible: "unsupported_event",
    },
    {
      hook: "PreToolUse",
      reads: "tool.starting",
      context: contextOf("PreToolUse"),
      writers: {
        deny: DENY_CALL,
        stop: stopAsDenial(DENY_CALL),
        // Codex requires `allow` with an updated input; here it does not skip the approval of the call.
        updated_input: native(({ decision, updated_input = null }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? unsupported("a call that does not happen has no input")
            : written({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "allow",
                  updatedInput: updated_input,
                },
              }),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL_FIELDS,
    },
    {
      hook: "PermissionRequest",
      reads: "permission.requested",
      writers: {
        allow: native(() =>
          written({
            hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
          }),
        ),
        deny: native(({ decision }) =>
          written({
            hookSpecificOutput: {
              hookEventName: "PermissionRequest",
              decision: { behavior: "deny", message: reasonOf(decision) ?? "" },
            },
          }),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL_FIELDS,
    },
    {
      hook: "PostToolUse",
      reads: "tool.completed",
      context: contextOf("PostToolUse"),
      writers: {
        deny: BLOCK,
        updated_output: partial(({ decision, updated_output }) =>
          decision?.kind === "deny"
            ? unsupported("the reason of the denial takes the place of the output")
            : textOnly(updated_output, "PostToolUse of Codex", (reason) => ({ decision: "block", reason })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL_FIELDS, tool_output: "tool_response" },
    },
    {
      hook: "SubagentStart",
      reads: "subagent.started",
      context: contextOf("SubagentStart"),
      writers: { user_message: SYSTEM_MESSAGE },
    },
    {
      hook: "SubagentStop",
      reads: "subagent.ended",
      writers: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { ...STOP_FIELDS, agent_transcript_path: "agent_transcript_path" },
    },
    { hook: "PreModelRequest", reads: "model.requested" },
    {
      hook: "PostModelRequest",
      reads: "model.responded",
      fields: { status: "status", error: "error", token_usage: "token_usage" },
    },
    { hook: "Interrupt", reads: "interrupt.requested", writers: { user_message: SYSTEM_MESSAGE } },
  ],
};
