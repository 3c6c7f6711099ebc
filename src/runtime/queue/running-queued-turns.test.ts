import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import { createRunningQueuedTurns } from "./running-queued-turns.ts";

const FAILED = {
  message: "no such model",
  codexErrorInfo: null,
  additionalDetails: null,
  misalignment: null,
};

function answered(turnId: string, totalTokens: number | null): ThreadEvent {
  const none = { inputTokens: 0, cachedInputTokens: 0, cacheWriteInputTokens: 0 };
  const spent = { outputTokens: 0, reasoningOutputTokens: 0, ...none };
  const usage = totalTokens === null ? null : { totalTokens, ...spent };
  return { type: "modelAnswered", turnId, requestId: "r", outcome: "completed", error: null, usage };
}

const ended = (
  turnId: string,
  outcome: Extract<ThreadEvent, { type: "turnEnded" }>["outcome"],
): ThreadEvent => ({
  type: "turnEnded",
  turnId,
  kind: "user",
  outcome,
});

test("a turn of a queue is said to have taken its time and the tokens of all its requests", () => {
  const clock = createFakeClock(1000);
  const running = createRunningQueuedTurns(clock);
  running.add("t", "turn", false);
  for (const event of [
    answered("turn", 5),
    answered("turn", null),
    answered("other", 100),
    answered("turn", 7),
  ])
    expect(running.onEvent("t", event)).toBeNull();
  expect(running.onEvent("elsewhere", answered("turn", 100))).toBeNull();
  clock.advance(250);
  expect(running.onEvent("t", ended("other", { kind: "interrupted" }))).toBeNull();
  expect(running.onEvent("t", ended("turn", { kind: "failed", error: FAILED }))).toEqual({
    turnId: "turn",
    how: "failed",
    end: { how: "failed", atMs: 1250, durationMs: 250, tokens: 12, error: "no such model" },
  });
  expect(running.onEvent("t", ended("turn", { kind: "interrupted" }))).toBeNull();
});

test("questions are denied only while such a turn runs", () => {
  const running = createRunningQueuedTurns(createFakeClock());
  expect(running.deniesQuestions("t")).toBe(false);
  running.add("t", "one", true);
  expect([running.deniesQuestions("t"), running.deniesQuestions("other")]).toEqual([true, false]);
  expect(running.onEvent("t", ended("one", { kind: "completed", lastMessage: null }))).toMatchObject({
    end: { tokens: null },
  });
  expect(running.deniesQuestions("t")).toBe(false);
  running.add("t", "two", true);
  running.onEvent("t", { type: "unloaded" });
  expect(running.deniesQuestions("t")).toBe(false);
});
