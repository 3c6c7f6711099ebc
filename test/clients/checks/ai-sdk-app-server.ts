/**
 * A provider for the AI SDK that speaks to `app-server` and listens to a turn only after it has read its
 * response.
 */
import assert from "node:assert/strict";
import { on } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { messageReply, streamedReply, unfinishedReply } from "../../support/model-events.ts";
import { within } from "../../support/within.ts";
import type { Client, ClientHarness } from "../client.ts";
import { ENTRY } from "../fetch-client.ts";
import { commandReplies, FAILED_REPLY, lastRequest } from "../model-replies.ts";

interface Session {
  readonly threadId: string;
  injectMessage(text: string): Promise<void>;
  interrupt(): Promise<void>;
}
interface Model {
  dispose(): void;
}
interface Package {
  createCodexAppServer(options: object): (model: string) => Model;
  streamText(options: object): Streamed;
  generateText(options: object): Promise<{ readonly text: string }>;
  listModels(options: object): Promise<{ readonly models: readonly unknown[] }>;
}
interface Streamed {
  readonly text: PromiseLike<string>;
  readonly finishReason: PromiseLike<string>;
  readonly textStream: AsyncIterable<string>;
  readonly fullStream: AsyncIterable<{ readonly type: string; readonly toolName?: string }>;
}

const settingsFor = ({ executable, home, env }: ClientHarness) => ({
  codexPath: executable,
  cwd: home.workspace,
  env,
  approvalMode: "on-request",
  sandboxMode: "read-only",
});

async function open(harness: ClientHarness) {
  const client = (await import(pathToFileURL(join(harness.folder, ENTRY)).href)) as Package;
  let onSession: (created: Session) => void = () => {};
  const provider = client.createCodexAppServer({
    defaultSettings: {
      ...settingsFor(harness),
      logger: false,
      onSessionCreated: (created: Session) => {
        onSession(created);
      },
    },
  });
  const created = new Promise<Session>((resolve) => {
    onSession = resolve;
  });
  const model = provider("gpt-5.5");
  harness.onEnd(() => model.dispose());
  return { client, model, created };
}

/**
 * How long a busy client blocks at a time: longer than a turn takes, and than any pause that the server could
 * make.
 */
const BUSY_MS = 100;
const CALLS_WHILE_BUSY = 15;
const BUSY_CLIENT = join(process.cwd(), "test", "clients", "checks", "busy-client.mjs");

export const aiSdkAppServer: Client = {
  name: "ai-sdk-provider-codex-app-server",
  version: "1.1.7",
  source: {
    kind: "npm",
    packages: ["ai-sdk-provider-codex-app-server@1.1.7", "ai@6.0.318", "zod@4.6.7"],
    entry:
      'export * from "ai-sdk-provider-codex-app-server";\nexport { generateText, streamText } from "ai";\n',
  },
  needs: ["npm"],
  checks: [
    {
      name: "streamText",
      replies: [streamedReply(["One ", "two ", "three"])],
      async run(harness) {
        const { client, model } = await open(harness);
        const { textStream, finishReason } = client.streamText({ model, prompt: "Count" });
        const pieces: string[] = [];
        for await (const piece of textStream) pieces.push(piece);
        assert.deepEqual(pieces, ["One ", "two ", "three"]);
        assert.equal(await finishReason, "stop");
      },
    },
    {
      name: "generateText",
      async run(harness) {
        const { client, model } = await open(harness);
        assert.equal((await client.generateText({ model, prompt: "Hello" })).text, "Hello from the model");
      },
    },
    {
      name: "listModels",
      async run(harness) {
        const { client } = await open(harness);
        const { models } = await client.listModels({ codexPath: harness.executable, env: harness.env });
        assert.ok(models.length > 0, "there are no models");
      },
    },
    {
      name: "a command is shown",
      replies: commandReplies("echo hi"),
      async run(harness) {
        const { client, model } = await open(harness);
        const seen: string[] = [];
        for await (const { type, toolName } of client.streamText({ model, prompt: "Go" }).fullStream)
          if (type === "tool-call" || type === "tool-result") seen.push(`${type} ${toolName}`);
        assert.deepEqual(seen, ["tool-call exec", "tool-result exec"]);
      },
    },
    {
      name: "a failed turn",
      replies: [FAILED_REPLY],
      async run(harness) {
        const { client, model } = await open(harness);
        assert.match(await client.streamText({ model, prompt: "Hello" }).text, /no such model/u);
      },
    },
    {
      name: "injection",
      replies: [unfinishedReply("I begin"), messageReply("I have heard of it", { id: "2" })],
      async run(harness) {
        const { client, model, created } = await open(harness);
        const { text } = client.streamText({ model, prompt: "Begin" });
        const session = await created;
        await harness.model.arrived(1);
        await session.injectMessage("And heed this");
        assert.match(await text, /I have heard of it/u);
        assert.match(lastRequest(harness), /And heed this/u);
      },
    },
    {
      name: "interrupt",
      replies: [unfinishedReply("I begin")],
      async run(harness) {
        const { client, model, created } = await open(harness);
        const { textStream } = client.streamText({ model, prompt: "Begin" });
        const session = await created;
        for await (const piece of textStream) {
          assert.equal(piece, "I begin");
          await session.interrupt();
        }
      },
    },
    {
      name: "one call after the other, in a busy process",
      async run(harness) {
        const texts = callWhileBusy(harness);
        for (let call = 1; call <= CALLS_WHILE_BUSY; call += 1) {
          const { value } = await within(texts.next(), 5_000, `the end of call ${call}`);
          assert.equal(value, "Hello from the model");
        }
      },
    },
  ],
};

/** The texts that a busy client receives, call by call. */
async function* callWhileBusy(harness: ClientHarness): AsyncGenerator<string> {
  const workerData = {
    entry: pathToFileURL(join(harness.folder, ENTRY)).href,
    settings: settingsFor(harness),
    calls: CALLS_WHILE_BUSY,
    busyMs: BUSY_MS,
  };
  const worker = new Worker(BUSY_CLIENT, { workerData });
  harness.onEnd(() => worker.terminate());
  for await (const [text] of on(worker, "message")) yield text as string;
}
