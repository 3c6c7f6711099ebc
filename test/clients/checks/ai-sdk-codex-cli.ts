/** A provider for the AI SDK with two modes: a process for each call (`exec`), and one for all (`app-server`). */
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageReply, streamedReply, unfinishedReply } from "../../support/model-events.ts";
import type { Check, Client, ClientHarness } from "../client.ts";
import { ENTRY } from "../fetch-client.ts";
import { escalatingReplies, FAILED_REPLY, lastRequest, lastToolOutput } from "../model-replies.ts";

type Metadata = Readonly<Record<string, { readonly threadId?: string }>>;
interface Generated {
  readonly text: string;
  readonly object: unknown;
  readonly providerMetadata?: Metadata;
  readonly usage: { readonly inputTokens?: number };
}
interface Package {
  createCodexExec(options: object): (model: string, settings?: object) => unknown;
  createCodexAppServer(options: object): AppServer;
  generateText(options: object): Promise<Generated>;
  generateObject(options: object): Promise<Generated>;
  streamText(options: object): { readonly textStream: AsyncIterable<string> };
  jsonSchema(schema: object): unknown;
}
type AppServer = ((model: string) => unknown) & {
  close(): Promise<void>;
  listModels(): Promise<{ models: unknown[] }>;
};

const load = async ({ folder }: ClientHarness) =>
  (await import(pathToFileURL(join(folder, ENTRY)).href)) as Package;

interface Session {
  readonly client: Package;
  readonly model: unknown;
}

async function openExec(harness: ClientHarness): Promise<Session> {
  const client = await load(harness);
  const defaultSettings = {
    codexPath: harness.executable,
    cwd: harness.home.workspace,
    env: harness.env,
    skipGitRepoCheck: true,
    sandboxMode: "read-only",
    logger: false,
  };
  return { client, model: client.createCodexExec({ defaultSettings })("gpt-5.5") };
}

async function openAppServer(harness: ClientHarness, settings: object = {}) {
  const client = await load(harness);
  const defaultSettings = {
    codexPath: harness.executable,
    cwd: harness.home.workspace,
    env: harness.env,
    sandboxPolicy: "read-only",
    logger: false,
    ...settings,
  };
  const provider = client.createCodexAppServer({ defaultSettings });
  harness.onEnd(() => provider.close());
  return { client, provider, model: provider("gpt-5.5") };
}

const SCHEMA = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

/** The client's own wording for the exit of a process. */
const TEXTS = {
  exec: { aborted: /exited with code null/u, failed: /exited with code 1/u },
  "app-server": { aborted: /abort/iu, failed: /no such model/u },
};

/** Checks of both modes. */
function commonChecks(mode: keyof typeof TEXTS, open: (harness: ClientHarness) => Promise<Session>): Check[] {
  const texts = TEXTS[mode];
  return [
    {
      name: `${mode}: generateText`,
      async run(harness) {
        const { client, model } = await open(harness);
        const { text, usage } = await client.generateText({ model, prompt: "Hello" });
        assert.equal(text, "Hello from the model");
        assert.equal(usage.inputTokens, 10);
      },
    },
    {
      name: `${mode}: streamText`,
      replies: [streamedReply(["One ", "two ", "three"])],
      async run(harness) {
        const { client, model } = await open(harness);
        const pieces: string[] = [];
        for await (const piece of client.streamText({ model, prompt: "Count" }).textStream)
          pieces.push(piece);
        assert.equal(pieces.join(""), "One two three");
        if (mode === "app-server") assert.equal(pieces.length, 3);
      },
    },
    {
      name: `${mode}: generateObject`,
      replies: [messageReply('{"answer":"42"}')],
      async run(harness) {
        const { client, model } = await open(harness);
        const schema = client.jsonSchema(SCHEMA);
        const { object } = await client.generateObject({ model, schema, prompt: "Answer" });
        assert.deepEqual(object, { answer: "42" });
        assert.match(lastRequest(harness), /codex_output_schema/u);
      },
    },
    {
      name: `${mode}: abort`,
      replies: [unfinishedReply("Thinking about")],
      async run(harness) {
        const { client, model } = await open(harness);
        const abort = new AbortController();
        const call = client.generateText({ model, prompt: "Hello", abortSignal: abort.signal });
        await harness.model.arrived(1);
        abort.abort();
        await assert.rejects(call, texts.aborted);
      },
    },
    {
      name: `${mode}: a failed turn`,
      replies: [FAILED_REPLY],
      async run(harness) {
        const { client, model } = await open(harness);
        await assert.rejects(client.generateText({ model, prompt: "Hello", maxRetries: 0 }), texts.failed);
      },
    },
  ];
}

/** A call that needs to leave the sandbox, and the client's answer to its approval. */
function approvalCheck(decision: "accept" | "decline"): Check {
  return {
    name: `app-server: an approval is answered with ${decision}`,
    replies: escalatingReplies("echo from-outside"),
    async run(harness) {
      const asked: string[] = [];
      const { client, model } = await openAppServer(harness, {
        approvalPolicy: "on-request",
        serverRequests: {
          async onCommandExecutionApproval({ params }: { params: { command: string } }) {
            asked.push(params.command);
            return { decision };
          },
        },
      });
      await client.generateText({ model, prompt: "Go" });
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? "", /echo from-outside/u);
      assert.match(
        lastToolOutput(harness),
        decision === "accept" ? /from-outside/u : /rejected|denied|declined/iu,
      );
    },
  };
}

export const aiSdkCodexCli: Client = {
  name: "ai-sdk-provider-codex-cli",
  version: "1.4.1",
  source: {
    kind: "npm",
    packages: ["ai-sdk-provider-codex-cli@1.4.1", "ai@6.0.318", "zod@4.6.7"],
    entry:
      'export * from "ai-sdk-provider-codex-cli";\nexport { generateObject, generateText, jsonSchema, streamText } from "ai";\n',
  },
  needs: ["npm"],
  checks: [
    ...commonChecks("exec", openExec),
    ...commonChecks("app-server", openAppServer),
    {
      name: "app-server: resume",
      async run(harness) {
        const { client, model } = await openAppServer(harness);
        const withOptions = (options: object) => ({ providerOptions: { "codex-app-server": options } });
        const first = await client.generateText({
          model,
          prompt: "Remember the word heron",
          ...withOptions({ threadMode: "persistent" }),
        });
        const threadId = first.providerMetadata?.["codex-app-server"]?.threadId;
        assert.ok(threadId, "no id of a thread was given");
        await client.generateText({ model, prompt: "What was it?", ...withOptions({ threadId }) });
        assert.match(lastRequest(harness), /heron.*Hello from the model.*What was it/u);
      },
    },
    approvalCheck("accept"),
    approvalCheck("decline"),
    {
      name: "app-server: listModels",
      async run(harness) {
        const { provider } = await openAppServer(harness);
        assert.ok((await provider.listModels()).models.length > 0, "there are no models");
      },
    },
  ],
};
