import { describe, expect, test } from "vitest";
import { modelInfo } from "../../model/catalog/model-info.ts";
import type { FailureCause, ModelEvent } from "../../model/model.ts";
import { completed, createScriptedModel, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread, testSettings } from "../thread.fixture.ts";
import type { ModelFallback } from "./model-route.ts";

const OVERLOADED: FailureCause = { kind: "overloaded" };

function failure(cause?: FailureCause): ModelEvent {
  const error = {
    message: "too busy",
    codexErrorInfo: "other",
    additionalDetails: null,
    misalignment: null,
  } as const;
  return { type: "failed", error, ...(cause && { cause }) };
}

function fallback(name: string, scripts: readonly Script[]) {
  const model = createScriptedModel(scripts);
  const route: ModelFallback = {
    model: name,
    provider: "other",
    open: async () => ({ settings: { ...testSettings, model: name }, model, info: () => modelInfo(name) }),
  };
  return { model, route };
}

const answer: Script = [...messageEvents("m", "hi"), completed];

async function play(first: readonly Script[], fallbacks: readonly ReturnType<typeof fallback>[]) {
  const started = startThread(first, [], { setup: { fallbacks: fallbacks.map(({ route }) => route) } });
  await started.begin("one");
  await started.thread.whenIdle();
  const last = () => started.seen.findLast(({ method }) => method === "turn/completed")?.params;
  const rerouted = () =>
    started.seen.flatMap(({ method, params }) => (method === "model/rerouted" ? [params] : []));
  return { ...started, last, rerouted };
}

describe("a model that cannot answer", () => {
  test("is replaced by the next one in the same turn, and asked first in the next turn", async () => {
    const second = fallback("second", [answer]);
    const { begin, thread, model, last, rerouted } = await play([[failure(OVERLOADED)], answer], [second]);
    expect(last()).toMatchObject({ turn: { status: "completed" } });
    expect(rerouted()).toEqual([
      {
        threadId: "thread",
        turnId: expect.any(String),
        fromModel: "m",
        toModel: "second",
        reason: "providerUnavailable",
      },
    ]);
    expect(second.model.requests.map(({ model: name }) => name)).toEqual(["second"]);
    expect(second.model.requests[0]?.input).toEqual(model.requests[0]?.input);
    await begin("two");
    await thread.whenIdle();
    expect(model.requests.length).toBe(2);
    expect(second.model.requests.length).toBe(1);
  });

  test("is replaced by the one after the next where that one cannot answer either", async () => {
    const [second, third] = [fallback("second", [[failure(OVERLOADED)]]), fallback("third", [answer])];
    const { last, rerouted } = await play([[failure(OVERLOADED)]], [second, third]);
    expect(last()).toMatchObject({ turn: { status: "completed" } });
    expect(rerouted()).toMatchObject([{ toModel: "second" }, { fromModel: "second", toModel: "third" }]);
  });

  test("makes the turn fail where no other one is left", async () => {
    const { last } = await play([[failure(OVERLOADED)]], [fallback("second", [[failure(OVERLOADED)]])]);
    expect(last()).toMatchObject({ turn: { status: "failed", error: { message: "too busy" } } });
  });

  test("answers no more in its turn once the turn goes on with another one", async () => {
    const call: ModelEvent = {
      type: "itemDone",
      item: { type: "function_call", call_id: "c", name: "nothing", arguments: "{}" },
    };
    const second = fallback("second", [[call, completed], answer]);
    const { last, model } = await play([[failure(OVERLOADED)]], [second]);
    expect(last()).toMatchObject({ turn: { status: "completed" } });
    expect([model.requests.length, second.model.requests.length]).toEqual([1, 2]);
  });
});

test.each<[string, Script]>([
  ["that no other model changes", [failure()]],
  ["of a usage limit", [failure({ kind: "usageLimit", resetsAtMs: 1 })]],
  ["after visible text", [...messageEvents("m", "par").slice(0, 2), failure(OVERLOADED)]],
])("a failure %s ends the turn", async (_, script) => {
  const second = fallback("second", [answer]);
  const { last } = await play([script], [second]);
  expect(last()).toMatchObject({ turn: { status: "failed" } });
  expect(second.model.requests).toEqual([]);
});

test("a response that broke after finished items is not continued by another model", async () => {
  const retry = { attempt: 1, max: 5, delayMs: 1 };
  const error = {
    message: "broke",
    codexErrorInfo: "other",
    additionalDetails: null,
    misalignment: null,
  } as const;
  const second = fallback("second", [answer]);
  const broken: Script = [...messageEvents("m", "part"), { type: "retrying", ...retry, error }];
  const { last } = await play([broken, [failure(OVERLOADED)]], [second]);
  expect(last()).toMatchObject({ turn: { status: "failed" } });
  expect(second.model.requests).toEqual([]);
});
