/** Fallback models over HTTP: which answers of a provider make a turn go on with another model. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { Thread } from "../../src/client/thread.ts";
import { TurnFailed } from "../../src/client/turn-stream.ts";
import { openEmbedded } from "../support/embedded.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";

const provider = (id: string, url: string): string => `
[model_providers.${id}]
name = "${id}"
base_url = "${url}/v1"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 0
`;

async function openModel(replies: readonly ModelReply[]) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  return model;
}

interface Homes {
  readonly urls: Readonly<Record<string, string>>;
  readonly fallbacks: readonly string[];
  readonly isExperimental?: boolean;
}

/** A server whose threads use `first/one`. */
async function openClient({ urls, fallbacks, isExperimental = true }: Homes) {
  const tables = Object.entries(urls).map(([id, url]) => provider(id, url));
  const { heddle } = await openEmbedded(
    `model = "one"\nmodel_provider = "first"\nmodel_fallbacks = ${JSON.stringify(fallbacks)}\n${tables.join("")}`,
  );
  const client = await heddle.connect({ capabilities: { experimentalApi: isExperimental } });
  const notices: { method: string; params: unknown }[] = [];
  for (const method of ["warning", "model/rerouted"] as const)
    client.on(method, (params) => void notices.push({ method, params }));
  return { client, notices };
}

async function runTurn(client: Client, text = "hello") {
  const thread = await client.startThread();
  return { thread, status: await statusOf(thread, text) };
}

/** How a turn ended; one that failed rejects. */
const statusOf = (thread: Thread, text: string): Promise<string> =>
  thread.run(text).then(
    ({ turn }) => turn.status,
    (error: unknown) => {
      if (error instanceof TurnFailed) return "failed";
      throw error;
    },
  );

const busy = (status: number): ModelReply => ({ status, body: { error: { message: "Overloaded" } } });
const modelsIn = (model: { readonly requests: readonly { readonly body: unknown }[] }) =>
  model.requests.map(({ body }) => (body as { model: string }).model);

describe("another model answers in the same turn", () => {
  test.each([529, 503, 500, 502, 429])("after the retries of a provider with status %i", async (status) => {
    const first = await openModel([busy(status)]);
    const second = await openModel([messageReply("from the second")]);
    const { client, notices } = await openClient({
      urls: { first: first.url, second: second.url },
      fallbacks: ["second/two"],
    });
    expect((await runTurn(client)).status).toBe("completed");
    expect(modelsIn(second)).toEqual(["two"]);
    // A 429 is sent again only where the provider says when.
    expect(first.requests.length).toBe(status === 429 ? 1 : 2);
    expect(notices).toContainEqual({
      method: "model/rerouted",
      params: expect.objectContaining({ fromModel: "one", toModel: "two", reason: "providerUnavailable" }),
    });
  });

  test("and the next turn tries the first model again", async () => {
    const first = await openModel([busy(529), busy(529), messageReply("from the first")]);
    const second = await openModel([messageReply("from the second")]);
    const { client } = await openClient({
      urls: { first: first.url, second: second.url },
      fallbacks: ["second/two"],
    });
    const { thread } = await runTurn(client);
    expect(await statusOf(thread, "again")).toBe("completed");
    expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
  });

  test("through two fallbacks, of the same provider and of another one", async () => {
    const first = await openModel([busy(503)]);
    const second = await openModel([messageReply("from the second")]);
    const { client } = await openClient({
      urls: { first: first.url, second: second.url },
      fallbacks: ["also", "second/deep/two"],
    });
    expect((await runTurn(client)).status).toBe("completed");
    expect(modelsIn(first)).toEqual(["one", "one", "also", "also"]);
    expect(modelsIn(second)).toEqual(["deep/two"]);
  });

  test("and a client without the experimental capability is warned only", async () => {
    const first = await openModel([busy(529)]);
    const second = await openModel([messageReply("from the second")]);
    const { client, notices } = await openClient({
      urls: { first: first.url, second: second.url },
      fallbacks: ["second/two"],
      isExperimental: false,
    });
    expect((await runTurn(client)).status).toBe("completed");
    expect(notices.filter(({ method }) => method === "model/rerouted")).toEqual([]);
    expect(JSON.stringify(notices)).toContain("`one` cannot answer now");
  });
});

describe("no other model answers", () => {
  const quota = { error: { type: "usage_limit_reached", message: "used up", resets_at: 4_000_000_000 } };
  const replies: readonly [string, ModelReply][] = [
    ["401", { status: 401 }],
    ["403", { status: 403 }],
    ["400", { status: 400, body: { error: { message: "bad" } } }],
    ["413", { status: 413 }],
    ["422", { status: 422 }],
    ["a usage limit", { status: 429, body: quota }],
    ["an exhausted quota", { status: 429, body: { error: { code: "insufficient_quota" } } }],
    ["an overload after visible text", overloadAfter("some text")],
  ];

  test.each(replies)("after %s", async (_, reply) => {
    const first = await openModel([reply]);
    const second = await openModel([messageReply("from the second")]);
    const { client } = await openClient({
      urls: { first: first.url, second: second.url },
      fallbacks: ["second/two"],
    });
    expect((await runTurn(client)).status).toBe("failed");
    expect(second.requests).toEqual([]);
  });

  test("while the network is down", async () => {
    const second = await openModel([messageReply("from the second")]);
    const { client } = await openClient({
      urls: { first: await refusedUrl(), second: second.url },
      fallbacks: ["second/two"],
    });
    const thread = await client.startThread();
    const isWaiting = new Promise<void>((resolve) => {
      client.on("error", ({ error, willRetry }) => {
        if (willRetry && error.message.includes("waiting for network")) resolve();
      });
    });
    const stream = thread.stream("hello");
    await isWaiting;
    await stream.interrupt();
    expect(second.requests).toEqual([]);
  });
});

test("fallbacks that nobody knows are named when a thread is loaded, and left out", async () => {
  const first = await openModel([busy(529)]);
  const second = await openModel([messageReply("from the second")]);
  const { client, notices } = await openClient({
    urls: { first: first.url, second: second.url },
    fallbacks: ["nowhere/x", "openai/not-a-model", "second/", "second/two"],
  });
  expect((await runTurn(client)).status).toBe("completed");
  const warnings = JSON.stringify(notices);
  for (const text of ["nowhere/x", "openai/not-a-model", "second/`", "there is no model provider"])
    expect(warnings).toContain(text);
  expect(modelsIn(second)).toEqual(["two"]);
});

/** A stream with a delta of text, which then fails with an overload. */
function overloadAfter(text: string): ModelReply {
  const { events } = unfinishedReply(text) as Extract<ModelReply, { events: unknown }>;
  const error = { code: "server_is_overloaded", message: "too busy" };
  return { events: [...events, { type: "response.failed", response: { id: "resp_1", error } }] };
}

/** The address of a port that nobody listens on. */
async function refusedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return `http://127.0.0.1:${port}`;
}
