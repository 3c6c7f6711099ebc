import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/model.ts";
import { readOutcome } from "../events/read-outcome.ts";
import { askHookModel, type HookQuestion, MAX_ANSWER_CHARACTERS, MAX_QUESTION_BYTES } from "./run-prompt.ts";

const USAGE = {
  totalTokens: 3,
  inputTokens: 2,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 1,
  reasoningOutputTokens: 0,
};
const done: ModelEvent = { type: "completed", responseId: "r", usage: USAGE, endTurn: null };
const answersWith = (text: string): ModelEvent => ({
  type: "itemDone",
  item: { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text }] },
});
const calls: ModelEvent = {
  type: "itemDone",
  item: { type: "function_call", call_id: "c", name: "exec_command", arguments: "{}" },
};
const delta = (text: string): ModelEvent => ({ type: "textDelta", itemId: "m", delta: text });
const error = { message: "busy", codexErrorInfo: null, additionalDetails: null, misalignment: null };
const retrying: ModelEvent = { type: "retrying", attempt: 1, max: 1, delayMs: 0, error };

/** A model that plays these events, and then waits for the abort. */
function playing(events: readonly ModelEvent[]) {
  const requests: ModelRequest[] = [];
  const state = { isReleased: false };
  const model: Model = {
    async *stream(request, signal) {
      requests.push(request);
      try {
        for (const event of events) yield [event];
        if (events.at(-1) !== done && !signal.aborted)
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      } finally {
        state.isReleased = true;
      }
    },
    close() {},
  };
  return { model, requests, state };
}

const origin = { promptCacheKey: "key", clientMetadata: {}, headers: { originator: "test" } };

async function ask(events: readonly ModelEvent[], more: Partial<HookQuestion> = {}) {
  const played = playing(events);
  const used: unknown[] = [];
  const ports = {
    model: played.model,
    clock: systemClock,
    origin,
    onUsage: (usage: unknown) => void used.push(usage),
  };
  const { signal } = new AbortController();
  const question = { prompt: "Is it fine?", model: "small", input: '{"a":1}', timeoutSeconds: 60, signal };
  return { result: await askHookModel(ports, { ...question, ...more }), used, ...played };
}

const exited = (exitCode: number, stderr: string) => ({
  kind: "exited",
  exitCode,
  stdout: "",
  stderr,
  isCut: false,
});
const failed = (message: string) => ({ kind: "failed", message });
const unclear = failed("hook's model answered with what is not {ok: true} or {ok: false, reason}");
const tooLong = failed(`hook's model answered with more than ${MAX_ANSWER_CHARACTERS} characters`);

describe("a prompt hook", () => {
  test.each([
    ['{"ok":true}', exited(0, "")],
    [' {"ok":true,"reason":null}\n', exited(0, "")],
    ['{"ok":true,"reason":"fine"}', exited(0, "")],
    ['{"ok":false,"reason":"no tests"}', exited(2, "no tests")],
    ['{"ok":false}', exited(2, "a prompt hook said no without a reason")],
    ['{"ok":false,"reason":" "}', exited(2, "a prompt hook said no without a reason")],
    ['{"ok":false,"reason":1}', unclear],
    ['{"ok":"false"}', unclear],
    ['{"__proto__":{"ok":true}}', unclear],
    ["[true]", unclear],
    ["true", unclear],
    ["Yes, fine.", unclear],
    ['{"ok":tr', unclear],
    ["", unclear],
  ])("that is answered %j", async (text, result) => {
    expect((await ask([answersWith(text), done])).result).toEqual(result);
  });

  test.each<[string, ModelEvent[], unknown]>([
    ["with a call alone", [calls, done], unclear],
    ["without end", [delta("x".repeat(MAX_ANSWER_CHARACTERS)), delta("x"), done], tooLong],
    ["with too much", [answersWith("x".repeat(MAX_ANSWER_CHARACTERS + 1)), done], tooLong],
    [
      "anew after a break",
      [answersWith('{"ok":false}'), retrying, answersWith('{"ok":true}'), done],
      exited(0, ""),
    ],
    ["by a failure", [{ type: "failed", error }], failed("hook's model failed: busy")],
  ])("that is answered %s", async (_, events, result) => {
    const { result: found, state } = await ask(events);
    expect(found).toEqual(result);
    expect(state.isReleased).toBe(true);
  });

  test("has no tools, and inserts the input where the prompt references it", async () => {
    const { requests, used } = await ask([answersWith('{"ok":true}'), done], {
      prompt: "A $ARGUMENTS B $ARGUMENTS",
      input: '{"a":"$& $1"}',
    });
    expect(requests).toMatchObject([{ model: "small", tools: [], headers: { originator: "test" } }]);
    expect(requests[0]?.input[1]).toMatchObject({
      role: "user",
      content: [{ text: 'A {"a":"$& $1"} B {"a":"$& $1"}' }],
    });
    expect(used).toEqual([USAGE]);
  });

  test("appends the input to a prompt that does not reference it", async () => {
    const { requests } = await ask([answersWith('{"ok":true}'), done]);
    expect(requests[0]?.input[1]).toMatchObject({ content: [{ text: 'Is it fine?\n\n{"a":1}' }] });
  });

  test("denies without a model request where the prompt would be too long", async () => {
    const { result, requests } = await ask([done], {
      prompt: "$ARGUMENTS".repeat(1000),
      input: "x".repeat(MAX_QUESTION_BYTES / 1000),
    });
    const reason = `a prompt hook was not asked: its prompt is longer than ${MAX_QUESTION_BYTES} bytes with its input`;
    expect(result).toEqual({ kind: "exited", exitCode: 2, stdout: "", stderr: reason, isCut: false });
    expect(requests).toEqual([]);
  });

  test("blocks on a negative verdict", async () => {
    const { result } = await ask([answersWith('{"ok":false,"reason":"no tests"}'), done]);
    const traits = { dialect: "codex", onFailure: "open", isAsync: false } as const;
    expect(readOutcome("PreToolUse", result, traits)).toMatchObject({
      status: "blocked",
      entries: [{ kind: "feedback", text: "no tests" }],
      effect: { block: "no tests" },
    });
  });

  test("has only its time", async () => {
    const clock = createFakeClock();
    const { model, state } = playing([delta("x")]);
    const question = { prompt: "p", model: "m", input: "{}", timeoutSeconds: 5 };
    const result = askHookModel(
      { model, clock, origin, onUsage() {} },
      { ...question, signal: new AbortController().signal },
    );
    clock.advance(5000);
    expect(await result).toEqual({ kind: "timedOut", seconds: 5 });
    await expect.poll(() => state.isReleased).toBe(true);
  });

  test("is aborted when the turn is interrupted", async () => {
    const abort = new AbortController();
    const { model, state } = playing([delta("x")]);
    const question = { prompt: "p", model: "m", input: "{}", timeoutSeconds: 5, signal: abort.signal };
    const result = askHookModel({ model, clock: systemClock, origin, onUsage() {} }, question);
    abort.abort();
    expect(await result).toEqual({ kind: "interrupted" });
    await expect.poll(() => state.isReleased).toBe(true);
  });
});
