import { describe, expect, it } from "vitest";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createRequestUserInput, USUAL_MODES } from "./request-user-input.ts";

const inPlanMode = createRequestUserInput({ modes: USUAL_MODES, modeOf: () => "plan" });
const QUESTION = {
  id: "colour",
  header: "Colour",
  question: "Which colour?",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

describe("request_user_input", () => {
  it("asks the clients and gives the model their answers", async () => {
    const answers = { colour: { answers: ["Red"] } };
    const bench = openToolBench({ answer: { kind: "answered", result: { answers } } });
    expect(await bench.call(inPlanMode, { questions: [QUESTION] })).toStrictEqual({
      output: JSON.stringify({ answers }),
      success: true,
    });
    expect(bench.seen).toStrictEqual([
      {
        method: "item/tool/requestUserInput",
        params: {
          threadId: "thread-1",
          turnId: "turn-1",
          itemId: "call-1",
          questions: [{ ...QUESTION, isOther: true, isSecret: false }],
          isBlocking: true,
          autoResolutionMs: null,
        },
      },
    ]);
  });

  it("treats a missing answer as no choice", async () => {
    const bench = openToolBench({ answer: { kind: "unanswered", reason: "refused" } });
    expect(await bench.call(inPlanMode, { questions: [QUESTION] })).toStrictEqual({
      output: '{"answers":{}}',
      success: true,
    });
  });

  it("reports when the turn ended before an answer", async () => {
    const bench = openToolBench({ answer: { kind: "abandoned" } });
    expect(await bench.call(inPlanMode, { questions: [QUESTION] })).toStrictEqual({
      output: "request_user_input was cancelled before receiving a response",
      success: false,
    });
  });

  it.each([
    [
      { questions: [{ ...QUESTION, options: [] }] },
      "request_user_input requires non-empty options for every question",
    ],
    [
      { questions: [{ ...QUESTION, options: null }] },
      "request_user_input requires non-empty options for every question",
    ],
    [{}, "failed to parse function arguments: missing field `questions` at line 1 column 2"],
    [
      { questions: [{ id: "a" }] },
      "failed to parse function arguments: missing field `header` at line 1 column 24",
    ],
  ])("refuses %j without asking", async (input, output) => {
    const bench = openToolBench();
    expect(await bench.call(inPlanMode, input)).toStrictEqual({ output, success: false });
    expect(bench.seen).toStrictEqual([]);
  });

  it("is refused in modes that it is not for", async () => {
    const bench = openToolBench();
    const tool = createRequestUserInput({ modes: USUAL_MODES, modeOf: () => "default" });
    expect(await bench.call(tool, { questions: [QUESTION] })).toStrictEqual({
      output: "request_user_input is unavailable in Default mode",
      success: false,
    });
  });
});
