import type { JsonObject } from "../vocabulary/result.ts";
import {
  BLOCK,
  cannot,
  type FieldPaths,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  told,
  type Writer,
  withReason,
} from "./adapter.ts";

/** Its versions differ in where they take it, so none of it is claimed whole. */
const CONTEXT = {
  placements: {
    developer_equivalent_frame: { support: "partial", max_bytes: 8192 },
    pre_prompt_frame: { support: "partial", max_bytes: 8192 },
    side_channel_context: { support: "manual" },
  },
  write: (text: string): JsonObject => ({ additionalContext: text }),
} as const;

function permission(kind: "allow" | "deny" | "ask"): Writer {
  return native(withReason({ permissionDecision: kind }, "permissionDecisionReason"));
}

const TOOL: FieldPaths = { tool_name: "toolName|tool_name", tool_input: "toolArgs|tool_input" };

/** GitHub Copilot CLI. A hook that is written in camel case gets such members and no name; both are read. */
export const copilot: HarnessAdapter = {
  id: "copilot",
  aliases: ["copilot-cli"],
  version: "0.1.0",
  displayName: "GitHub Copilot CLI",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  contextBudget: 10_000,
  hookName: ["hook_event_name", "hookEventName"],
  identity: { session: ["sessionId", "session_id"], frame: [] },
  fields: { cwd: "cwd", timestamp: "timestamp", transcript_path: "transcriptPath|transcript_path" },
  hooks: [
    {
      hook: "sessionStart",
      aliases: ["SessionStart"],
      reads: "session.started",
      alsoFor: ["session.starting"],
      context: CONTEXT,
      fields: { source: "source", prompt: "initialPrompt|initial_prompt" },
    },
    {
      hook: "userPromptSubmitted",
      aliases: ["UserPromptSubmit"],
      reads: "frame.opening",
      fields: { prompt: "prompt" },
    },
    {
      hook: "agentStop",
      aliases: ["Stop"],
      reads: "frame.ending",
      says: { continue_with: BLOCK },
      fields: {
        reason: "stopReason|stop_reason",
        stop_hook_active: "stopHookActive|stop_hook_active",
      },
    },
    {
      hook: "errorOccurred",
      aliases: ["ErrorOccurred"],
      reads: "frame.ended",
      fields: { error: "error", error_context: "errorContext|error_context", recoverable: "recoverable" },
    },
    {
      hook: "preCompact",
      aliases: ["PreCompact"],
      reads: "context.pressure_observed",
      fields: { trigger: "trigger", instructions: "customInstructions|custom_instructions" },
    },
    {
      hook: "sessionEnd",
      aliases: ["SessionEnd"],
      reads: "session.ended",
      alsoFor: ["session.ending"],
      fields: { reason: "reason" },
    },
    {
      hook: "preToolUse",
      aliases: ["PreToolUse"],
      reads: "tool.starting",
      says: {
        allow: permission("allow"),
        deny: permission("deny"),
        ask: permission("ask"),
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny"
            ? cannot("a call that is denied has no input")
            : objectOnly(updated_input, "preToolUse of Copilot CLI", (modifiedArgs) => ({ modifiedArgs })),
        ),
      },
      fields: TOOL,
    },
    {
      hook: "permissionRequest",
      aliases: ["PermissionRequest"],
      reads: "permission.requested",
      says: {
        allow: native(() => told({ behavior: "allow" })),
        deny: native(({ decision }) => told({ behavior: "deny", message: reasonOf(decision) ?? "" })),
        stop: native(({ decision }) =>
          told({
            behavior: "deny",
            interrupt: true,
            ...(reasonOf(decision) !== undefined && { message: reasonOf(decision) ?? "" }),
          }),
        ),
      },
      fields: TOOL,
    },
    {
      hook: "postToolUse",
      aliases: ["PostToolUse"],
      reads: "tool.completed",
      context: CONTEXT,
      says: {
        updated_output: partial(({ updated_output = null }) => told({ modifiedResult: updated_output })),
      },
      fields: { ...TOOL, tool_output: "toolResult|tool_result" },
    },
    {
      hook: "postToolUseFailure",
      aliases: ["PostToolUseFailure"],
      reads: "tool.failed",
      context: CONTEXT,
      fields: { ...TOOL, error: "error" },
    },
    {
      hook: "subagentStart",
      aliases: ["SubagentStart"],
      reads: "subagent.started",
      context: CONTEXT,
      fields: { agent_type: "agentName|agent_name" },
    },
    {
      hook: "subagentStop",
      aliases: ["SubagentStop"],
      reads: "subagent.ended",
      says: { continue_with: BLOCK },
      fields: { agent_type: "agentName|agent_name", reason: "stopReason|stop_reason" },
    },
    {
      hook: "notification",
      aliases: ["Notification"],
      reads: "notification.raised",
      context: CONTEXT,
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
