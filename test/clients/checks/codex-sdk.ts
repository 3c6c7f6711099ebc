/** The TypeScript SDK of Codex, which runs `exec` once for each turn. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { customCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
import type { Client, ClientHarness } from "../client.ts";
import { ENTRY } from "../fetch-client.ts";
import { commandReplies, FAILED_REPLY, lastRequest } from "../model-replies.ts";

interface Thread {
  readonly id: string | null;
  run(input: unknown, options?: object): Promise<Turn>;
  runStreamed(input: unknown, options?: object): Promise<{ events: AsyncIterable<Event> }>;
}
interface Turn {
  readonly finalResponse: string;
  readonly items: readonly { readonly type: string; readonly [key: string]: unknown }[];
  readonly usage: { readonly input_tokens: number } | null;
}
type Event = { readonly type: string; readonly item?: { readonly type: string } };
interface Codex {
  startThread(options?: object): Thread;
  resumeThread(id: string, options?: object): Thread;
}

async function open({ folder, executable, env }: ClientHarness): Promise<Codex> {
  const { Codex } = (await import(pathToFileURL(join(folder, ENTRY)).href)) as {
    Codex: new (options: object) => Codex;
  };
  return new Codex({ codexPathOverride: executable, env });
}

const inWorkspace = ({ home }: ClientHarness) => ({
  workingDirectory: home.workspace,
  skipGitRepoCheck: true,
  model: "gpt-5.5",
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const codexSdk: Client = {
  name: "@openai/codex-sdk",
  version: "0.163.0",
  source: {
    kind: "npm",
    packages: ["@openai/codex-sdk@0.163.0"],
    entry: 'export * from "@openai/codex-sdk";\n',
  },
  needs: ["npm"],
  checks: [
    {
      name: "run",
      async run(harness) {
        const thread = (await open(harness)).startThread(inWorkspace(harness));
        const { finalResponse, usage, items } = await thread.run("Hello");
        assert.equal(finalResponse, "Hello from the model");
        assert.equal(usage?.input_tokens, 10);
        assert.deepEqual(
          items.map(({ type }) => type),
          ["agent_message"],
        );
        assert.match(thread.id ?? "", /^[0-9a-f-]{36}$/u);
      },
    },
    {
      name: "runStreamed with a command",
      replies: commandReplies("echo from-the-shell"),
      async run(harness) {
        const { events } = await (await open(harness)).startThread(inWorkspace(harness)).runStreamed("Go");
        const seen: string[] = [];
        for await (const { type, item } of events)
          seen.push(item === undefined ? type : `${type} ${item.type}`);
        assert.deepEqual(seen, [
          "thread.started",
          "turn.started",
          "item.started command_execution",
          "item.completed command_execution",
          "item.completed agent_message",
          "turn.completed",
        ]);
      },
    },
    {
      name: "a file change",
      replies: [
        reply(
          "1",
          customCallDone(
            "call_1",
            "apply_patch",
            "*** Begin Patch\n*** Add File: new.txt\n+text\n*** End Patch\n",
          ),
        ),
        messageReply("Done", { id: "2" }),
      ],
      async run(harness) {
        const options = { ...inWorkspace(harness), sandboxMode: "workspace-write" };
        const { items } = await (await open(harness)).startThread(options).run("Go");
        const change = items.find(({ type }) => type === "file_change");
        assert.equal(change?.["status"], "completed");
      },
    },
    {
      name: "resume in another process",
      async run(harness) {
        const codex = await open(harness);
        const first = codex.startThread(inWorkspace(harness));
        await first.run("Remember the word heron");
        const second = codex.resumeThread(first.id ?? "", inWorkspace(harness));
        await second.run("What was it?");
        assert.equal(second.id, first.id);
        assert.match(lastRequest(harness), /heron.*Hello from the model.*What was it/u);
      },
    },
    {
      name: "images",
      async run(harness) {
        const path = join(harness.home.workspace, "pixel.png");
        await writeFile(path, Buffer.from(PIXEL, "base64"));
        const input = [
          { type: "text", text: "Look" },
          { type: "local_image", path },
        ];
        await (await open(harness)).startThread(inWorkspace(harness)).run(input);
        assert.match(lastRequest(harness), /"image_url":"data:image\/png;base64,/u);
      },
    },
    {
      name: "output schema",
      replies: [messageReply('{"answer":"42"}')],
      async run(harness) {
        const outputSchema = {
          type: "object",
          properties: { answer: { type: "string" } },
          required: ["answer"],
          additionalProperties: false,
        };
        const turn = await (await open(harness))
          .startThread(inWorkspace(harness))
          .run("Answer", { outputSchema });
        assert.deepEqual(JSON.parse(turn.finalResponse), { answer: "42" });
        assert.match(lastRequest(harness), /"name":"codex_output_schema"/u);
      },
    },
    {
      name: "additional directories",
      async run(harness) {
        const more = join(harness.home.root, "more");
        const options = {
          ...inWorkspace(harness),
          sandboxMode: "workspace-write",
          additionalDirectories: [more],
        };
        await harness.home.write("more/file.txt", "text");
        await (await open(harness)).startThread(options).run("Hello");
        assert.ok(lastRequest(harness).includes(more), "the model is not told of the folder");
      },
    },
    {
      name: "abort",
      replies: [unfinishedReply("Thinking about")],
      async run(harness) {
        const abort = new AbortController();
        const turn = (await open(harness))
          .startThread(inWorkspace(harness))
          .run("Hello", { signal: abort.signal });
        await harness.model.arrived(1);
        abort.abort();
        await assert.rejects(turn, /abort/iu);
      },
    },
    {
      name: "a failed turn",
      replies: [FAILED_REPLY],
      async run(harness) {
        const turn = (await open(harness)).startThread(inWorkspace(harness)).run("Hello");
        await assert.rejects(turn, /no such model/u);
      },
    },
  ],
};
