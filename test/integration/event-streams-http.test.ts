/** The events of threads over HTTP, on `heddle serve`: a stock client through kills of the server. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { stream } from "@durable-streams/client";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client/index.ts";
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply, streamedReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const KILLS = 5;
const DEADLINE = 20_000;

interface StreamedEvent {
  readonly method: string;
  readonly params: { readonly seq: string };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

const ANSWERS = Array.from({ length: 40 }, (_, index) => messageReply(`Answer ${index}`, { id: `${index}` }));

async function openServe(replies = ANSWERS) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  const port = await freePort();
  let child: Child | null = null;
  onTestFinished(async () => void (await child?.stop()));
  return {
    address: `ws://127.0.0.1:${port}`,
    url: (threadId: string) => `http://127.0.0.1:${port}/threads/${threadId}/events`,
    async start() {
      const { command } = HEDDLE;
      const args = [...HEDDLE.args, "serve", `--listen=ws://127.0.0.1:${port}`];
      child = new Child({ command, args, cwd: home.workspace, env: serverEnvironment(home) });
      await child.stderrMatch(/listening on/u, DEADLINE);
    },
    kill: async () => void (await child?.stop()),
  };
}

test("a stock client follows turns through five kills of the server", { timeout: 60_000 }, async () => {
  const server = await openServe();
  await server.start();
  const client = await connect(server.address, {
    capabilities: { experimentalApi: true },
    reconnect: { firstDelayMs: 20, forMs: 30_000 },
    onWarning() {},
  });
  onTestFinished(() => client.close());
  const thread = await client.startThread();
  await thread.run("first");
  const received: StreamedEvent[] = [];
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const response = await stream<StreamedEvent>({
    url: server.url(thread.id),
    offset: "-1",
    live: "long-poll",
    json: true,
    signal: controller.signal,
  });
  response.subscribeJson((batch) => void received.push(...batch.items));
  for (let round = 0; round < KILLS; round += 1) {
    const turn = thread.run(`round ${round}`).catch(() => null);
    await server.kill();
    await server.start();
    await turn;
  }
  await thread.run("last");
  const stored = await client.request("thread/events/list", {
    threadId: thread.id,
    afterSeq: null,
    limit: null,
  });
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(stored.data.length);
  expect(received).toEqual(
    stored.data.map(({ method, params, seq }) => ({ method, params: { ...params, seq } })),
  );
});

test("a thread is an empty stream before its first turn, and an id that is none is not found", async () => {
  const server = await openServe();
  await server.start();
  const client = await connect(server.address, { capabilities: { experimentalApi: true } });
  onTestFinished(() => client.close());
  const { id } = await client.startThread();
  const empty = await fetch(server.url(id));
  expect([empty.status, await empty.json()]).toEqual([200, []]);
  for (const other of ["x", "00000000-0000-7000-8000-000000000000"])
    expect((await fetch(server.url(other))).status).toBe(404);
  const beyond = await fetch(`${server.url(id)}?offset=0000_0000009999_0`);
  expect(beyond.status).toBe(410);
  expect((await fetch(`${server.url(id)}?offset=42`)).status).toBe(400);
});

test("an event arrives over SSE as soon as its line is kept", async () => {
  const server = await openServe([streamedReply(["one ", "two"])]);
  await server.start();
  const client = await connect(server.address, { capabilities: { experimentalApi: true } });
  onTestFinished(() => client.close());
  const thread = await client.startThread();
  const controller = new AbortController();
  const { body } = await fetch(`${server.url(thread.id)}?offset=-1&live=sse`, { signal: controller.signal });
  onTestFinished(() => controller.abort());
  const turn = thread.run("one");
  let text = "";
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("turn/completed")) break;
  }
  await turn;
  expect(text).toContain('event: live\ndata:{"method":"item/agentMessage/delta"');
  text = text.replaceAll(/event: live\ndata:.*\n\n/gu, "");
  const methods = [...text.matchAll(/"method":"([^"]+)"/gu)].map(([, method]) => method);
  expect(methods).toEqual([
    "turn/started",
    "item/completed",
    "item/completed",
    "thread/tokenUsage/updated",
    "turn/completed",
  ]);
});
