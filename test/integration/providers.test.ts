/** Providers other than OpenAI end to end: a whole server with a scripted provider. */
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  openLoopbackProvider,
  type ProviderHandler,
  refuses,
  sends,
} from "../../src/model/fixtures/loopback-provider.ts";
import { openEmbedded } from "../support/embedded.ts";

type Provider = Awaited<ReturnType<typeof openLoopbackProvider>>;

async function open(
  wireApi: string,
  handler: (provider: () => Provider) => ProviderHandler | readonly ProviderHandler[],
) {
  let provider: Provider | null = null;
  const behind = () => {
    if (provider === null) throw new Error("the provider is not open yet");
    return provider;
  };
  provider = await openLoopbackProvider(...[handler(behind)].flat());
  onTestFinished(() => provider?.close());
  const { heddle, folders } = await openEmbedded(`model = "some-model"
model_provider = "mine"
model_reasoning_effort = "high"
sandbox_mode = "danger-full-access"
approval_policy = "never"
[model_providers.mine]
name = "Mine"
base_url = "http://127.0.0.1:${provider.port}/v1"
experimental_bearer_token = "a key"
wire_api = "${wireApi}"
request_max_retries = 3
stream_max_retries = 3
`);
  const client = await heddle.connect();
  const warnings: string[] = [];
  const items: string[] = [];
  client.on("warning", ({ message }) => warnings.push(message));
  client.on("item/completed", ({ item }) => items.push(item.type));
  const { thread } = await client.thread.start({ cwd: folders.workspace });
  const say = (text: string) => client.runTurn({ threadId: thread.id, input: [{ type: "text", text }] });
  const asked = () =>
    behind().requests.filter(({ url }) => !url.endsWith("/models") && !url.startsWith("/api"));
  return { client, thread, say, warnings, items, asked };
}

const recorded =
  (name: string): ProviderHandler =>
  (response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(readFileSync(`fixtures/model/messages/${name}.sse`));

const chunk = (delta: object, finish: string | null = null) => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const usageOf = (used: number) => ({
  id: "c",
  choices: [],
  usage: { prompt_tokens: used, completion_tokens: 5, total_tokens: used + 5 },
});

/** A provider with a real context window, which refuses longer requests as vLLM does. */
function withWindow(tokens: number, provider: () => Provider): ProviderHandler {
  const message = `This model's maximum context length is ${tokens} tokens. However, your request has more.`;
  return (response, socket) => {
    const used = Math.ceil(JSON.stringify(provider().requests.at(-1)?.body).length / 4);
    const answer =
      used > tokens
        ? refuses(400, { object: "error", message, type: "BadRequestError", code: 400 })
        : sends(chunk({ content: `Used ${used}. ` }), chunk({}, "stop"), usageOf(used), "[DONE]");
    answer(response, socket);
  };
}

describe("a chat server with a small window", () => {
  const WINDOW = 16_000;

  test("is talked with for as long as one likes", async () => {
    const { say, asked, warnings, items } = await open("chat", (provider) => withWindow(WINDOW, provider));
    for (let turn = 0; turn < 12; turn += 1) {
      expect((await say(`${turn}: ${"words ".repeat(1500)}`)).status).toBe("completed");
    }
    expect(items.filter((type) => type === "contextCompaction").length).toBeGreaterThan(0);
    expect(warnings.filter((text) => text.includes(`taken to have ${WINDOW} tokens`)).length).toBe(1);
    expect(warnings[0]).toContain("set `model_context_window`");
    // After its first refusal the window is known, and conversations are compacted in time.
    expect(asked().length).toBeLessThan(40);
  });

  test("takes a message that is longer than its window", async () => {
    const { say } = await open("chat", (provider) => withWindow(WINDOW, provider));
    expect((await say("words ".repeat(40_000))).status).toBe("completed");
    expect((await say("and now?")).status).toBe("completed");
  });

  test("compacts when asked to, however long the conversation is", async () => {
    let window = 1_000_000;
    const { say, client, thread } = await open(
      "chat",
      (provider) =>
        (...of) =>
          withWindow(window, provider)(...of),
    );
    for (let turn = 0; turn < 6; turn += 1) await say("words ".repeat(4000));
    window = WINDOW;
    const ended = new Promise<string>((resolve) => {
      client.on("turn/completed", ({ turn }) => resolve(turn.status));
    });
    await client.thread.compact.start({ threadId: thread.id });
    expect(await ended).toBe("completed");
    expect((await say("go on")).status).toBe("completed");
  });
});

describe("Anthropic's wire", () => {
  test("thinks, calls two tools at once, and is sent back what it thought", async () => {
    const { say, items, asked } = await open("messages", () => [recorded("thinking"), recorded("plain")]);
    const turn = await say("look around");
    expect(turn.status).toBe("completed");
    expect(items).toEqual(expect.arrayContaining(["reasoning", "commandExecution", "agentMessage"]));
    const [first, second] = asked().filter(({ url }) => url === "/v1/messages");
    expect(first?.headers).toMatchObject({ "x-api-key": "a key", "anthropic-version": "2023-06-01" });
    expect(first?.body).toMatchObject({ thinking: { type: "enabled" }, max_tokens: 32_000 });
    const { messages } = (second?.body ?? { messages: [] }) as {
      messages: { role: string; content: object[] }[];
    };
    expect(messages.at(-2)?.content.slice(0, 2)).toEqual([
      { type: "thinking", thinking: "The folder comes first.", signature: "EqQBCgIYAhIM" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
    ]);
    expect(
      messages
        .at(-1)
        ?.content.map((block) => (block as { type: string }).type)
        .slice(0, 2),
    ).toEqual(["tool_result", "tool_result"]);
    expect(JSON.stringify(second?.body).match(/cache_control/g)?.length).toBe(4);
  });
});

test.each([
  [401, { error: { message: "bad key" } }, "unexpected status 401 Unauthorized: bad key"],
  [404, "", 'may have no Responses API: try `wire_api = "chat"`'],
])("a refusal with %i is told once, with what to do", async (status, body, expected) => {
  const { say, asked } = await open("responses", () => refuses(status, body));
  const { error } = await say("hello");
  expect(error?.message).toContain(expected);
  expect(asked().length).toBe(1);
});

test("with no provider only the demo model is offered, and it is what a thread has", async () => {
  const { heddle } = await openEmbedded();
  const client = await heddle.connect();
  const { data } = await client.model.list({ includeHidden: true });
  const { model } = await client.thread.start({});
  expect([data.map(({ id }) => id), model]).toEqual([["heddle-demo"], "heddle-demo"]);
});
