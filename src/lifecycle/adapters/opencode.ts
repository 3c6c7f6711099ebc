import type { JsonObject } from "../vocabulary/result.ts";
import {
  cannot,
  type HarnessAdapter,
  native,
  partial,
  reasonOf,
  textOnly,
  told,
  type Writer,
} from "./adapter.ts";

/** A plugin refuses by throwing. */
const THROW: Writer = native(({ decision }) => told({ throw: reasonOf(decision) ?? "" }));

/** It has no place for a reason. */
function status(value: "allow" | "deny" | "ask"): Writer {
  return partial(() => told({ set: { status: value } }));
}

/** How context gets there: as one more of a list, or behind a text. */
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

/**
 * OpenCode calls a plugin in its own process with an input and an output that the plugin changes. An input is read as
 * `{ hook, input, output }`, an event of its bus with the hook `event:<type>`; what is rendered is a change of the output.
 */
export const opencode: HarnessAdapter = {
  id: "opencode",
  aliases: [],
  version: "0.1.0",
  displayName: "OpenCode",
  role: "primary_worker",
  modes: ["native_hook"],
  channel: "mutation",
  contextBudget: 16_384,
  hookName: ["hook"],
  identity: {
    session: ["input.sessionID", `${PROPERTIES}.sessionID`, `${PROPERTIES}.info.id`],
    frame: ["input.messageID", "output.message.id"],
  },
  fields: {},
  hooks: [
    {
      hook: "event:session.created",
      reads: "session.started",
      alsoFor: ["session.starting"],
      fields: { cwd: `${PROPERTIES}.info.directory`, title: `${PROPERTIES}.info.title` },
    },
    {
      hook: "chat.message",
      reads: "frame.opening",
      context: contextBy((text) => ({ push: { parts: { type: "text", text, synthetic: true } } }), "partial"),
      says: { deny: THROW },
      fields: { prompt: "output.parts", model: "input.model", agent_type: "input.agent" },
    },
    { hook: "event:session.idle", reads: "frame.ended" },
    { hook: "event:session.error", reads: "frame.ended", fields: { error: `${PROPERTIES}.error` } },
    {
      hook: "experimental.session.compacting",
      reads: "context.pressure_observed",
      context: contextBy((text) => ({ push: { context: text } }), "native"),
    },
    { hook: "event:session.compacted", reads: "context.compacted" },
    { hook: "event:session.deleted", reads: "session.ended" },
    {
      hook: "tool.execute.before",
      reads: "tool.starting",
      says: {
        deny: THROW,
        updated_input: native(({ decision, updated_input = null }) =>
          decision?.kind === "deny"
            ? cannot("a call that is denied has no input")
            : told({ set: { args: updated_input } }),
        ),
      },
      fields: { tool_name: "input.tool", tool_use_id: "input.callID", tool_input: "output.args" },
    },
    {
      hook: "tool.execute.after",
      reads: "tool.completed",
      context: contextBy((text) => ({ append: { output: text } }), "partial"),
      says: {
        updated_output: partial(({ updated_output }) =>
          textOnly(updated_output, "tool.execute.after of OpenCode", (output) => ({ set: { output } })),
        ),
      },
      fields: {
        tool_name: "input.tool",
        tool_use_id: "input.callID",
        tool_input: "input.args",
        tool_output: "output.output",
      },
    },
    {
      hook: "permission.ask",
      reads: "permission.requested",
      says: { allow: status("allow"), deny: status("deny"), ask: status("ask") },
      fields: { tool_name: "input.type", title: "input.title", details: "input.metadata" },
    },
    {
      hook: "event:permission.replied",
      reads: "permission.decided",
      fields: { reason: `${PROPERTIES}.response` },
    },
    { hook: "chat.params", reads: "model.requested", fields: { model: "input.model", details: "output" } },
    {
      hook: "experimental.text.complete",
      reads: "model.responded",
      says: {
        updated_output: native(({ updated_output }) =>
          textOnly(updated_output, "experimental.text.complete of OpenCode", (text) => ({ set: { text } })),
        ),
      },
      fields: { last_assistant_message: "output.text" },
    },
  ],
};
