import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { PLAIN_REQUEST } from "../fixtures/collect.ts";
import {
  type Handler,
  type LoopbackProvider,
  openLoopbackProvider,
  sends,
} from "../fixtures/loopback-provider.ts";
import { answer, COMPLETED, CREATED, done, sse, textDelta } from "../fixtures/response-events.ts";
import { EXEC_TOOL, type ModelHarness, modelContract, type Scenario } from "../model.contract.ts";
import type { Model, ModelRequest } from "../model.ts";
import type { WireApi } from "../provider-settings.ts";
import { openModel } from "./open-model.ts";

const deps = { clock: systemClock, env: {}, random: () => 0.5, log: silentLogger };
const request = { ...PLAIN_REQUEST, tools: [EXEC_TOOL] };

const responses: Record<Scenario, Handler> = {
  plain: sends(...answer("Hel", "lo ", "there")),
  call: sends(
    CREATED,
    done({ type: "function_call", name: "exec_command", arguments: '{"cmd":"pwd"}', call_id: "call_1" }),
    COMPLETED,
  ),
  failure: sends(CREATED, { type: "response.failed", response: { error: { code: "insufficient_quota" } } }),
  endless: endless(textDelta("again ")),
};

const chunk = (delta: unknown, more: object = {}) => ({
  id: "chat_1",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

const chat: Record<Scenario, Handler> = {
  plain: sends(
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "Hel" }),
    chunk({ content: "lo" }),
    chunk({}, { finish_reason: "stop" }),
    { id: "chat_1", choices: [], usage },
    "[DONE]",
  ),
  call: sends(
    chunk({
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "exec_command", arguments: "" } },
      ],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"cmd":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"pwd"}' } }] }),
    chunk({}, { finish_reason: "tool_calls" }),
    "[DONE]",
  ),
  failure: sends(chunk({ content: "Hel" }), { error: { code: "insufficient_quota", message: "no" } }),
  endless: endless(chunk({ content: "again " })),
};

/** Sends without an end, as fast as it is taken. */
function endless(message: unknown): Handler {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = sse(...Array.from({ length: 100 }, () => message));
    const pump = () => {
      while (!response.destroyed && response.write(text));
    };
    response.on("drain", pump);
    pump();
  };
}

function httpHarness(wireApi: WireApi, handlers: Record<Scenario, Handler>): () => ModelHarness {
  return () => {
    const providers: LoopbackProvider[] = [];
    const models: Model[] = [];
    return {
      async open(scenario) {
        const provider = await openLoopbackProvider(handlers[scenario]);
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

const PROMPTS: Record<Scenario, string> = {
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

modelContract("the Responses API", httpHarness("responses", responses));
modelContract("Chat Completions", httpHarness("chat", chat));
modelContract("the demo model", demoHarness);
