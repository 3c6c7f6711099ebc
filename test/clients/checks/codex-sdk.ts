/** The TypeScript SDK of Codex, which runs `exec` once for each turn. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { customCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
import type { Client, Ground } from "../client.ts";
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

async function open({ folder, executable, env }: Ground): Promise<Codex> {
  const { Codex } = (await import(pathToFileURL(join(folder, ENTRY)).href)) as {
    Codex: new (options: object) => Codex;
  };
  return new Codex({ codexPathOverride: executable, env });
}

const inWorkspace = ({ home }: Ground) => ({
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
      async run(ground) {
        const thread = (await open(ground)).startThread(inWorkspace(ground));
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
      async run(ground) {
        const { events } = await (await open(ground)).startThread(inWorkspace(ground)).runStreamed("Go");
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
      async run(ground) {
        const options = { ...inWorkspace(ground), sandboxMode: "workspace-write" };
        const { items } = await (await open(ground)).startThread(options).run("Go");
        const change = items.find(({ type }) => type === "file_change");
        assert.equal(change?.["status"], "completed");
      },
    },
    {
      name: "resume in another process",
      async run(ground) {
        const codex = await open(ground);
        const first = codex.startThread(inWorkspace(ground));
        await first.run("Remember the word heron");
        const second = codex.resumeThread(first.id ?? "", inWorkspace(ground));
        await second.run("What was it?");
        assert.equal(second.id, first.id);
        assert.match(lastRequest(ground), /heron.*Hello from the model.*What was it/u);
      },
    },
    {
      name: "images",
      async run(ground) {
        const path = join(ground.home.workspace, "pixel.png");
        await writeFile(path, Buffer.from(PIXEL, "base64"));
        const input = [
          { type: "text", text: "Look" },
          { type: "local_image", path },
        ];
        await (await open(ground)).startThread(inWorkspace(ground)).run(input);
        assert.match(lastRequest(ground), /"image_url":"data:image\/png;base64,/u);
      },
    },
    {
      name: "output schema",
      replies: [messageReply('{"answer":"42"}')],
      async run(ground) {
        const outputSchema = {
          type: "object",
          properties: { answer: { type: "string" } },
          required: ["answer"],
          additionalProperties: false,
        };
        const turn = await (await open(ground))
          .startThread(inWorkspace(ground))
          .run("Answer", { outputSchema });
        assert.deepEqual(JSON.parse(turn.finalResponse), { answer: "42" });
        assert.match(lastRequest(ground), /"name":"codex_output_schema"/u);
      },
    },
    {
      name: "additional directories",
      async run(ground) {
        const more = join(ground.home.root, "more");
        const options = {
          ...inWorkspace(ground),
          sandboxMode: "workspace-write",
          additionalDirectories: [more],
        };
        await ground.home.write("more/file.txt", "text");
        await (await open(ground)).startThread(options).run("Hello");
        assert.ok(lastRequest(ground).includes(more), "the model is not told of the folder");
      },
    },
    {
      name: "abort",
      replies: [unfinishedReply("Thinking about")],
      async run(ground) {
        const abort = new AbortController();
        const turn = (await open(ground))
          .startThread(inWorkspace(ground))
          .run("Hello", { signal: abort.signal });
        await ground.model.arrived(1);
        abort.abort();
        await assert.rejects(turn, /abort/iu);
      },
    },
    {
      name: "a failed turn",
      replies: [FAILED_REPLY],
      async run(ground) {
        const turn = (await open(ground)).startThread(inWorkspace(ground)).run("Hello");
        await assert.rejects(turn, /no such model/u);
      },
    },
  ],
};
