import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { toTool } from "../../tools/plain-tool.fixture.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { NO_TOOL_HOOKS } from "../hooks/tool-hooks.fixture.ts";
import { callsIn } from "./call-items.ts";
import { runCalls } from "./tool-calls.ts";

const CLOCK = { now: () => 1000, monotonic: () => 1000, after: () => () => {} };

/** Tools that start when they are called, and end when the test resolves them. */
function open() {
  const begun: string[] = [];
  const gates = new Map<string, ReturnType<typeof createDeferred<void>>>();
  const abort = new AbortController();
  const tool = (name: string, parallel: boolean) =>
    toTool({
      name,
      spec: { type: "function", name },
      parallel,
      async run({ callId }) {
        begun.push(callId);
        await gateOf(callId).promise;
        return { output: `done ${callId}`, success: true };
      },
    });
  function gateOf(callId: string) {
    const gate = gates.get(callId) ?? createDeferred<void>();
    gates.set(callId, gate);
    return gate;
  }
  const toolSet = {
    tools: [tool("read", true), tool("write", false)],
    hooks: NO_TOOL_HOOKS,
    log: silentLogger,
    clock: CLOCK,
    onEvent() {},
    batch: null,
  };
  return {
    begun,
    abort,
    end: (callId: string) => gateOf(callId).resolve(),
    run: (...names: readonly string[]) => {
      const calls = names.map(
        (name, at): ResponseItem => ({
          type: "function_call",
          name,
          call_id: `${name}-${at}`,
          arguments: "{}",
        }),
      );
      // The tools above read nothing else of their context.
      return runCalls(callsIn(calls), toolSet, { signal: abort.signal } as ToolContext);
    },
  };
}

const outputsOf = (items: readonly ResponseItem[]) =>
  items.map((item) => (item.type === "function_call_output" ? item.output : item.type));

const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));

test("calls by the ten thousand take a time that grows as they do, and let others have their turn", async () => {
  const toolSet = {
    tools: [],
    hooks: NO_TOOL_HOOKS,
    log: silentLogger,
    clock: systemClock,
    onEvent() {},
    batch: null,
  };
  const calls = Array.from({ length: 50_000 }, (_none, at): ResponseItem => {
    return { type: "function_call", name: "nothing", call_id: `call-${at}`, arguments: "{}" };
  });
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const startedAt = performance.now();
  const outputs = await runCalls(callsIn(calls), toolSet, {
    signal: new AbortController().signal,
  } as ToolContext);
  clearInterval(timer);
  expect([outputs.length, performance.now() - startedAt < 10_000, turns > 0]).toEqual([50_000, true, true]);
});

test("calls that bear company run side by side, and one that does not runs alone", async () => {
  const { begun, end, run } = open();
  const outputs = run("read", "read", "write", "read");
  await turnOfEvents();
  expect(begun).toEqual(["read-0", "read-1"]);
  end("read-1");
  await turnOfEvents();
  expect(begun).toEqual(["read-0", "read-1"]);
  end("read-0");
  await turnOfEvents();
  expect(begun).toEqual(["read-0", "read-1", "write-2"]);
  end("write-2");
  end("read-3");
  expect(outputsOf(await outputs)).toEqual(["done read-0", "done read-1", "done write-2", "done read-3"]);
});

test("what has not begun when the turn is ended never begins, and has an output all the same", async () => {
  const { begun, abort, end, run } = open();
  const outputs = run("write", "write");
  await turnOfEvents();
  abort.abort();
  expect(outputsOf(await outputs)).toEqual(["aborted by user after 0.0s", "aborted by user after 0.0s"]);
  end("write-0");
  await turnOfEvents();
  expect(begun).toEqual(["write-0"]);
});

test("nothing begins in a turn that has been ended", async () => {
  const { begun, abort, run } = open();
  abort.abort();
  expect(outputsOf(await run("write"))).toEqual(["aborted by user after 0.0s"]);
  expect(begun).toEqual([]);
});

test.each([
  ["function", "read", "read"],
  ["mcpTool", "named by a server", "mcp"],
  ["dynamicTool", "named by a client", "dynamic"],
] as const)("a call of a %s called %s is told of as one of %s", async (kind, name, known) => {
  const plain = toTool({
    name,
    spec: {},
    parallel: false,
    run: async () => ({ output: "done", success: true }),
  });
  const tool = { ...plain, describeCall: () => ({ kind, name, aliases: [], input: {} }) };
  const told: object[] = [];
  const toolSet = { tools: [tool], hooks: NO_TOOL_HOOKS, log: silentLogger, clock: CLOCK, batch: null };
  const call: ResponseItem = { type: "function_call", name, call_id: "c", arguments: "{}" };
  const context = { turnId: "turn", signal: new AbortController().signal } as ToolContext;
  await runCalls(callsIn([call]), { ...toolSet, onEvent: (event) => told.push(event) }, context);
  expect(told).toEqual([
    { type: "callBegun", turnId: "turn", callId: "c" },
    { type: "callEnded", turnId: "turn", callId: "c", tool: known, isDone: true, ranMs: 0 },
  ]);
});
