import { readFileSync } from "node:fs";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { PLAIN_REQUEST } from "../fixtures/collect.ts";
import { MAX_SEAL_LENGTH } from "../items/sealed-thinking.ts";
import type { ModelEvent } from "../model.ts";
import { messagesWire } from "./messages-wire.ts";

const TOOLS = [
  { type: "function", name: "exec_command" },
  { type: "custom", name: "apply_patch" },
];

function read(...messages: readonly unknown[]) {
  const reader = messagesWire.createReader({ ...PLAIN_REQUEST, tools: TOOLS });
  const events: ModelEvent[] = [];
  for (const message of messages) {
    const end = reader.read(typeof message === "string" ? message : JSON.stringify(message), events);
    if (end !== null) return { events, end };
  }
  return { events, end: reader.finish(events) };
}

function recorded(name: string): string[] {
  const data: string[] = [];
  createParser({ onEvent: (event) => void data.push(event.data) }).feed(
    readFileSync(`fixtures/model/messages/${name}.sse`, "utf8"),
  );
  return data;
}

const start = {
  type: "message_start",
  message: { id: "msg_1", usage: { input_tokens: 5, output_tokens: 1 } },
};
const begin = (index: unknown, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: unknown, change: unknown) => ({ type: "content_block_delta", index, delta: change });
const end = (index: unknown) => ({ type: "content_block_stop", index });
const stop = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: { output_tokens: 3 },
});
const over = { type: "message_stop" };
const tool = (id: string, name = "exec_command", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });

const items = (events: readonly ModelEvent[]): ResponseItem[] =>
  events.flatMap((event) => (event.type === "itemDone" ? [event.item] : []));
const message = (text: string) => ({
  type: "message",
  role: "assistant",
  content: text === "" ? [] : [{ type: "output_text", text }],
});
const call = (id: string, args = "{}") => ({
  type: "function_call",
  call_id: id,
  name: "exec_command",
  arguments: args,
});

describe("an answer of the Messages API", () => {
  test("emits thinking, text and calls as consecutive items", () => {
    const { events, end: ending } = read(...recorded("thinking"));
    expect(ending).toBe("completed");
    const thought = { type: "summary_text", text: "The folder comes first." };
    expect(events).toEqual([
      { type: "created" },
      { type: "itemAdded", item: { type: "reasoning", summary: [] } },
      { type: "reasoningSummaryPartAdded", itemId: null, index: 0 },
      { type: "reasoningSummaryDelta", itemId: null, delta: "The folder ", index: 0 },
      { type: "reasoningSummaryDelta", itemId: null, delta: "comes first.", index: 0 },
      {
        type: "itemDone",
        item: {
          type: "reasoning",
          summary: [thought],
          encrypted_content: "messages-signature:EqQBCgIYAhIM",
        },
      },
      {
        type: "itemDone",
        item: { type: "reasoning", summary: [], encrypted_content: "messages-redacted:EmwKAhgBEgy3va3pzix" },
      },
      { type: "itemAdded", item: message("") },
      { type: "textDelta", itemId: null, delta: "I will look." },
      { type: "itemDone", item: message("I will look.") },
      { type: "itemDone", item: call("toolu_01Ab", '{"cmd": "ls"}') },
      {
        type: "itemDone",
        item: {
          type: "custom_tool_call",
          call_id: "toolu_01Cd",
          name: "apply_patch",
          input: "*** Begin Patch",
        },
      },
      {
        type: "completed",
        responseId: "msg_01Xy",
        usage: {
          totalTokens: 119,
          inputTokens: 42,
          cachedInputTokens: 10,
          cacheWriteInputTokens: 20,
          outputTokens: 77,
          reasoningOutputTokens: 0,
        },
        rawUsage: {
          input_tokens: 12,
          cache_creation_input_tokens: 20,
          cache_read_input_tokens: 10,
          output_tokens: 77,
        },
        endTurn: null,
      },
    ]);
  });

  test("is sent back unchanged", () => {
    const input = items(read(...recorded("thinking")).events);
    const outputs: ResponseItem[] = [
      { type: "function_call_output", call_id: "toolu_01Ab", output: "" },
      { type: "custom_tool_call_output", call_id: "toolu_01Cd", output: "" },
    ];
    const body = messagesWire.toBody({ ...PLAIN_REQUEST, tools: TOOLS, input: [...input, ...outputs] });
    expect((body as { messages: { content: unknown }[] }).messages[1]?.content).toEqual([
      { type: "thinking", thinking: "The folder comes first.", signature: "EqQBCgIYAhIM" },
      { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" },
      { type: "text", text: "I will look." },
      tool("toolu_01Ab", "exec_command", { cmd: "ls" }),
      tool("toolu_01Cd", "apply_patch", { input: "*** Begin Patch" }),
    ]);
  });

  test.each<[reason: string, expected: unknown]>([
    ["end_turn", "completed"],
    ["stop_sequence", "completed"],
    ["of a later version", "completed"],
    ["max_tokens", { retry: "never", error: { codexErrorInfo: "other" } }],
    ["model_context_window_exceeded", { retry: "never", error: { codexErrorInfo: "contextWindowExceeded" } }],
    [
      "refusal",
      { retry: "never", error: { message: expect.stringContaining("refused to answer") as string } },
    ],
  ])("with the stop reason %s ends accordingly", (reason, expected) => {
    const { end: ending } = read(start, stop(reason), over);
    if (expected === "completed") expect(ending).toBe(expected);
    else expect(ending).toMatchObject(expected as object);
  });

  test("that was paused continues", () => {
    expect(read(start, stop("pause_turn"), over).events.at(-1)).toMatchObject({ endTurn: false });
  });

  test("is a broken stream without a stop reason, and complete with one", () => {
    const broken = { retry: "stream", error: { message: expect.stringContaining("message_stop") as string } };
    expect(read(start).end).toMatchObject(broken);
    expect(read(start, over).end).toMatchObject(broken);
    expect(read(start, begin(0, tool("a")), stop("tool_use")).events.slice(-2)).toMatchObject([
      { type: "itemDone", item: call("a") },
      { type: "completed" },
    ]);
  });

  test.each<[type: string, info: unknown, retry: string]>([
    ["overloaded_error", "other", "stream"],
    ["api_error", "other", "stream"],
    ["rate_limit_error", "rateLimitExceeded", "stream"],
    ["billing_error", "usageLimitExceeded", "never"],
    ["invalid_request_error", "other", "never"],
    ["authentication_error", "other", "never"],
    ["not_found_error", "modelNotFound", "never"],
    ["constructor", "other", "stream"],
  ])("with the error %s fails", (type, info, retry) => {
    const { end: ending } = read(start, { type: "error", error: { type, message: "words" } });
    expect(ending).toMatchObject({ retry, error: { codexErrorInfo: info } });
  });
});

describe("a malformed response", () => {
  test("may interleave calls, repeat blocks and skip indexes", () => {
    const { events } = read(
      start,
      begin(1e9, tool("a")),
      begin(-1, tool("b")),
      delta(1e9, json('{"x"')),
      delta(-1, json("no json")),
      delta(1e9, json(":1}")),
      delta(7, json("of no block")),
      begin("odd", { type: "text", text: "Hel" }),
      delta("odd", { text: "lo" }),
      begin(2, { type: "text", text: "next" }),
      delta("odd", { text: " late" }),
      begin(2, { type: "text" }),
      end(3),
      stop("tool_use"),
      over,
    );
    expect(items(events)).toEqual([
      message("Hello"),
      message("next"),
      call("a", '{"x":1}'),
      call("b", "no json"),
      message(""),
    ]);
  });

  test("may have complete calls from the start, and drops those without id or name", () => {
    const { events } = read(
      start,
      begin(0, tool("a", "exec_command", { cmd: "ls" })),
      end(0),
      begin(1, tool("")),
      begin(2, tool("c", "")),
      begin(3, { type: "server_tool_use", id: "d", name: "web_search" }),
      begin(4, null),
      stop("tool_use"),
      over,
    );
    expect(items(events)).toEqual([call("a", '{"cmd":"ls"}')]);
  });

  test("is limited in open blocks and signature length", () => {
    const many = Array.from({ length: 300 }, (_, index) => begin(index, tool(`c${index}`)));
    expect(read(start, ...many).end).toMatchObject({ retry: "never" });
    const signed = (length: number) =>
      items(
        read(
          start,
          begin(0, { type: "thinking", thinking: "hm" }),
          delta(0, { signature: "s".repeat(length) }),
          end(0),
        ).events,
      );
    expect(signed(MAX_SEAL_LENGTH)[0]).toHaveProperty("encrypted_content");
    expect(signed(MAX_SEAL_LENGTH + 1)).toEqual([
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    ]);
  });

  test("retains only the counts of its usage", () => {
    const usage = { input_tokens: "many", output_tokens: 4, ["__proto__"]: 1, more: { deep: true } };
    const { events } = read(
      start,
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      over,
    );
    expect(events.at(-1)).toMatchObject({ rawUsage: { input_tokens: 5, output_tokens: 4 } });
    expect(Object.keys((events.at(-1) as { rawUsage: object }).rawUsage)).toEqual([
      "input_tokens",
      "output_tokens",
    ]);
  });

  test("never throws, adds an item before its deltas, and ends once", () => {
    const kinds = fc.constantFrom(
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
      "ping",
      "error",
    );
    const blocks = fc.record(
      {
        type: fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "other"),
        text: fc.oneof(fc.string(), fc.integer()),
        thinking: fc.string(),
        signature: fc.string(),
        partial_json: fc.string(),
        id: fc.string(),
        name: fc.constantFrom("exec_command", "apply_patch", "__proto__"),
        input: fc.json(),
        stop_reason: fc.constantFrom("end_turn", "max_tokens", "pause_turn", null),
      },
      { requiredKeys: [] },
    );
    const event = fc.record(
      {
        type: kinds,
        index: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant(null)),
        content_block: blocks,
        delta: blocks,
        message: fc.anything(),
        error: fc.anything(),
      },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: event }, fc.json())), (stream) => {
        const { events } = read(...stream);
        let isOpen = false;
        for (const { type } of events) {
          if (type === "itemAdded") isOpen = true;
          if (type === "textDelta" || type === "reasoningSummaryDelta") expect(isOpen).toBe(true);
        }
        const count = (type: string) => events.filter((each) => each.type === type).length;
        expect(count("itemAdded")).toBeLessThanOrEqual(count("itemDone") + 1);
        expect(count("completed")).toBeLessThanOrEqual(1);
      }),
    );
  });
});
