import { afterEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { chatWire } from "../chat/chat-wire.ts";
import { collect, PLAIN_REQUEST } from "../fixtures/collect.ts";
import { openLoopbackProvider, type ProviderHandler, refuses, sends } from "../fixtures/loopback-provider.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { createHttpModel } from "./http-model.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ANSWER = sends({ id: "1", choices: [{ delta: { content: "Hi" }, finish_reason: "stop" }] }, "[DONE]");
const ASKED = "asked for a context window";
const NAME = PLAIN_REQUEST.model;

/** A provider that answers the conversation, and each look-up with the next of these. */
async function stage(
  lookUps: readonly ProviderHandler[],
  own: Partial<ProviderSettings> = {},
  first = ANSWER,
) {
  const clock = createFakeClock();
  const heard = createDeferred<void>();
  const log = { ...silentLogger, debug: (what: string) => void (what === ASKED && heard.resolve()) };
  const provider = await openLoopbackProvider(first, ...lookUps);
  const deps = { clock, env: {}, random: () => 0.5, log };
  const settings = provider.settings({
    wireApi: "chat",
    reportsContextWindow: true,
    bearerToken: "k",
    ...own,
  });
  const model = createHttpModel(settings, chatWire, deps);
  cleanups.push(
    () => provider.close(),
    () => model.close(),
  );
  return { model, provider, heard: heard.promise, clock, asked: () => provider.requests.slice(1) };
}

const lists = (entry: object, key = "data"): ProviderHandler =>
  refuses(200, { object: "list", [key]: [null, { id: "other", context_length: 5555 }, entry] });
const NOTHING = refuses(404, "");

describe("a model's context window", () => {
  test.each<[server: string, lookUps: ProviderHandler[], window: number | null]>([
    ["OpenRouter", [lists({ id: NAME, context_length: 131_072 })], 131_072],
    ["vLLM", [lists({ id: NAME, max_model_len: 32_768, root: NAME })], 32_768],
    ["Mistral", [lists({ id: NAME, max_context_length: 40_000 })], 40_000],
    ["Groq", [lists({ id: NAME, context_window: 131_072 })], 131_072],
    ["Anthropic", [lists({ id: NAME, max_input_tokens: 200_000 })], 200_000],
    [
      "LM Studio",
      [lists({ id: NAME }), lists({ id: NAME, max_context_length: 131_072, loaded_context_length: 4096 })],
      4096,
    ],
    [
      "Ollama while it is loaded",
      [NOTHING, NOTHING, lists({ model: NAME, context_length: 8192 }, "models")],
      8192,
    ],
    [
      "Ollama with a window of its own",
      [
        NOTHING,
        NOTHING,
        NOTHING,
        refuses(200, {
          parameters: "stop x\nnum_ctx   16384",
          model_info: { "llama.context_length": 131_072 },
        }),
      ],
      16_384,
    ],
    [
      "Ollama",
      [NOTHING, NOTHING, NOTHING, refuses(200, { model_info: { "llama.context_length": 131_072 } })],
      131_072,
    ],
    [
      "a server that says nothing",
      [refuses(200, "no json"), refuses(200, { data: {} }), NOTHING, refuses(500, "")],
      null,
    ],
    [
      "a server that lies",
      [
        lists({ id: NAME, context_length: -1 }),
        lists({ id: NAME, context_length: "9" }),
        lists({ id: NAME, context_length: 1e300 }),
        refuses(200, []),
      ],
      null,
    ],
  ])("is learned from %s", async (_, lookUps, window) => {
    const { model, heard } = await stage(lookUps);
    expect(model.contextWindow?.(NAME)).toBeNull();
    await collect(model);
    await heard;
    expect(model.contextWindow?.(NAME)).toBe(window);
    expect(model.contextWindow?.("another")).toBeNull();
  });

  test("is queried once, with the key, and with fallbacks", async () => {
    const { model, heard, provider, asked } = await stage([NOTHING, NOTHING, NOTHING, NOTHING], {
      queryParams: { v: "1" },
    });
    await collect(model);
    await heard;
    const paths = asked().map(({ url, body }) => [url, body]);
    expect(paths).toEqual([
      ["/v1/models?v=1", null],
      ["/api/v0/models", null],
      ["/api/ps", null],
      ["/api/show", { model: NAME }],
    ]);
    expect(asked()[0]?.headers.authorization).toBe("Bearer k");
    await collect(model);
    expect(provider.requests.length).toBe(6);
  });

  test("lookup does not delay requests if the server does not respond", async () => {
    const { model, clock, heard, asked } = await stage([() => {}, () => {}, () => {}, () => {}]);
    expect((await collect(model)).at(-1)?.type).toBe("completed");
    for (let count = 0; count < 4; count += 1) {
      await clock.timer(5000);
      clock.advance(5000);
    }
    await heard;
    expect(asked().length).toBeLessThanOrEqual(4);
    expect(model.contextWindow?.(NAME)).toBeNull();
  });

  test("is not queried if disabled, nor before the first response", async () => {
    const { model, asked } = await stage([], { reportsContextWindow: false });
    await collect(model);
    expect(asked()).toEqual([]);
    const refused = await stage([], {}, refuses(400, "no"));
    await collect(refused.model);
    expect(refused.asked()).toEqual([]);
  });

  test("from an overflow error takes precedence", async () => {
    const tooLong = refuses(400, { error: { message: "maximum context length is 8192 tokens" } });
    const { model, asked } = await stage([], {}, tooLong);
    await collect(model);
    expect([model.contextWindow?.(NAME), asked()]).toEqual([8192, []]);
  });
});
