import { ownMember } from "../text/json.ts";
import {
  cannot,
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  STOP,
  SYSTEM_MESSAGE,
  textOnly,
  withReason,
} from "./adapter.ts";

const DENY = native(withReason({ decision: "deny" }, "reason"));

const CONTEXT_PLACEMENTS = {
  developer_equivalent_frame: { support: "partial", max_bytes: 8192 },
  pre_prompt_frame: { support: "native", max_bytes: 8192 },
  side_channel_context: { support: "manual" },
} as const;

/** It is put into the prompt or behind what a tool has said: no message of its own, hence partial for a developer. */
const CONTEXT = {
  placements: CONTEXT_PLACEMENTS,
  write: (text: string) => ({ hookSpecificOutput: { additionalContext: text } }),
};

const MODEL = { llm_request: "llm_request" };

/** Gemini CLI, by its reference of hooks. */
export const gemini: HarnessAdapter = {
  id: "gemini",
  aliases: ["gemini-cli"],
  version: "0.1.0",
  displayName: "Gemini CLI",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  contextBudget: 16_384,
  hookName: ["hook_event_name"],
  identity: { session: ["session_id"], frame: [] },
  fields: { cwd: "cwd", transcript_path: "transcript_path", timestamp: "timestamp" },
  hooks: [
    {
      hook: "SessionStart",
      reads: "session.started",
      alsoFor: ["session.starting"],
      context: CONTEXT,
      says: { user_message: SYSTEM_MESSAGE },
      fields: { source: "source" },
    },
    {
      hook: "BeforeAgent",
      reads: "frame.opening",
      context: CONTEXT,
      says: { deny: DENY, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { prompt: "prompt" },
    },
    {
      hook: "AfterAgent",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      says: { continue_with: DENY, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: {
        prompt: "prompt",
        last_assistant_message: "prompt_response",
        stop_hook_active: "stop_hook_active",
      },
    },
    {
      hook: "PreCompress",
      reads: "context.pressure_observed",
      says: { user_message: SYSTEM_MESSAGE },
      fields: { trigger: "trigger" },
    },
    {
      hook: "SessionEnd",
      reads: "session.ended",
      alsoFor: ["session.ending"],
      says: { user_message: SYSTEM_MESSAGE },
      fields: { reason: "reason" },
    },
    {
      hook: "BeforeTool",
      reads: "tool.starting",
      says: {
        // Whether a person is still asked is up to the policy of the harness.
        allow: partial(withReason({ decision: "allow" }, "reason")),
        deny: DENY,
        stop: STOP,
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? cannot("a call that does not happen has no input")
            : objectOnly(updated_input, "BeforeTool of Gemini CLI", (tool_input) => ({
                hookSpecificOutput: { tool_input },
              })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { tool_name: "tool_name", tool_input: "tool_input" },
    },
    {
      hook: "AfterTool",
      reads: {
        among: ["tool.completed", "tool.failed"],
        choose: (input) =>
          (ownMember(ownMember(input, "tool_response"), "error") ?? null) === null
            ? "tool.completed"
            : "tool.failed",
      },
      context: CONTEXT,
      says: {
        deny: DENY,
        stop: STOP,
        updated_output: partial(({ decision, updated_output }) =>
          decision?.kind === "deny"
            ? cannot("the reason of the denial takes the place of the output")
            : textOnly(updated_output, "AfterTool of Gemini CLI", (reason) => ({ decision: "deny", reason })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { tool_name: "tool_name", tool_input: "tool_input", tool_output: "tool_response" },
    },
    {
      hook: "BeforeModel",
      reads: "model.requested",
      says: {
        deny: DENY,
        stop: STOP,
        updated_input: partial(({ updated_input }) =>
          objectOnly(updated_input, "BeforeModel of Gemini CLI", (llm_request) => ({
            hookSpecificOutput: { llm_request },
          })),
        ),
        updated_output: native(({ updated_output }) =>
          objectOnly(updated_output, "BeforeModel of Gemini CLI", (llm_response) => ({
            hookSpecificOutput: { llm_response },
          })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: MODEL,
    },
    {
      hook: "AfterModel",
      reads: "model.responded",
      says: {
        deny: DENY,
        stop: STOP,
        updated_output: partial(({ updated_output }) =>
          objectOnly(updated_output, "AfterModel of Gemini CLI", (llm_response) => ({
            hookSpecificOutput: { llm_response },
          })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...MODEL, llm_response: "llm_response" },
    },
    {
      hook: "Notification",
      reads: {
        among: ["notification.raised", "permission.requested"],
        choose: (input) =>
          ownMember(input, "notification_type") === "ToolPermission"
            ? "permission.requested"
            : "notification.raised",
      },
      support: "partial",
      says: { user_message: SYSTEM_MESSAGE },
      fields: { message: "message", notification_type: "notification_type", details: "details" },
    },
  ],
};
