import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { collect, PLAIN_REQUEST } from "../fixtures/collect.ts";
import {
  type LoopbackProvider,
  openLoopbackProvider,
  type ProviderHandler,
} from "../fixtures/loopback-provider.ts";
import { sse, textDelta } from "../fixtures/response-events.ts";
import { EXEC_TOOL, type ModelHarness, type ModelScenario, modelContract } from "../model.contract.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { WireApi } from "../provider-settings.ts";
import { openModel } from "./open-model.ts";

const deps = { clock: systemClock, env: {}, random: () => 0.5, log: silentLogger };
const request = { ...PLAIN_REQUEST, tools: [EXEC_TOOL] };

/** An endless stream: its first messages, and the message that repeats. */
const ENDLESS: Record<Exclude<WireApi, "demo">, { readonly first: unknown[]; readonly again: unknown }> = {
  responses: { first: [], again: textDelta("again ") },
  chat: { first: [], again: { id: "chat_1", choices: [{ index: 0, delta: { content: "again " } }] } },
  messages: {
    first: [
      { type: "message_start", message: { id: "msg_1" } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    again: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "again " } },
  },
};

function handlerOf(wireApi: Exclude<WireApi, "demo">, scenario: ModelScenario): ProviderHandler {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (scenario !== "endless") {
      response.end(readFileSync(`fixtures/model/${wireApi}/${scenario}.sse`));
      return;
    }
    const { first, again } = ENDLESS[wireApi];
    const text = sse(...Array.from({ length: 100 }, () => again));
    const pump = () => {
      while (!response.destroyed && response.write(text));
    };
    response.write(sse(...first));
    response.on("drain", pump);
    pump();
  };
}

function httpHarness(wireApi: Exclude<WireApi, "demo">): () => ModelHarness {
  return () => {
    const providers: LoopbackProvider[] = [];
    const models: Model[] = [];
    return {
      async open(scenario) {
        const provider = await openLoopbackProvider(handlerOf(wireApi, scenario));
        const model = openModel(provider.settings({ wireApi }), deps);
        providers.push(provider);
        models.push(model);
        return { model, request };
      },
      async close() {
        for (const model of models) model.close();
        await Promise.all(providers.map((provider) => provider.close()));
      },
    };
  };
}

const PROMPTS: Record<ModelScenario, string> = {
  plain: "hello",
  call: "run pwd",
  failure: "fail",
  endless: "slow",
};

function demoHarness(): ModelHarness {
  const model = openModel(
    {
      id: "demo",
      name: "Demo",
      baseUrl: "",
      wireApi: "demo",
      bearerToken: null,
      tokenCommand: null,
      headers: {},
      queryParams: {},
      requestMaxRetries: 0,
      streamMaxRetries: 0,
      streamIdleTimeoutMs: 1,
      waitsForNetwork: false,
      isOpenai: false,
      reportsContextWindow: false,
      fault: null,
    },
    deps,
  );
  return {
    open: (scenario) => Promise.resolve({ model, request: asking(PROMPTS[scenario]) }),
    close: () => Promise.resolve(model.close()),
  };
}

function asking(text: string): ModelRequest {
  return { ...request, input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }] };
}

modelContract("the Responses API", httpHarness("responses"));
modelContract("Chat Completions", httpHarness("chat"));
modelContract("the Messages API", httpHarness("messages"));
modelContract("the demo model", demoHarness);

test("Messages API requests have version and key headers, which settings may override", async () => {
  const provider = await openLoopbackProvider(handlerOf("messages", "plain"));
  const headers = { "anthropic-beta": "b", "Anthropic-Version": "2099-01-01" };
  const settings = provider.settings({ wireApi: "messages", bearerToken: "key" });
  const tokenCommand = {
    command: "echo",
    args: ["printed"],
    timeoutMs: 5000,
    refreshIntervalMs: 0,
    cwd: null,
  };
  const models = [{}, { headers }, { bearerToken: null, tokenCommand }].map((own) =>
    openModel({ ...settings, ...own }, { ...deps, env: process.env }),
  );
  for (const model of models) await collect(model, request);
  expect(
    provider.requests.map(({ url, headers: sent }) => [url, ...NAMES.map((name) => sent[name])]),
  ).toEqual([
    ["/v1/messages", "key", undefined, "2023-06-01", undefined],
    ["/v1/messages", "key", undefined, "2099-01-01", "b"],
    ["/v1/messages", "printed", undefined, "2023-06-01", undefined],
  ]);
  for (const model of models) model.close();
  await provider.close();
});

const NAMES = ["x-api-key", "authorization", "anthropic-version", "anthropic-beta"];
