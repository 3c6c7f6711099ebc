import {
  BLOCK,
  cannot,
  deniedAtLeast,
  type HarnessAdapter,
  native,
  partial,
  reasonOf,
  STOP,
  STOPPING,
  SYSTEM_MESSAGE,
  textOnly,
  told,
} from "./adapter.ts";

/** What a run prints beyond this much goes to a file, and the model sees its beginning and its end. */
const SPILLS_ABOVE = 10_000;

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

/** A decision about a call, with its reason under the name that is given. */
export function preToolUse(body: Readonly<Record<string, string>>, member?: string) {
  return native(({ decision }) => {
    const reason = reasonOf(decision);
    return told({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        ...body,
        ...(member !== undefined && reason !== undefined && { [member]: reason }),
      },
    });
  });
}

const DENY_CALL = preToolUse({ permissionDecision: "deny" }, "permissionDecisionReason");

const TOOL = { tool_name: "tool_name", tool_input: "tool_input", tool_use_id: "tool_use_id" };

/** Codex 0.166. It is strict: one member too many, and the run has failed and counts for nothing. */
export const codex: HarnessAdapter = {
  id: "codex",
  aliases: [],
  version: "0.1.0",
  displayName: "Codex",
  role: "primary_worker",
  modes: ["native_hook", "manual_skill"],
  channel: "stdout",
  evidence: { program: "@openai/codex", version: "0.166.0", basis: "observed" },
  contextBudget: SPILLS_ABOVE,
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
      says: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { source: "source" },
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
      says: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger" },
    },
    {
      hook: "PostCompact",
      reads: "context.compacted",
      says: { stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger" },
    },
    {
      hook: "Stop",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      says: { continue_with: BLOCK, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { ...STOPPING, continuations: "stop_hook_continuations" },
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
      says: {
        deny: DENY_CALL,
        stop: deniedAtLeast(DENY_CALL),
        // It needs the word, which lets nothing run here that would be asked about.
        updated_input: native(({ decision, updated_input = null }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? cannot("a call that does not happen has no input")
            : told({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  permissionDecision: "allow",
                  updatedInput: updated_input,
                },
              }),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL,
    },
    {
      hook: "PermissionRequest",
      reads: "permission.requested",
      says: {
        allow: native(() =>
          told({
            hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
          }),
        ),
        deny: native(({ decision }) =>
          told({
            hookSpecificOutput: {
              hookEventName: "PermissionRequest",
              decision: { behavior: "deny", message: reasonOf(decision) ?? "" },
            },
          }),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL,
    },
    {
      hook: "PostToolUse",
      reads: "tool.completed",
      context: contextOf("PostToolUse"),
      says: {
        deny: BLOCK,
        updated_output: partial(({ decision, updated_output }) =>
          decision?.kind === "deny"
            ? cannot("the reason of the denial takes the place of the output")
            : textOnly(updated_output, "PostToolUse of Codex", (reason) => ({ decision: "block", reason })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL, tool_output: "tool_response" },
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
    { hook: "PreModelRequest", reads: "model.requested" },
    {
      hook: "PostModelRequest",
      reads: "model.responded",
      fields: { status: "status", error: "error", token_usage: "token_usage" },
    },
    { hook: "Interrupt", reads: "interrupt.requested", says: { user_message: SYSTEM_MESSAGE } },
  ],
};
