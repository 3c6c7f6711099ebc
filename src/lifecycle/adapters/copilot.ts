import { isPlainObject, ownMember } from "../text/json.ts";
import type { EventName } from "../vocabulary/events.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import {
  BLOCK,
  type FieldPaths,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  stopAsDenial,
  textOnly,
  unsupported,
  type Writer,
  withReason,
  written,
} from "./adapter.ts";

/** Context becomes a user message, or text appended to the prompt or to a tool's output. */
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

/** Copilot silently ignores a plain text, so it is wrapped in a result. */
const MODIFIED_RESULT: Writer = native(({ decision, updated_output }) => {
  if (decision?.kind === "deny") return unsupported("the reason of the denial takes the place of the output");
  if (isPlainObject(updated_output) && typeof ownMember(updated_output, "textResultForLlm") === "string")
    return written({ modifiedResult: { resultType: "success", ...updated_output } });
  return textOnly(updated_output, "postToolUse of Copilot CLI", (textResultForLlm) => ({
    modifiedResult: { resultType: "success", textResultForLlm },
  }));
});

const TOOL_FIELDS: FieldPaths = {
  tool_name: "toolName|tool_name",
  tool_input: "toolArgs|tool_input|toolInput",
};
const AGENT_FIELDS = { agent_type: "agentType|agent_type|agentName|agent_name" };
const STOP_FIELDS = {
  reason: "stopReason|stop_reason",
  stop_hook_active: "stop_hook_active|stopHookActive",
};

/** Subagents have separate hooks for their start and end, so other inputs that name an agent are read as no event. */
function unlessSubagent(event: EventName) {
  return {
    among: [event],
    choose: (input: unknown) =>
      (ownMember(input, "agentId") ?? ownMember(input, "agent_id")) === undefined ? event : null,
  };
}

/**
 * GitHub Copilot CLI. A hook declared in camel case receives camel-case members and no hook name; both forms are read.
 */
export const copilotAdapter: HarnessAdapter = {
  id: "copilot",
  aliases: ["copilot-cli"],
  version: "0.1.0",
  displayName: "GitHub Copilot CLI",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  evidence: { program: "@github/copilot", version: "1.0.102", basis: "observed" },
  contextBudget: 10_000,
  hookName: ["hook_event_name", "hookEventName", "hookName"],
  // The only hook whose input never names it.
  unnamed: (input) =>
    ownMember(input, "agentName") !== undefined && ownMember(input, "stopReason") === undefined
      ? "subagentStart"
      : undefined,
  identity: { session: ["sessionId", "session_id"], frame: [] },
  fields: {
    cwd: "cwd",
    timestamp: "timestamp",
    transcript_path: "transcriptPath|transcript_path",
    agent_id: "agentId|agent_id",
    agent_type: "agentType|agent_type",
    parent_agent_id: "parentAgentId|parent_agent_id",
  },
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
      reads: unlessSubagent("frame.opening"),
      context: CONTEXT,
      writers: {
        deny: BLOCK,
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "deny"
            ? unsupported("a prompt that is denied has no other text")
            : textOnly(updated_input, "userPromptSubmitted of Copilot CLI", (modifiedPrompt) => ({
                modifiedPrompt,
              })),
        ),
      },
      fields: { prompt: "prompt" },
    },
    {
      hook: "agentStop",
      aliases: ["Stop"],
      reads: unlessSubagent("frame.ending"),
      writers: { continue_with: BLOCK },
      fields: STOP_FIELDS,
    },
    {
      hook: "errorOccurred",
      aliases: ["ErrorOccurred"],
      reads: "frame.ended",
      // No hook runs after a prompt that ends without an error.
      support: "partial",
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
      context: CONTEXT,
      writers: {
        allow: permission("allow"),
        deny: permission("deny"),
        ask: permission("ask"),
        stop: stopAsDenial(permission("deny")),
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? unsupported("a call that does not happen has no input")
            : objectOnly(updated_input, "preToolUse of Copilot CLI", (modifiedArgs) => ({ modifiedArgs })),
        ),
      },
      fields: TOOL_FIELDS,
    },
    {
      hook: "permissionRequest",
      aliases: ["PermissionRequest"],
      reads: "permission.requested",
      writers: {
        allow: native(() => written({ behavior: "allow" })),
        deny: native(({ decision }) => written({ behavior: "deny", message: reasonOf(decision) ?? "" })),
        stop: native(({ decision }) =>
          written({
            behavior: "deny",
            interrupt: true,
            ...(reasonOf(decision) !== undefined && { message: reasonOf(decision) ?? "" }),
          }),
        ),
      },
      fields: { ...TOOL_FIELDS, permission_suggestions: "permissionSuggestions" },
    },
    {
      // A command with a non-zero exit code is also reported here, as a success.
      hook: "postToolUse",
      aliases: ["PostToolUse"],
      reads: "tool.completed",
      context: CONTEXT,
      writers: { deny: BLOCK, updated_output: MODIFIED_RESULT },
      fields: { ...TOOL_FIELDS, tool_output: "toolResult|tool_result" },
    },
    {
      hook: "postToolUseFailure",
      aliases: ["PostToolUseFailure"],
      reads: "tool.failed",
      context: CONTEXT,
      fields: { ...TOOL_FIELDS, error: "error" },
    },
    {
      hook: "subagentStart",
      aliases: ["SubagentStart"],
      reads: "subagent.started",
      context: CONTEXT,
      fields: AGENT_FIELDS,
    },
    {
      hook: "subagentStop",
      aliases: ["SubagentStop"],
      reads: "subagent.ended",
      writers: { continue_with: BLOCK },
      fields: { ...AGENT_FIELDS, ...STOP_FIELDS, last_assistant_message: "response|last_assistant_message" },
    },
    {
      hook: "notification",
      aliases: ["Notification"],
      reads: "notification.raised",
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
