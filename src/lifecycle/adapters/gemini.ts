import { ownMember } from "../text/json.ts";
import type { JsonValue } from "../vocabulary/result.ts";
import {
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  STOP,
  SYSTEM_MESSAGE,
  textOnly,
  unsupported,
  type WrittenPart,
  withReason,
} from "./adapter.ts";

const DENY = native(withReason({ decision: "deny" }, "reason"));

/** Context is inserted into the prompt or appended to a tool's output, with `<` and `>` as HTML entities. */
const CONTEXT = {
  placements: {
    developer_equivalent_frame: { support: "partial", max_bytes: 8192 },
    pre_prompt_frame: { support: "partial", max_bytes: 8192 },
    side_channel_context: { support: "manual" },
  } as const,
  write: (text: string) => ({ hookSpecificOutput: { additionalContext: text } }),
};

const MODEL_FIELDS = { llm_request: "llm_request" };
const TOOL_FIELDS = {
  tool_name: "tool_name",
  tool_input: "tool_input",
  /** Set where a hook has replaced another call with this one. */
  original_tool_name: "original_request_name",
  mcp_context: "mcp_context",
};

/**
 * Writes a response in the harness's own format, in which parts are strings. Others would be shown to the user as
 * `[object Object]`.
 */
function modelResponse(
  value: JsonValue | undefined,
  hook: string,
  write: (llm_response: Readonly<Record<string, JsonValue>>) => Readonly<Record<string, JsonValue>>,
): WrittenPart {
  const what = `${hook} of Gemini CLI`;
  if (partsOf(value).some((part) => typeof part !== "string"))
    return unsupported(`${what} takes parts that are texts only`);
  return objectOnly(value, what, write);
}

function partsOf(value: unknown): unknown[] {
  const candidates = ownMember(value, "candidates");
  if (!Array.isArray(candidates)) return [];
  return candidates.flatMap((candidate: unknown) => {
    const parts = ownMember(ownMember(candidate, "content"), "parts");
    return Array.isArray(parts) ? (parts as unknown[]) : [];
  });
}

/** A command with a non-zero exit code has no `error`; the text for the model names the code on a separate line. */
const FAILED_COMMAND = /^Exit Code: (?!0$)-?\d+$/mu;

function hasFailed(input: unknown): boolean {
  const response = ownMember(input, "tool_response");
  if ((ownMember(response, "error") ?? null) !== null) return true;
  const text = ownMember(response, "llmContent");
  return (
    ownMember(input, "tool_name") === "run_shell_command" &&
    typeof text === "string" &&
    FAILED_COMMAND.test(text)
  );
}

/** Gemini CLI. It evaluates the JSON that a hook prints, whatever its exit code. */
export const geminiAdapter: HarnessAdapter = {
  id: "gemini",
  aliases: ["gemini-cli"],
  version: "0.1.0",
  displayName: "Gemini CLI",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "stdout",
  evidence: { program: "@google/gemini-cli", version: "0.61.0", basis: "observed" },
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
      writers: { user_message: SYSTEM_MESSAGE },
      fields: { source: "source" },
    },
    {
      hook: "BeforeAgent",
      reads: "frame.opening",
      context: CONTEXT,
      writers: { deny: DENY, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: { prompt: "prompt" },
    },
    {
      hook: "AfterAgent",
      reads: "frame.ending",
      alsoFor: ["frame.ended"],
      writers: { continue_with: DENY, stop: STOP, user_message: SYSTEM_MESSAGE },
      fields: {
        prompt: "prompt",
        last_assistant_message: "prompt_response",
        stop_hook_active: "stop_hook_active",
      },
    },
    {
      hook: "PreCompress",
      reads: {
        among: ["context.pressure_observed"],
        // With any other trigger the hook runs before nearly every request, whether or not anything is compressed.
        choose: (input) => (ownMember(input, "trigger") === "manual" ? "context.pressure_observed" : null),
      },
      support: "partial",
      fields: { trigger: "trigger" },
    },
    {
      hook: "SessionEnd",
      reads: "session.ended",
      alsoFor: ["session.ending"],
      writers: { user_message: SYSTEM_MESSAGE },
      fields: { reason: "reason" },
    },
    {
      hook: "BeforeTool",
      reads: "tool.starting",
      writers: {
        deny: DENY,
        stop: STOP,
        updated_input: partial(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? unsupported("a call that does not happen has no input")
            : objectOnly(updated_input, "BeforeTool of Gemini CLI", (tool_input) => ({
                hookSpecificOutput: { tool_input },
              })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: TOOL_FIELDS,
    },
    {
      hook: "AfterTool",
      reads: {
        among: ["tool.completed", "tool.failed"],
        choose: (input) => (hasFailed(input) ? "tool.failed" : "tool.completed"),
      },
      context: CONTEXT,
      writers: {
        deny: DENY,
        stop: STOP,
        // The model receives it as an error of the tool.
        updated_output: partial(({ decision, updated_output }) =>
          decision?.kind === "deny"
            ? unsupported("the reason of the denial takes the place of the output")
            : textOnly(updated_output, "AfterTool of Gemini CLI", (reason) => ({ decision: "deny", reason })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...TOOL_FIELDS, tool_output: "tool_response" },
    },
    {
      hook: "BeforeModel",
      reads: "model.requested",
      writers: {
        deny: DENY,
        stop: STOP,
        updated_input: partial(({ updated_input }) =>
          objectOnly(updated_input, "BeforeModel of Gemini CLI", (llm_request) => ({
            hookSpecificOutput: { llm_request },
          })),
        ),
        // A response is accepted only in place of a request that is denied.
        updated_output: native(({ decision, updated_output }) =>
          decision?.kind === "stop"
            ? unsupported("a run that ends has no answer")
            : modelResponse(updated_output, "BeforeModel", (llm_response) => ({
                decision: "deny",
                hookSpecificOutput: { llm_response },
                reason: reasonOf(decision) ?? "a hook has answered",
              })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: MODEL_FIELDS,
    },
    {
      hook: "AfterModel",
      reads: "model.responded",
      // A denial is shown as a warning and does not withhold the response, so none is written.
      writers: {
        stop: STOP,
        updated_output: partial(({ updated_output }) =>
          modelResponse(updated_output, "AfterModel", (llm_response) => ({
            hookSpecificOutput: { llm_response },
          })),
        ),
        user_message: SYSTEM_MESSAGE,
      },
      fields: { ...MODEL_FIELDS, llm_response: "llm_response" },
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
      fields: {
        message: "message",
        notification_type: "notification_type",
        title: "details.title",
        command: "details.command",
        details: "details",
      },
    },
  ],
};
