import { describe, expect, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";
import type { PlainTool as Tool } from "../tools/plain-tool.fixture.ts";
import { MAX_RESPONSE_ITEMS } from "./items/response-reader.ts";
import { callEvent, completed, messageEvents } from "./scripted-model.fixture.ts";
import { startThread } from "./thread.fixture.ts";

const echo: Tool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async ({ input }) => ({ output: `heard ${input}`, success: true }),
};

describe("a turn", () => {
  test("reports what happens in the order that clients rely on", async () => {
    const { thread, begin, events } = startThread([[...messageEvents("m1", "Hello"), completed]]);
    await begin("Hi");
    await thread.whenIdle();
    expect(events).toEqual([
      "thread/status/changed active",
      "turn/started inProgress",
      "item/started userMessage Hi",
      "item/completed userMessage Hi",
      "item/started agentMessage",
      "item/agentMessage/delta Hello",
      "item/completed agentMessage Hello",
      "thread/tokenUsage/updated",
      "account/rateLimits/updated",
      "thread/readState/changed",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
  });

  test("tells what is to be known of its set-up once in a thread, and again where it is something else", async () => {
    const answers = Array.from({ length: 4 }, (_, at) => [...messageEvents(`m${at}`, "Hello"), completed]);
    const about = (model: string) => ({ warnings: [`nothing is known of the model ${model}`] });
    const { thread, begin, seen } = startThread(answers, [], {
      setup: about("one"),
      setupFor: ({ model }) => about(model),
    });
    for (const model of [null, null, "two", "one"]) {
      if (model !== null) (await thread.changeSettings({ model })).begin();
      await begin("Hi");
      await thread.whenIdle();
    }
    const warnings = seen.filter(({ method }) => method === "warning").map(({ params }) => params);
    expect(warnings).toMatchObject(
      ["one", "two"].map((model) => ({ message: `nothing is known of the model ${model}` })),
    );
  });

  test("does what the model asks for and asks again, until nothing is asked", async () => {
    const { thread, begin, told, events } = startThread(
      [
        [callEvent("c1", "echo", { a: 1 }), callEvent("c2", "nothing", {}), completed],
        [...messageEvents("m1", "Done"), completed],
      ],
      [echo],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)).toEqual([
      "user: Go",
      "function_call echo",
      "function_call nothing",
      'function_call_output heard {"a":1}',
      "function_call_output unsupported call: nothing",
    ]);
    expect(events.filter((event) => event.startsWith("thread/tokenUsage")).length).toBe(2);
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("tells the model when a tool breaks, and goes on", async () => {
    const broken: Tool = { ...echo, run: () => Promise.reject(new Error("oops")) };
    const { thread, begin, told } = startThread(
      [
        [callEvent("c1", "echo", {}), completed],
        [...messageEvents("m", "ok"), completed],
      ],
      [broken],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toBe("function_call_output echo failed: oops");
  });

  test("that fails leaves the thread usable", async () => {
    const error = { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null };
    const { thread, begin, events } = startThread([
      [{ type: "failed", error }],
      [...messageEvents("m", "again"), completed],
    ]);
    await begin("one");
    await thread.whenIdle();
    expect(events.slice(-4)).toEqual([
      "thread/status/changed systemError",
      "error",
      "thread/readState/changed",
      "turn/completed failed",
    ]);
    await begin("two");
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed completed");
  });
});

describe("a response with more items than one may have", () => {
  const many = Array.from({ length: MAX_RESPONSE_ITEMS + 1 }, (_none, at) => callEvent(`c${at}`, "echo", {}));

  test("fails the turn, and none of its calls is made or told to the model again", async () => {
    let runs = 0;
    const counting: Tool = {
      ...echo,
      async run() {
        runs += 1;
        return { output: "", success: true };
      },
    };
    const { thread, begin, told, events, seen } = startThread(
      [
        [...many, completed],
        [...messageEvents("m", "again"), completed],
      ],
      [counting],
    );
    await begin("one");
    await thread.whenIdle();
    const error = seen.find(({ method }) => method === "error")?.params;
    expect(error).toMatchObject({ error: { message: expect.stringContaining("more than 1024 items") } });
    await begin("two");
    await thread.whenIdle();
    expect([events.at(-1), runs, told(1)]).toEqual([
      "turn/completed completed",
      0,
      ["user: one", "user: two"],
    ]);
  });

  test("is taken when it has as many as it may have", async () => {
    const { thread, begin, told } = startThread([[...many.slice(1), completed], [completed]], [echo]);
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.length).toBe(1 + 2 * MAX_RESPONSE_ITEMS);
  });
});

describe("steering", () => {
  test("drops what the model is saying and tells it both messages", async () => {
    const held = createDeferred<void>();
    const { thread, begin, say, told, events } = startThread([
      [
        { type: "itemAdded", item: { type: "message", role: "assistant", id: "m1", content: [] } },
        held.promise,
      ],
      [...messageEvents("m2", "Right"), completed],
    ]);
    await begin("First");
    await expect.poll(() => events).toContain("item/started agentMessage");
    (await thread.steer(say("Rather this"))).begin();
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: First", "user: Rather this"]);
    expect(events.filter((event) => event.includes("agentMessage"))).toEqual([
      "item/started agentMessage",
      "item/started agentMessage",
      "item/agentMessage/delta Right",
      "item/completed agentMessage Right",
    ]);
    expect(events.filter((event) => event.startsWith("turn/"))).toEqual([
      "turn/started inProgress",
      "turn/completed completed",
    ]);
  });

  test("waits for a tool that runs, and is told with its output", async () => {
    const tool = createDeferred<void>();
    const started = createDeferred<void>();
    const slow: Tool = {
      ...echo,
      async run() {
        started.resolve();
        await tool.promise;
        return { output: "slow", success: true };
      },
    };
    const { thread, begin, say, told } = startThread(
      [
        [callEvent("c", "echo", {}), completed],
        [...messageEvents("m", "ok"), completed],
      ],
      [slow],
    );
    await begin("Go");
    await started.promise;
    (await thread.steer(say("More"))).begin();
    tool.resolve();
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: Go", "function_call echo", "function_call_output slow", "user: More"]);
  });
});

describe("interrupting", () => {
  test("ends a turn while the model speaks, and keeps nothing of what it was saying", async () => {
    const { thread, begin, model, events, told } = startThread([
      [...messageEvents("m1", "kept?").slice(0, 2), createDeferred<void>().promise],
      [...messageEvents("m2", "ok"), completed],
    ]);
    await begin("Go");
    await model.whenRequested(1);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(events.slice(-2)).toEqual(["thread/status/changed idle", "turn/completed interrupted"]);
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)?.map((line) => line.slice(0, 20))).toEqual([
      "user: Go",
      "user: <turn_aborted>",
      "user: Again",
    ]);
  });

  test("does not wait for a tool that does not end, and leaves no call without an output", async () => {
    const started = createDeferred<void>();
    const endless: Tool = {
      ...echo,
      run() {
        started.resolve();
        return new Promise(() => {});
      },
    };
    const { thread, begin, told } = startThread(
      [
        [callEvent("c", "echo", {}), completed],
        [...messageEvents("m", "ok"), completed],
      ],
      [endless],
    );
    await begin("Go");
    await started.promise;
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)?.slice(0, 3)).toEqual([
      "user: Go",
      "function_call echo",
      "function_call_output aborted by user after 0.0s",
    ]);
  });
});

test("calls that bear no company run alone and in order", async () => {
  const log: string[] = [];
  const tool = (name: string, parallel: boolean): Tool => ({
    name,
    spec: {},
    parallel,
    async run({ callId }) {
      log.push(`+${callId}`);
      await Promise.resolve();
      await Promise.resolve();
      log.push(`-${callId}`);
      return { output: "", success: true };
    },
  });
  const { thread, begin } = startThread(
    [
      [
        callEvent("a", "together", {}),
        callEvent("b", "together", {}),
        callEvent("c", "alone", {}),
        callEvent("d", "together", {}),
        completed,
      ],
      [completed],
    ],
    [tool("together", true), tool("alone", false)],
  );
  await begin("Go");
  await thread.whenIdle();
  expect(log).toEqual(["+a", "+b", "-a", "-b", "+c", "-c", "+d", "-d"]);
});

test("the model is told first what an earlier server accepted and was still to tell it", async () => {
  const left: ResponseItem = {
    type: "message",
    id: "msg_left",
    role: "user",
    content: [{ type: "input_text", text: "left" }],
  };
  const { begin, thread, told } = startThread([[...messageEvents("m", "Fine"), completed]], [], {
    resumed: {
      createdAtMs: 0,
      updatedAtMs: 0,
      preview: "",
      usage: null,
      usageTurnId: null,
      hasCurrentSettings: true,
      recall: async () => ({
        items: [],
        submitted: [{ id: "s", items: [left], awaitingHooks: null }],
        sentContext: null,
        window: null,
      }),
    },
  });
  await begin("new");
  await thread.whenIdle();
  expect(told(0)).toEqual(["user: left", "user: new"]);
});
