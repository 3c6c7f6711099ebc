import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { Answer, Tool } from "../tool.ts";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createDynamicTools } from "./dynamic-tools.ts";

const LOOK = {
  type: "function",
  name: "look",
  description: "Looks",
  inputSchema: { type: "object" },
} as const;
const FIND = { ...LOOK, name: "find", description: "Finds" };

const { offered, deferred } = createDynamicTools(
  [
    LOOK,
    {
      type: "namespace",
      name: "crm",
      description: " ",
      tools: [FIND, { ...FIND, name: "late", deferLoading: true }],
    },
  ],
  createFakeClock(),
);
const [look, find] = offered as [Tool, Tool];
const ITEM = { type: "dynamicToolCall", id: "call-1", namespace: null, tool: "look", arguments: { a: 1 } };

async function answerWith(answer: Answer<unknown>) {
  const bench = openToolBench({ answer });
  const result = await bench.call(look, { a: 1 });
  return { result, completed: bench.seen.at(-1) };
}

describe("a tool of the client", () => {
  it("is offered by its name, or under its namespace", () => {
    const shown = offered.map(({ namespace, spec }) => ({ namespace, spec }));
    const parameters = { type: "object", properties: {} };
    expect(shown).toStrictEqual([
      {
        namespace: undefined,
        spec: { type: "function", name: "look", description: "Looks", strict: false, parameters },
      },
      {
        namespace: { name: "crm", description: "Tools in the crm namespace." },
        spec: { type: "function", name: "find", description: "Finds", strict: false, parameters },
      },
    ]);
    expect(deferred.map(({ name }) => name)).toStrictEqual(["late"]);
  });

  it("is run by the client, and is an item meanwhile", async () => {
    const contentItems = [
      { type: "inputText", text: "found" },
      { type: "inputImage", imageUrl: "data:image/png;base64,AAAA" },
      { type: "inputAudio", audioUrl: "data:audio/wav;base64,AAAA" },
    ];
    const bench = openToolBench({ answer: { kind: "answered", result: { contentItems, success: true } } });
    expect(await bench.call(find, { b: [null] })).toStrictEqual({
      output: [
        { type: "input_text", text: "found" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "high" },
        { type: "input_audio", audio_url: "data:audio/wav;base64,AAAA" },
      ],
      success: true,
    });
    const call = { namespace: "crm", tool: "find", arguments: { b: [null] } };
    const item = { type: "dynamicToolCall", id: "call-1", ...call };
    expect(bench.seen).toStrictEqual([
      { begun: { ...item, status: "inProgress", contentItems: null, success: null, durationMs: null } },
      {
        method: "item/tool/call",
        params: { threadId: "thread-1", turnId: "turn-1", callId: "call-1", ...call },
      },
      { completed: { ...item, status: "completed", contentItems, success: true, durationMs: 0 } },
    ]);
  });

  it("gives a single text as it is, also when it failed", async () => {
    const contentItems = [{ type: "inputText", text: "broken" }];
    expect(await answerWith({ kind: "answered", result: { contentItems, success: false } })).toStrictEqual({
      result: { output: "broken", success: false },
      completed: { completed: { ...ITEM, status: "failed", contentItems, success: false, durationMs: 0 } },
    });
  });

  it.each<[string, Answer<unknown>]>([
    ["dynamic tool request failed", { kind: "unanswered", reason: "refused" }],
    [
      "remote image URLs are not supported; use an inline data URL instead",
      {
        kind: "answered",
        result: { contentItems: [{ type: "inputImage", imageUrl: "HTTPS://x/y.png" }], success: true },
      },
    ],
    [
      "audio URLs must use an inline data URL",
      {
        kind: "answered",
        result: { contentItems: [{ type: "inputAudio", audioUrl: "https://x/y.wav" }], success: true },
      },
    ],
  ])("fails with: %s", async (text, answer) => {
    const contentItems = [{ type: "inputText", text }];
    expect(await answerWith(answer)).toStrictEqual({
      result: { output: text, success: false },
      completed: { completed: { ...ITEM, status: "failed", contentItems, success: false, durationMs: 0 } },
    });
  });

  it("fails without content when the turn ends first", async () => {
    expect(await answerWith({ kind: "abandoned" })).toStrictEqual({
      result: {
        output: "dynamic tool call was cancelled before receiving a response",
        success: false,
      },
      completed: {
        completed: { ...ITEM, status: "failed", contentItems: [], success: false, durationMs: 0 },
      },
    });
  });

  it("is not asked about arguments that are no JSON", async () => {
    const bench = openToolBench();
    expect(await bench.call(look, "nojson")).toStrictEqual({
      output: "failed to parse function arguments: expected ident at line 1 column 2",
      success: false,
    });
    expect(bench.seen).toStrictEqual([]);
  });
});
