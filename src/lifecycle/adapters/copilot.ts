import { isPlainObject, ownMember } from "../text/json.ts";
import type { EventName } from "../vocabulary/events.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import {
  BLOCK,
  cannot,
  deniedAtLeast,
  type FieldPaths,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  textOnly,
  told,
  type Writer,
  withReason,
} from "./adapter.ts";

/** A message of the user, or a text behind what the user or a tool has said. */
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

/** A text alone would be ignored in silence. */
const MODIFIED_RESULT: Writer = native(({ decision, updated_output }) => {
  if (decision?.kind === "deny") return cannot("the reason of the denial takes the place of the output");
  if (isPlainObject(updated_output) && typeof ownMember(updated_output, "textResultForLlm") === "string")
    return told({ modifiedResult: { resultType: "success", ...updated_output } });
  return textOnly(updated_output, "postToolUse of Copilot CLI", (textResultForLlm) => ({
    modifiedResult: { resultType: "success", textResultForLlm },
  }));
});

const TOOL: FieldPaths = {
  tool_name: "toolName|tool_name",
  tool_input: "toolArgs|tool_input|toolInput",
};
const AGENT = { agent_type: "agentType|agent_type|agentName|agent_name" };
const STOPPED = {
  reason: "stopReason|stop_reason",
  stop_hook_active: "stop_hook_active|stopHookActive",
};

/** Agents have hooks of their own for their beginning and their end; what else is told of these means nothing more. */
function ofThread(event: EventName) {
  return {
    among: [event],
    choose: (input: unknown) =>
      (ownMember(input, "agentId") ?? ownMember(input, "agent_id")) === undefined ? event : null,
  };
}

/** GitHub Copilot CLI. A hook that is written in camel case gets such members and no name; both are read. */
export const copilot: HarnessAdapter = {
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
  // The one hook whose input names it in no form.
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
      reads: ofThread("frame.opening"),
      context: CONTEXT,
      says: {
        deny: BLOCK,
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "deny"
            ? cannot("a prompt that is denied has no other text")
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
      reads: ofThread("frame.ending"),
      says: { continue_with: BLOCK },
      fields: STOPPED,
    },
    {
      hook: "errorOccurred",
      aliases: ["ErrorOccurred"],
      reads: "frame.ended",
      // Of a prompt that ends well nobody is told afterwards.
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
      says: {
        allow: permission("allow"),
        deny: permission("deny"),
        ask: permission("ask"),
        stop: deniedAtLeast(permission("deny")),
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? cannot("a call that does not happen has no input")
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
      fields: { ...TOOL, permission_suggestions: "permissionSuggestions" },
    },
    {
      // A command that ends with another code is told of here, as a success.
      hook: "postToolUse",
      aliases: ["PostToolUse"],
      reads: "tool.completed",
      context: CONTEXT,
      says: { deny: BLOCK, updated_output: MODIFIED_RESULT },
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
      fields: AGENT,
    },
    {
      hook: "subagentStop",
      aliases: ["SubagentStop"],
      reads: "subagent.ended",
      says: { continue_with: BLOCK },
      fields: { ...AGENT, ...STOPPED, last_assistant_message: "response|last_assistant_message" },
    },
    {
      hook: "notification",
      aliases: ["Notification"],
      reads: "notification.raised",
      fields: { message: "message", title: "title", notification_type: "notification_type" },
    },
  ],
};
