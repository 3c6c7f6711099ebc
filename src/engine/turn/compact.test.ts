import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { CompletedEvent, Model, ModelEvent, ModelRequest } from "../../model/model.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import type { PlainTool as Tool } from "../../tools/plain-tool.fixture.ts";
import { callEvent, completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { contextWith, startThread } from "../thread.fixture.ts";
import { COMPACT_PROMPT, messageTextOf } from "./compacted-history.ts";

const LIMIT = 1000;

function usage(totalTokens: number) {
  return {
    totalTokens,
    inputTokens: totalTokens,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
  };
}

/** The end of a response that fills the context window. */
const full: CompletedEvent = { type: "completed", responseId: "r", usage: usage(LIMIT), endTurn: null };

const failure = (codexErrorInfo: TurnError["codexErrorInfo"]): ModelEvent => ({
  type: "failed",
  error: { message: "no", codexErrorInfo, additionalDetails: null, misalignment: null },
});

const echo: Tool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async () => ({ output: "heard", success: true }),
};

const CONTEXT = contextWith({ rules: { permissions: "RULES" } });

function open(
  scripts: readonly Script[],
  compactPrompt: string | null = "SUM UP",
  own: { readonly model?: Model } = {},
) {
  const world = startThread(scripts, [echo], {
    info: { autoCompactTokenLimit: LIMIT },
    setup: { compactPrompt, context: async () => CONTEXT, ...own },
  });
  const { thread, events, begin } = world;
  /** The conversation of a request, without the heading of each summary. */
  const told = (request: number) =>
    world
      .told(request)
      ?.map((line) => line.replace(/^user: The conversation up to here[\s\S]*?\n/u, "SUMMARY "));
  return {
    ...world,
    told,
    async run(text: string) {
      await begin(text);
      await thread.whenIdle();
      return events.at(-1);
    },
    async compact() {
      const { begin: go } = await thread.accept({ kind: "compact" });
      go();
      await thread.whenIdle();
      return events.at(-1);
    },
  };
}

const KINDS = /^(turn|item|error|thread\/status|thread\/tokenUsage)/u;

describe("a compaction that is asked for", () => {
  test("is a turn with one item, and leaves the words of the user, the context and the summary", async () => {
    const { run, compact, told, events } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("b", "the summary"), completed],
      [...messageEvents("c", "Fine"), completed],
    ]);
    await run("one");
    events.length = 0;
    expect(await compact()).toBe("turn/completed completed");
    expect(events.filter((event) => KINDS.test(event))).toEqual([
      "thread/status/changed active",
      "turn/started inProgress",
      "item/started contextCompaction",
      "thread/tokenUsage/updated",
      "thread/tokenUsage/updated",
      "item/completed contextCompaction",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
    expect(told(1)).toEqual(["developer: RULES", "user: one", "assistant: Hello", "user: SUM UP"]);
    await run("two");
    expect(told(2)).toEqual(["developer: RULES", "user: one", "SUMMARY the summary", "user: two"]);
  });

  test("has a prompt of its own where none is configured, and offers no tools", async () => {
    const { compact, model } = open([[...messageEvents("b", "the summary"), completed]], null);
    await compact();
    const [request] = model.requests;
    expect([request?.tools, request?.parallelToolCalls]).toEqual([[], false]);
    expect(JSON.stringify(request?.input.at(-1))).toContain(JSON.stringify(COMPACT_PROMPT).slice(1, -1));
  });

  test("does not keep an earlier summary as words of the user", async () => {
    const { run, compact, told } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("b", "first summary"), completed],
      [...messageEvents("c", "second summary"), completed],
      [completed],
    ]);
    await run("one");
    await compact();
    await compact();
    expect(told(2)).toEqual(["developer: RULES", "user: one", "SUMMARY first summary", "user: SUM UP"]);
    await run("two");
    expect(told(3)).toEqual(["developer: RULES", "user: one", "SUMMARY second summary", "user: two"]);
  });

  test("keeps what comes in while the summary is written", async () => {
    const held = createDeferred<void>();
    const { thread, run, model, told } = open([
      [...messageEvents("a", "Hello"), completed],
      [held.promise, ...messageEvents("b", "the summary"), completed],
      [completed],
    ]);
    await run("one");
    const { begin } = await thread.accept({ kind: "compact" });
    begin();
    await model.whenRequested(2);
    await thread.inject([
      { type: "message", role: "developer", content: [{ type: "input_text", text: "NEW" }] },
    ]);
    held.resolve();
    await thread.whenIdle();
    await run("two");
    expect(told(2)).toEqual([
      "developer: RULES",
      "user: one",
      "SUMMARY the summary",
      "developer: NEW",
      "user: two",
    ]);
  });

  test("starts from nothing of an answer that broke", async () => {
    const broken: ModelEvent = {
      type: "retrying",
      attempt: 1,
      max: 5,
      delayMs: 1,
      error: { message: "broke", codexErrorInfo: null, additionalDetails: null, misalignment: null },
    };
    const { run, compact, told, events } = open([
      [...messageEvents("b", "half"), broken, completed],
      [completed],
    ]);
    expect(await compact()).toBe("turn/completed completed");
    expect(events).toContain("error");
    await run("two");
    expect(told(1)?.filter((line) => line.includes("half"))).toEqual([]);
  });
});

describe("a compaction that comes to nothing", () => {
  test("leaves the history as it was, and the turn failed", async () => {
    const { run, compact, told, events } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("b", "half"), failure(null)],
      [completed],
    ]);
    await run("one");
    expect(await compact()).toBe("turn/completed failed");
    expect(events.filter((event) => event.includes("contextCompaction"))).toEqual([
      "item/started contextCompaction",
    ]);
    await run("two");
    expect(told(2)).toEqual(["developer: RULES", "user: one", "assistant: Hello", "user: two"]);
  });

  test("because it was interrupted leaves the history as it was", async () => {
    const { thread, run, model, told, events } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("b", "half"), createDeferred<void>().promise],
      [completed],
    ]);
    await run("one");
    const { begin } = await thread.accept({ kind: "compact" });
    begin();
    await model.whenRequested(2);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed interrupted");
    await run("two");
    expect(told(2)?.filter((line) => !line.startsWith("user: <turn_aborted>"))).toEqual([
      "developer: RULES",
      "user: one",
      "assistant: Hello",
      "user: two",
    ]);
  });
});

describe("a history that is too long for its summary", () => {
  test("is shortened from its beginning, and never parts a call from its output", async () => {
    const tooLong = failure("contextWindowExceeded");
    const { run, compact, told } = open([
      [callEvent("c", "echo", {}), completed],
      [...messageEvents("a", "Hello"), completed],
      [tooLong],
      [tooLong],
      [tooLong],
      [tooLong],
      [...messageEvents("b", "the summary"), completed],
    ]);
    await run("one");
    expect(await compact()).toBe("turn/completed completed");
    expect([2, 3, 4].map((request) => told(request)?.length)).toEqual([6, 5, 5]);
    expect(told(5)).toEqual([
      "function_call echo",
      "function_call_output heard",
      "assistant: Hello",
      "user: SUM UP",
    ]);
    expect(told(6)).toEqual(["assistant: Hello", "user: SUM UP"]);
  });

  test("fails when not even its last item fits", async () => {
    const { run, compact, model, told } = open([
      [...messageEvents("a", "Hello"), completed],
      ...Array.from({ length: 9 }, () => [failure("contextWindowExceeded")]),
    ]);
    await run("one");
    expect(await compact()).toBe("turn/completed failed");
    expect(told(4)).toEqual(["assistant: Hello", "user: SUM UP"]);
    expect(model.requests.length).toBe(5);
  });
});

describe("a request that the provider refuses as too long", () => {
  const tooLong = failure("contextWindowExceeded");

  test("is made room for, and the turn goes on", async () => {
    const { run, told, events } = open([
      [...messageEvents("a", "Hello"), completed],
      [tooLong],
      [...messageEvents("b", "the summary"), completed],
      [...messageEvents("c", "Fine"), completed],
    ]);
    await run("one");
    events.length = 0;
    expect(await run("two")).toBe("turn/completed completed");
    expect(events.filter((event) => /^(item|warning|error)/u.test(event))).toEqual([
      "item/started userMessage two",
      "item/completed userMessage two",
      "warning",
      "item/started contextCompaction",
      "item/completed contextCompaction",
      "item/started agentMessage",
      "item/agentMessage/delta Fine",
      "item/completed agentMessage Fine",
    ]);
    expect(told(3)).toEqual(["user: one", "developer: RULES", "user: two", "SUMMARY the summary"]);
  });

  test("fails the turn where room does not help, and the next turn makes room again", async () => {
    const { run, model } = open([
      [tooLong],
      [...messageEvents("b", "the summary"), completed],
      [tooLong],
      [...messageEvents("c", "another"), completed],
      [...messageEvents("d", "Fine"), completed],
    ]);
    expect(await run("one")).toBe("turn/completed failed");
    expect(model.requests.length).toBe(3);
    expect(await run("two")).toBe("turn/completed completed");
    expect(model.requests.length).toBe(5);
  });

  test("is made shorter until a provider takes it for which each character is a token", async () => {
    const WINDOW = 6000;
    const lengthOf = ({ input }: ModelRequest) =>
      input.reduce((sum, item) => sum + messageTextOf(item).length, 0);
    const requests: ModelRequest[] = [];
    const strict: Model = {
      async *stream(request) {
        requests.push({ ...request, input: [...request.input] });
        if (lengthOf(request) > WINDOW) yield [tooLong];
        else if (request.tools.length === 0) yield [...messageEvents("s", "要約".repeat(1000)), completed];
        else yield [...messageEvents("a", "はい"), completed];
      },
      close() {},
    };
    const { run, events } = open([], "SUM UP", { model: strict });
    for (const text of ["一", "二", "三"].map((one) => one.repeat(1900)))
      expect(await run(text)).toBe("turn/completed completed");
    events.length = 0;
    expect(await run("四".repeat(5000))).toBe("turn/completed completed");
    expect(events.filter((event) => event === "warning")).toHaveLength(2);
    expect(requests.length).toBeLessThan(30);
    expect(await run("五")).toBe("turn/completed completed");
  });

  test("may come again after an answer", async () => {
    const { run } = open([
      [tooLong],
      [...messageEvents("b", "the summary"), completed],
      [callEvent("c", "echo", {}), completed],
      [tooLong],
      [...messageEvents("d", "another"), completed],
      [...messageEvents("e", "Fine"), completed],
    ]);
    expect(await run("one")).toBe("turn/completed completed");
  });
});

describe("a full window", () => {
  test("is compacted before the next turn, which hears its message afterwards", async () => {
    const { run, told, events } = open([
      [...messageEvents("a", "Hello"), full],
      [...messageEvents("b", "the summary"), completed],
      [...messageEvents("c", "Fine"), completed],
    ]);
    await run("one");
    events.length = 0;
    expect(await run("two")).toBe("turn/completed completed");
    expect(events.filter((event) => event.startsWith("item"))).toEqual([
      "item/started contextCompaction",
      "item/completed contextCompaction",
      "item/started userMessage two",
      "item/completed userMessage two",
      "item/started agentMessage",
      "item/agentMessage/delta Fine",
      "item/completed agentMessage Fine",
    ]);
    expect(told(2)).toEqual(["developer: RULES", "user: one", "SUMMARY the summary", "user: two"]);
  });

  test("is compacted between the calls of a turn, which goes on", async () => {
    const { run, told } = open([
      [callEvent("c", "echo", {}), full],
      [...messageEvents("b", "the summary"), completed],
      [...messageEvents("c", "Fine"), completed],
    ]);
    expect(await run("one")).toBe("turn/completed completed");
    expect(told(1)).toEqual([
      "developer: RULES",
      "user: one",
      "function_call echo",
      "function_call_output heard",
      "user: SUM UP",
    ]);
    expect(told(2)).toEqual(["developer: RULES", "user: one", "SUMMARY the summary"]);
  });

  test("at the end of a turn is left to the next one", async () => {
    const { run, model } = open([[...messageEvents("a", "Hello"), full]]);
    await run("one");
    expect(model.requests.length).toBe(1);
  });

  test("whose compaction fails fails the turn, which has heard its message", async () => {
    const { run, told } = open([
      [...messageEvents("a", "Hello"), full],
      [failure(null)],
      [...messageEvents("b", "the summary"), completed],
      [completed],
    ]);
    await run("one");
    expect(await run("two")).toBe("turn/completed failed");
    await run("three");
    expect(told(3)).toEqual([
      "user: one",
      "developer: RULES",
      "user: two",
      "SUMMARY the summary",
      "user: three",
    ]);
  });

  test("is told in figures: what the summary cost, and then what is left", async () => {
    const { run, compact, seen } = open([
      [...messageEvents("a", "Hello"), { ...full, usage: usage(900) }],
      [...messageEvents("b", "the summary"), { ...full, usage: usage(950) }],
    ]);
    await run("one");
    seen.length = 0;
    await compact();
    const figures = seen.flatMap(({ method, params }) =>
      method === "thread/tokenUsage/updated"
        ? [(params as { tokenUsage: { total: object; last: { totalTokens: number } } }).tokenUsage]
        : [],
    );
    expect(figures.map(({ total }) => total)).toEqual([usage(1850), usage(1850)]);
    expect(figures.map(({ last }) => last)).toEqual([
      usage(950),
      { ...usage(0), totalTokens: expect.any(Number) as number },
    ]);
    expect(figures[1]?.last.totalTokens).toBeLessThan(300);
  });
});
