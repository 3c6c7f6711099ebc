import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { modelInfo } from "../../model/catalog/model-info.ts";
import { toTool } from "../../tools/plain-tool.fixture.ts";
import { callEvent, completed, messageEvents } from "../scripted-model.fixture.ts";
import { contextWith, startThread } from "../thread.fixture.ts";

const tool = (name: string) =>
  toTool({
    name,
    spec: { type: "function", name },
    parallel: true,
    run: async () => ({ output: "heard", success: true }),
  });

function open(count: number, held: Promise<void> = Promise.resolve()) {
  const scripts = [
    [held, callEvent("c", "first", {}), completed],
    ...Array.from({ length: count }, (_, index) => [...messageEvents(`m${index}`, "Fine"), completed]),
  ];
  const world = startThread(scripts, [tool("first")], {
    setup: {
      context: async () => contextWith({ rules: { permissions: "RULES of m", developer: "SAME" } }),
    },
    setupFor: ({ model, effort }) => ({
      tools: async () => [tool(`of ${model}`)],
      context: async () =>
        contextWith({
          model,
          rules: { permissions: `RULES of ${model}`, developer: "SAME", mode: effort },
        }),
    }),
  });
  return {
    ...world,
    async run(text: string) {
      await world.begin(text);
      await world.thread.whenIdle();
    },
    updates: () => world.seen.filter(({ method }) => method === "thread/settings/updated"),
  };
}

describe("a change of settings", () => {
  test("is told once, as a whole", async () => {
    const { thread, updates } = open(0);
    (await thread.changeSettings({ model: "n", effort: "high" })).begin();
    expect(updates()).toEqual([
      {
        method: "thread/settings/updated",
        params: {
          threadId: "thread",
          threadSettings: {
            disabledPluginIds: [],
            cwd: "/project",
            approvalPolicy: "never",
            approvalsReviewer: "user",
            sandboxPolicy: { type: "readOnly" },
            activePermissionProfile: null,
            model: "n",
            modelProvider: "p",
            serviceTier: null,
            effort: "high",
            summary: null,
            collaborationMode: {
              mode: "default",
              settings: { model: "n", reasoning_effort: "high", developer_instructions: null },
            },
            multiAgentMode: "explicitRequestOnly",
            personality: null,
          },
        },
      },
    ]);
  });

  test("that changes nothing is not told, and is none", async () => {
    const { thread, updates } = open(0);
    const before = thread.settings;
    (await thread.changeSettings({})).begin();
    (await thread.changeSettings({ model: "m", sandbox: { type: "readOnly" } })).begin();
    expect([updates(), thread.settings === before]).toEqual([[], true]);
  });

  test("gives the next turn its model and its tools", async () => {
    const { thread, run, model } = open(2);
    await run("one");
    (await thread.changeSettings({ model: "n" })).begin();
    await run("two");
    const asked = model.requests.map(({ model: name, tools }) => [name, tools]);
    const first = [{ type: "function", name: "first" }];
    expect(asked).toEqual([
      ["m", first],
      ["m", first],
      ["n", [{ type: "function", name: "of n" }]],
    ]);
  });

  test("does not touch the turn that runs", async () => {
    const held = createDeferred<void>();
    const { thread, begin, run, model } = open(2, held.promise);
    await begin("one");
    await model.whenRequested(1);
    (await thread.changeSettings({ model: "n", effort: "high" })).begin();
    held.resolve();
    await thread.whenIdle();
    await run("two");
    expect(model.requests.map(({ model: name, reasoning }) => [name, reasoning?.effort])).toEqual([
      ["m", undefined],
      ["m", undefined],
      ["n", "high"],
    ]);
  });

  test("tells the model only what is new, and once", async () => {
    const { thread, run, told } = open(4);
    await run("one");
    await run("two");
    (await thread.changeSettings({ effort: "high" })).begin();
    await run("three");
    await run("four");
    const before = told(2) ?? [];
    expect(before).toEqual([
      "developer: RULES of mSAME",
      "user: one",
      "function_call first",
      "function_call_output heard",
      "assistant: Fine",
      "user: two",
    ]);
    expect(told(4)).toEqual([
      ...before,
      "assistant: Fine",
      "developer: high",
      "user: three",
      "assistant: Fine",
      "user: four",
    ]);
  });
});

test("the end of a turn is told although the settings of the next one cannot be made", async () => {
  const held = createDeferred<void>();
  const warnings: string[] = [];
  const { thread, begin, model, events } = startThread(
    [[held.promise, ...messageEvents("m", "Fine"), completed]],
    [],
    {
      log: { ...silentLogger, warn: (message) => void warnings.push(message) },
      setupFor() {
        throw new Error("no such model");
      },
    },
  );
  await begin("one");
  await model.whenRequested(1);
  (await thread.changeSettings({ model: "n" })).begin();
  held.resolve();
  await thread.whenIdle();
  expect(events.at(-1)).toBe("turn/completed completed");
  expect(warnings).toEqual([]);
});

test("what could not be made for a turn is tried again for the next", async () => {
  let attempts = 0;
  const { thread, begin, model } = startThread([[completed]], [], {
    setupFor() {
      attempts += 1;
      if (attempts === 1) throw new Error("not yet");
      return {};
    },
  });
  (await thread.changeSettings({ model: "n" })).begin();
  await expect(begin("one")).rejects.toThrow("not yet");
  expect([thread.activeTurnId, thread.status()]).toEqual([null, { type: "idle" }]);
  await begin("two");
  await thread.whenIdle();
  expect([attempts, model.requests.length]).toEqual([2, 1]);
});

test("the window that clients are told of is that of the model that answers now", async () => {
  const { thread, begin } = startThread(
    [
      [...messageEvents("a", "A"), completed],
      [...messageEvents("b", "B"), completed],
    ],
    [],
    {
      setupFor: ({ model }) => ({ info: () => modelInfo(model, { contextWindow: 1000 }) }),
    },
  );
  await begin("One");
  await thread.whenIdle();
  expect(thread.usage()?.modelContextWindow).toBe(modelInfo("m").usableContextWindow);
  (await thread.changeSettings({ model: "other" })).begin();
  await begin("Two");
  await thread.whenIdle();
  expect(thread.usage()?.modelContextWindow).toBe(950);
});
