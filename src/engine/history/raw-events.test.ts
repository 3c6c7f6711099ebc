import { expect, test } from "vitest";
import { calls, completed, says } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";
import { createRawEvents } from "./raw-events.ts";

const isRaw = (line: string) => /^(rawResponse|turn\/(started|completed)|thread\/tokenUsage)/u.test(line);

test("a client that wants to sees the history as the provider does, once it knows of the turn", async () => {
  const { thread, begin, events } = startThread(
    [
      [calls("c", "nothing", {}), completed],
      [...says("msg_1", "Done"), completed],
    ],
    [],
    { rawEvents: true },
  );
  await begin("Go");
  await thread.whenIdle();
  expect(events.filter(isRaw)).toEqual([
    "turn/started inProgress",
    expect.stringMatching(/^rawResponseItem\/completed message <environment_context>/u),
    "rawResponseItem/completed message Go",
    "rawResponseItem/completed function_call",
    "rawResponse/completed",
    "rawResponseItem/completed function_call_output",
    "thread/tokenUsage/updated",
    "rawResponseItem/completed message Done",
    "rawResponse/completed",
    "thread/tokenUsage/updated",
    "turn/completed completed",
  ]);
});

test("the answer to a request for a summary is told too", async () => {
  const { thread, begin, events } = startThread(
    [
      [...says("msg_1", "Done"), completed],
      [...says("msg_2", "SUMMARY"), completed],
    ],
    [],
    { rawEvents: true },
  );
  await begin("Go");
  await thread.whenIdle();
  events.length = 0;
  (await thread.accept({ kind: "compact" })).begin();
  await thread.whenIdle();
  expect(events.filter(isRaw)).toEqual([
    "turn/started inProgress",
    "rawResponseItem/completed message SUMMARY",
    "rawResponse/completed",
    "thread/tokenUsage/updated",
    "thread/tokenUsage/updated",
    "turn/completed completed",
  ]);
});

test("nobody else hears of it", async () => {
  const { thread, begin, events } = startThread([[...says("msg_1", "Done"), completed]]);
  await begin("Go");
  await thread.whenIdle();
  expect(events.filter((line) => line.startsWith("raw"))).toEqual([]);
});

test("the usage of a response is told as it was sent", () => {
  const told: unknown[] = [];
  const raw = createRawEvents("thread", (_, params) => told.push(params));
  const usage = {
    totalTokens: 3,
    inputTokens: 2,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 1,
    reasoningOutputTokens: 0,
  };
  const end = { type: "completed", responseId: "r", endTurn: null } as const;
  raw.answered("turn", { ...end, usage, rawUsage: { input_tokens: 2, own: 1 } });
  raw.answered("turn", { ...end, usage: null });
  const ids = { threadId: "thread", turnId: "turn", responseId: "r" };
  expect(told).toEqual([
    { ...ids, usage, usageMetadata: { amount: null, metadata: { input_tokens: 2, own: 1 } } },
    { ...ids, usage: null, usageMetadata: null },
  ]);
});
