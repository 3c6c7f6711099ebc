import { expect, test } from "vitest";
import { collect, PLAIN_REQUEST } from "../fixtures/collect.ts";
import { type ModelScenario, modelContract } from "../model.contract.ts";
import type { ModelEvent } from "../model.ts";
import { type CustomModel, openCustomModel } from "./custom-model.ts";

const USAGE = {
  totalTokens: 3,
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 2,
  reasoningOutputTokens: 0,
};
const END: ModelEvent = { type: "completed", responseId: "r", usage: USAGE as never, endTurn: null };
const CALL: ModelEvent = {
  type: "itemDone",
  item: { type: "function_call", name: "exec_command", call_id: "c", arguments: '{"cmd":"pwd"}' } as never,
};

const answers: Record<ModelScenario, CustomModel> = {
  async *plain() {
    yield "Hello ";
    yield "there";
    yield END;
  },
  async *call() {
    yield "I look.";
    yield CALL;
    yield END;
  },
  async *failure() {
    yield "half";
    throw new Error("no idea");
  },
  async *endless() {
    for (;;) yield "more";
  },
};

modelContract("a function of one's own", () => ({
  open: async (scenario) => ({ model: openCustomModel(answers[scenario]), request: PLAIN_REQUEST }),
  close: async () => {},
}));

modelContract("an object of one's own", () => ({
  open: async (scenario) => ({
    model: openCustomModel({ stream: openCustomModel(answers[scenario]).stream }),
    request: PLAIN_REQUEST,
  }),
  close: async () => {},
}));

test.each<[string, CustomModel, string]>([
  ["a text", () => "Hi", "Hi"],
  ["a promise of one", async () => "Hi", "Hi"],
  ["nothing", async function* () {}, ""],
])("answers with %s", async (_name, own, text) => {
  const events = await collect(openCustomModel(own), PLAIN_REQUEST);
  expect(events.flatMap((event) => (event.type === "textDelta" ? [event.delta] : [])).join("")).toBe(text);
  expect(events.at(-1)?.type).toBe("completed");
});

test.each<[string, CustomModel, string]>([
  [
    "throws at once",
    () => {
      throw new Error("no idea");
    },
    "no idea",
  ],
  ["rejects", async () => Promise.reject(new Error("no idea")), "no idea"],
  [
    "has no end",
    {
      async *stream() {
        yield [{ type: "created" }];
      },
    },
    "without an end",
  ],
])("one that %s fails with a reason", async (_name, own, reason) => {
  const last = (await collect(openCustomModel(own), PLAIN_REQUEST)).at(-1);
  expect(last?.type === "failed" && last.error.message).toContain(reason);
});

test("iteration stops at the end event", async () => {
  const events = await collect(
    openCustomModel(async function* () {
      yield END;
      yield "too late";
    }),
    PLAIN_REQUEST,
  );
  expect(events.map(({ type }) => type)).toEqual(["created", "completed"]);
});

test("messages in the user's role are dropped", async () => {
  const item = { type: "message", role: "user", content: [{ type: "input_text", text: "x" }] } as const;
  const model = openCustomModel(async function* () {
    yield { type: "itemAdded", item } as never;
    yield { type: "itemDone", item } as never;
    yield CALL;
    yield END;
  });
  const events = await collect(model);
  expect(events.filter(({ type }) => type.startsWith("item"))).toEqual([CALL]);
});
