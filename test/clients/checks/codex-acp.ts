/** The adapter with which editors of the Agent Client Protocol use Codex. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { messageReply, streamedReply, unfinishedReply } from "../../support/model-events.ts";
import { type AcpEditor, openAcpEditor } from "../acp-editor.ts";
import type { Client, ClientHarness } from "../client.ts";
import { commandReplies, escalatingReplies, lastRequest, lastToolOutput } from "../model-replies.ts";

interface NewSession {
  readonly sessionId: string;
  readonly configOptions?: readonly ConfigOption[];
}
interface ConfigOption {
  readonly id: string;
  readonly category?: string;
  readonly currentValue: string;
  readonly options: readonly { readonly value?: string; readonly options?: readonly { value: string }[] }[];
}

const open = (harness: ClientHarness) =>
  openAcpEditor(harness, join(harness.folder, "node_modules/@agentclientprotocol/codex-acp/dist/index.js"));

async function openSession(harness: ClientHarness) {
  const editor = await open(harness);
  const session = await editor.request<NewSession>("session/new", {
    cwd: harness.home.workspace,
    mcpServers: [],
  });
  return { editor, session, id: session.sessionId };
}

const prompt = (editor: AcpEditor, sessionId: string, text: string) =>
  editor.request<{ stopReason: string }>("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text }],
  });

/** A value of an option that differs from its current one. */
function anotherValue({ currentValue, options }: ConfigOption): string {
  const values = options.flatMap((each) => each.options?.map(({ value }) => value) ?? [each.value ?? ""]);
  const other = values.find((value) => value !== currentValue);
  assert.ok(other, `there is nothing but ${currentValue}`);
  return other;
}

export const codexAcp: Client = {
  name: "@agentclientprotocol/codex-acp",
  version: "2.6.0",
  source: { kind: "npm", packages: ["@agentclientprotocol/codex-acp@2.6.0"], entry: "" },
  needs: ["npm"],
  checks: [
    {
      name: "a new session and a prompt",
      replies: [streamedReply(["One ", "two"])],
      async run(harness) {
        const { editor, id } = await openSession(harness);
        const { stopReason } = await prompt(editor, id, "Count");
        assert.equal(stopReason, "end_turn");
        assert.match(editor.said(), /One two$/u);
      },
    },
    {
      name: "a command in the sandbox",
      replies: commandReplies("echo from-the-shell"),
      async run(harness) {
        const { editor, id } = await openSession(harness);
        await prompt(editor, id, "Go");
        assert.ok(editor.updates.some(({ sessionUpdate }) => sessionUpdate === "tool_call"));
        assert.match(lastToolOutput(harness), /from-the-shell/u);
        assert.equal(editor.asked.length, 0);
      },
    },
    ...(["allow_once", "reject_once"] as const).map((kind) => ({
      name: `a tool call with permission: ${kind}`,
      replies: escalatingReplies("echo from-outside"),
      async run(harness: ClientHarness) {
        const { editor, id } = await openSession(harness);
        await editor.request("session/set_mode", { sessionId: id, modeId: "workspace-write" });
        editor.decide(kind);
        const { stopReason } = await prompt(editor, id, "Go");
        assert.equal(editor.asked.length, 1);
        const kinds = editor.asked[0]?.map((option) => option.kind) ?? [];
        assert.ok(
          kinds.includes("allow_once") && kinds.some((each) => each.startsWith("reject")),
          kinds.join(),
        );
        if (kind === "allow_once") assert.match(lastToolOutput(harness), /from-outside/u);
        else assert.ok(stopReason === "cancelled" || !/"from-outside/u.test(lastToolOutput(harness)));
      },
    })),
    {
      name: "cancel",
      replies: [unfinishedReply("I begin")],
      async run(harness) {
        const { editor, id } = await openSession(harness);
        const begun = editor.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
        const ended = prompt(editor, id, "Begin");
        await begun;
        editor.notify("session/cancel", { sessionId: id });
        assert.equal((await ended).stopReason, "cancelled");
      },
    },
    {
      name: "list and load in another process",
      async run(harness) {
        const first = await openSession(harness);
        await prompt(first.editor, first.id, "Remember the word heron");
        const editor = await open(harness);
        const { sessions } = await editor.request<{ sessions: { sessionId: string }[] }>("session/list", {});
        assert.ok(
          sessions.some(({ sessionId }) => sessionId === first.id),
          "the session is not listed",
        );
        await first.editor.close();
        await editor.request("session/load", {
          sessionId: first.id,
          cwd: harness.home.workspace,
          mcpServers: [],
        });
        assert.match(editor.said(), /Hello from the model/u);
        await prompt(editor, first.id, "What was it?");
        assert.match(lastRequest(harness), /heron.*Hello from the model.*What was it/u);
      },
    },
    {
      name: "fork",
      async run(harness) {
        const { editor, id } = await openSession(harness);
        await prompt(editor, id, "Remember the word heron");
        const fork = await editor.request<NewSession>("session/fork", {
          sessionId: id,
          cwd: harness.home.workspace,
          mcpServers: [],
        });
        assert.notEqual(fork.sessionId, id);
        await prompt(editor, fork.sessionId, "What was it?");
        assert.match(lastRequest(harness), /heron.*Hello from the model.*What was it/u);
      },
    },
    {
      name: "another mode",
      replies: [messageReply("Done")],
      async run(harness) {
        const { editor, id } = await openSession(harness);
        await editor.request("session/set_mode", { sessionId: id, modeId: "agent-full-access" });
        await prompt(editor, id, "Go");
        assert.match(lastRequest(harness), /danger-full-access/u);
      },
    },
    {
      name: "another model",
      async run(harness) {
        const { editor, id, session } = await openSession(harness);
        const option = session.configOptions?.find(({ category }) => category === "model");
        assert.ok(option, "the model cannot be chosen");
        const value = anotherValue(option);
        await editor.request("session/set_config_option", { sessionId: id, configId: option.id, value });
        await prompt(editor, id, "Go");
        assert.ok(lastRequest(harness).includes(`"model":"${value}"`), `the model is not ${value}`);
      },
    },
    {
      name: "/status and /compact",
      async run(harness) {
        const { editor, id } = await openSession(harness);
        await prompt(editor, id, "Hello");
        assert.equal((await prompt(editor, id, "/status")).stopReason, "end_turn");
        assert.equal((await prompt(editor, id, "/compact")).stopReason, "end_turn");
      },
    },
  ],
};
