import { ownMember } from "../text/json.ts";
import type { JsonObject } from "../vocabulary/result.ts";
import {
  type HarnessAdapter,
  native,
  objectOnly,
  partial,
  reasonOf,
  stopAsDenial,
  textOnly,
  unsupported,
  type Writer,
  written,
} from "./adapter.ts";

/** A plugin denies by throwing. */
const THROW: Writer = native(({ decision }) => written({ throw: reasonOf(decision) ?? "" }));

/** Throwing here ends the prompt with an error that does not show the reason. */
const THROW_WITHOUT_REASON: Writer = partial(({ decision }) => ({
  body: { throw: reasonOf(decision) ?? "" },
  losesReason: true,
}));

/** Describes context that is written by the given function. */
function contextBy(write: (text: string) => JsonObject, support: "native" | "partial") {
  return {
    placements: {
      developer_equivalent_frame: { support, max_bytes: 8192 },
      pre_prompt_frame: { support, max_bytes: 8192 },
      side_channel_context: { support: "manual" },
    },
    write,
  } as const;
}

const PROPERTIES = "input.event.properties";

function memberAt(input: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(ownMember, input);
}

/** The installed plugin adds `parentID` to inputs of subagent sessions. */
function isSubagent(input: unknown): boolean {
  return typeof ownMember(input, "parentID") === "string";
}

/**
 * OpenCode calls a plugin in its own process, with an input and an output object that the plugin changes. An input is
 * read as `{ hook, input, output }`, an event of its bus with the hook `event:<type>`; the rendered body is a change of
 * the output. The plugin that `install` writes adds `parentID` for subagent sessions, and reports the end of each
 * prompt once.
 */
export const opencodeAdapter: HarnessAdapter = {
  id: "opencode",
  aliases: [],
  version: "0.1.0",
  displayName: "OpenCode",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "mutation",
  evidence: { program: "opencode-ai", version: "1.18.33", basis: "observed" },
  contextBudget: 16_384,
  hookName: ["hook"],
  identity: {
    session: ["input.sessionID", `${PROPERTIES}.sessionID`, `${PROPERTIES}.info.id`],
    frame: ["output.message.id", "input.messageID"],
  },
  fields: { parent_session_id: `parentID|${PROPERTIES}.info.parentID` },
  hooks: [
    {
      hook: "event:session.created",
      reads: {
        among: ["session.started", "subagent.started"],
        choose: (input) =>
          typeof memberAt(input, `${PROPERTIES}.info.parentID`) === "string"
            ? "subagent.started"
            : "session.started",
      },
      alsoFor: ["session.starting"],
      fields: {
        cwd: `${PROPERTIES}.info.directory`,
        title: `${PROPERTIES}.info.title`,
        agent_type: `${PROPERTIES}.info.agent`,
      },
    },
    {
      hook: "chat.message",
      reads: "frame.opening",
      context: contextBy((text) => ({ part: { type: "text", text, synthetic: true } }), "partial"),
      writers: { deny: THROW_WITHOUT_REASON },
      fields: {
        prompt: "output.parts",
        model: "output.message.model|input.model",
        agent_type: "output.message.agent|input.agent",
      },
    },
    {
      hook: "event:session.idle",
      reads: {
        among: ["frame.ended", "subagent.ended"],
        choose: (input) => (isSubagent(input) ? "subagent.ended" : "frame.ended"),
      },
    },
    { hook: "event:session.error", reads: "frame.ended", fields: { error: `${PROPERTIES}.error` } },
    {
      hook: "experimental.session.compacting",
      reads: "context.pressure_observed",
      context: contextBy((text) => ({ push: { context: text } }), "native"),
    },
    { hook: "event:session.compacted", reads: "context.compacted" },
    {
      hook: "tool.execute.before",
      reads: "tool.starting",
      writers: {
        deny: THROW,
        stop: stopAsDenial(THROW),
        updated_input: native(({ decision, updated_input }) =>
          decision?.kind === "deny" || decision?.kind === "stop"
            ? unsupported("a call that does not happen has no input")
            : objectOnly(updated_input, "tool.execute.before of OpenCode", (args) => ({ assign: { args } })),
        ),
      },
      fields: { tool_name: "input.tool", tool_use_id: "input.callID", tool_input: "output.args" },
    },
    {
      hook: "tool.execute.after",
      reads: {
        among: ["tool.completed", "tool.failed"],
        choose: (input) => {
          const exit = memberAt(input, "output.metadata.exit");
          return typeof exit === "number" && exit !== 0 ? "tool.failed" : "tool.completed";
        },
      },
      context: contextBy((text) => ({ append: { output: text } }), "partial"),
      writers: {
        deny: THROW,
        updated_output: partial(({ updated_output }) =>
          textOnly(updated_output, "tool.execute.after of OpenCode", (output) => ({ set: { output } })),
        ),
      },
      fields: {
        tool_name: "input.tool",
        tool_use_id: "input.callID",
        tool_input: "input.args",
        tool_output: "output.output",
        exit_code: "output.metadata.exit",
      },
    },
    {
      // A call that throws or is denied has no `tool.execute.after`.
      hook: "event:message.part.updated",
      reads: {
        among: ["tool.failed"],
        choose: (input) =>
          memberAt(input, `${PROPERTIES}.part.state.status`) === "error" ? "tool.failed" : null,
      },
      fields: {
        tool_name: `${PROPERTIES}.part.tool`,
        tool_use_id: `${PROPERTIES}.part.callID`,
        tool_input: `${PROPERTIES}.part.state.input`,
        error: `${PROPERTIES}.part.state.error`,
      },
    },
    {
      hook: "event:permission.asked",
      reads: "permission.requested",
      // OpenCode only reports the request; a plugin unsupported answer it.
      support: "partial",
      fields: {
        tool_name: `${PROPERTIES}.permission`,
        tool_use_id: `${PROPERTIES}.tool.callID`,
        details: `${PROPERTIES}.metadata`,
        patterns: `${PROPERTIES}.patterns`,
        request_id: `${PROPERTIES}.id`,
      },
    },
    {
      hook: "event:permission.replied",
      reads: "permission.decided",
      fields: { reason: `${PROPERTIES}.reply`, request_id: `${PROPERTIES}.requestID` },
    },
    {
      // Also runs for the request that creates a session title, with the agent `title`.
      hook: "chat.params",
      reads: "model.requested",
      writers: { deny: THROW, stop: THROW },
      fields: { model: "input.model.id", agent_type: "input.agent", details: "output" },
    },
    {
      hook: "experimental.text.complete",
      reads: "model.responded",
      writers: {
        updated_output: native(({ updated_output }) =>
          textOnly(updated_output, "experimental.text.complete of OpenCode", (text) => ({ set: { text } })),
        ),
      },
      fields: { last_assistant_message: "output.text" },
    },
  ],
};
