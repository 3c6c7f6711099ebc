import { describe, expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { PLAIN_REQUEST } from "../fixtures/collect.ts";
import type { ModelEvent } from "../model.ts";
import { chatWire } from "./chat-wire.ts";

const TOOLS = [
  {
    type: "function",
    name: "exec_command",
    description: "Runs.",
    strict: false,
    parameters: { type: "object" },
  },
  { type: "custom", name: "apply_patch", description: "Patches.", format: { type: "grammar" } },
  {
    type: "namespace",
    name: "agents",
    tools: [{ type: "function", name: "wait", parameters: { type: "object" } }],
  },
  { type: "web_search" },
  null,
];

function messagesOf(...input: readonly ResponseItem[]): unknown {
  const body = chatWire.toBody({ ...PLAIN_REQUEST, input, tools: TOOLS }) as { messages: unknown };
  return body.messages;
}

const text = (value: string) => [{ type: "input_text" as const, text: value }];

describe("a chat request", () => {
  test("has only widely supported members", () => {
    expect(
      chatWire.toBody({
        ...PLAIN_REQUEST,
        tools: TOOLS,
        reasoning: { effort: "high", summary: "auto" },
        text: { verbosity: "low", format: { type: "json_schema", strict: true, schema: {}, name: "answer" } },
      }),
    ).toEqual({
      model: "some-model",
      messages: [{ role: "user", content: "hello" }],
      tools: [
        {
          type: "function",
          function: { name: "exec_command", description: "Runs.", parameters: { type: "object" } },
        },
        {
          type: "function",
          function: {
            name: "apply_patch",
            description: "Patches.",
            parameters: {
              type: "object",
              properties: {
                input: { type: "string", description: "The whole input of the tool, as plain text." },
              },
              required: ["input"],
              additionalProperties: false,
            },
          },
        },
        {
          type: "function",
          function: { name: "agents__wait", description: "", parameters: { type: "object" } },
        },
      ],
      tool_choice: "auto",
      parallel_tool_calls: true,
      reasoning_effort: "high",
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema: {} } },
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("without tools has no tool members", () => {
    expect(Object.keys(chatWire.toBody(PLAIN_REQUEST) as object)).toEqual([
      "model",
      "messages",
      "stream",
      "stream_options",
    ]);
  });

  test("orders calls and results as the chat API requires", () => {
    expect(
      messagesOf(
        { type: "message", role: "developer", content: text("Be brief.") },
        { type: "message", role: "user", content: text("do it") },
        { type: "reasoning", summary: [], encrypted_content: "secret" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I will." }] },
        { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
        { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: 'a "patch"\n' },
        { type: "function_call_output", call_id: "a", output: "files" },
        { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "done" }] },
        { type: "function_call", call_id: "c", namespace: "agents", name: "wait", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "ok" },
      ),
    ).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "do it" },
      {
        role: "assistant",
        content: "I will.",
        tool_calls: [
          { id: "a", type: "function", function: { name: "exec_command", arguments: '{"cmd":"ls"}' } },
          {
            id: "b",
            type: "function",
            function: { name: "apply_patch", arguments: '{"input":"a \\"patch\\"\\n"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "files" },
      { role: "tool", tool_call_id: "b", content: "done" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "agents__wait", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "ok" },
    ]);
  });

  test("has images in user messages, also those of tool results", () => {
    const picture = {
      type: "input_image" as const,
      image_url: "data:image/png;base64,AA",
      detail: "high" as const,
    };
    const shown = { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "high" } };
    expect(
      messagesOf(
        { type: "message", role: "user", content: [...text("look"), picture] },
        { type: "function_call", call_id: "a", name: "view_image", arguments: "{}" },
        { type: "function_call", call_id: "b", name: "view_image", arguments: "{}" },
        { type: "function_call_output", call_id: "a", output: [picture] },
        { type: "function_call_output", call_id: "b", output: "none" },
      ),
    ).toEqual([
      { role: "user", content: [{ type: "text", text: "look" }, shown] },
      {
        role: "assistant",
        content: null,
        tool_calls: ["a", "b"].map((id) => ({
          id,
          type: "function",
          function: { name: "view_image", arguments: "{}" },
        })),
      },
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "tool", tool_call_id: "b", content: "none" },
      { role: "user", content: [shown] },
    ]);
  });
});

function read(...chunks: readonly unknown[]) {
  const reader = chatWire.createReader({ ...PLAIN_REQUEST, tools: TOOLS });
  const events: ModelEvent[] = [];
  for (const chunk of chunks) {
    const end = reader.read(typeof chunk === "string" ? chunk : JSON.stringify(chunk), events);
    if (end !== null) return { events, end };
  }
  return { events, end: reader.finish(events) };
}

const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  id: "chat_1",
  choices: [{ index: 0, delta, finish_reason }],
});

function items(events: readonly ModelEvent[]): unknown[] {
  return events.flatMap((event) => (event.type === "itemDone" ? [event.item] : []));
}

describe("a chat answer", () => {
  test("emits reasoning and text as consecutive items", () => {
    const rawUsage = {
      prompt_tokens: 10,
      completion_tokens: 4,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const { events, end } = read(
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "let me " }),
      chunk({ reasoning: "see" }),
      chunk({ content: "Hel" }),
      chunk({ content: "lo" }),
      chunk({}, "stop"),
      { id: "chat_1", choices: [], usage: rawUsage },
    );
    const message = { type: "message", role: "assistant" };
    expect(end).toBe("completed");
    expect(events).toEqual([
      { type: "created" },
      { type: "itemAdded", item: { type: "reasoning", summary: [], content: [] } },
      { type: "reasoningTextDelta", itemId: null, delta: "let me ", index: 0 },
      { type: "reasoningTextDelta", itemId: null, delta: "see", index: 0 },
      {
        type: "itemDone",
        item: { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "let me see" }] },
      },
      { type: "itemAdded", item: { ...message, content: [] } },
      { type: "textDelta", itemId: null, delta: "Hel" },
      { type: "textDelta", itemId: null, delta: "lo" },
      { type: "itemDone", item: { ...message, content: [{ type: "output_text", text: "Hello" }] } },
      {
        type: "completed",
        responseId: "chat_1",
        usage: {
          totalTokens: 14,
          inputTokens: 10,
          cachedInputTokens: 6,
          cacheWriteInputTokens: 0,
          outputTokens: 4,
          reasoningOutputTokens: 2,
        },
        rawUsage,
        endTurn: null,
      },
    ]);
  });

  test("may consist of content parts, including thinking", () => {
    const { events } = read(
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "let me see" }] }] }),
      chunk({ content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo" }, null, { type: "x" }] }),
      chunk({}, "stop"),
      "[DONE]",
    );
    expect(items(events)).toEqual([
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "let me see" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] },
    ]);
  });

  test("assembles interleaved calls", () => {
    const part = (index: number, args: string, more: object = {}) => ({
      index,
      function: { arguments: args, ...more },
    });
    const { events } = read(
      chunk({ tool_calls: [{ ...part(0, '{"cmd"', { name: "exec_command" }), id: "a" }] }),
      chunk({ tool_calls: [{ ...part(1, '{"input":"p', { name: "apply_patch" }), id: "b" }] }),
      chunk({ tool_calls: [part(0, ':"ls"}'), part(1, 'atch"}')] }),
      chunk({ tool_calls: [{ ...part(2, "", { name: "agents__wait" }), id: "c" }] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(items(events)).toEqual([
      { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "patch" },
      { type: "function_call", call_id: "c", name: "wait", namespace: "agents", arguments: "{}" },
    ]);
  });

  test("separates calls with the same index, but not by the id alone", () => {
    const part = (id: string, args: string, name?: string) =>
      chunk({ tool_calls: [{ index: 0, id, function: { arguments: args, name } }] });
    const { events } = read(
      part("a", '{"cmd":"ls"}', "exec_command"),
      part("b", '{"cmd":', "exec_command"),
      part("c", '"pwd"}'),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect(items(events)).toEqual([
      { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "function_call", call_id: "c", name: "exec_command", arguments: '{"cmd":"pwd"}' },
    ]);
  });

  test("tolerates unwrapped text and missing ids", () => {
    const { events } = read(
      chunk(
        { tool_calls: [{ function: { name: "apply_patch", arguments: "*** Begin Patch" } }] },
        "tool_calls",
      ),
      "[DONE]",
    );
    expect(items(events)).toEqual([
      { type: "custom_tool_call", call_id: "call_chat_1_0", name: "apply_patch", input: "*** Begin Patch" },
    ]);
  });

  test("that was truncated is incomplete", () => {
    expect(read(chunk({ content: "x" }, "length"), "[DONE]").end).toMatchObject({
      retry: "never",
      error: { message: "Incomplete response returned, reason: max_output_tokens" },
    });
    expect(read(chunk({ content: "x" }, "content_filter"), "[DONE]").end).toMatchObject({ retry: "stream" });
  });

  test("without a finish reason is a broken stream", () => {
    for (const last of [[], ["[DONE]"], [chunk({ content: "y" }, ""), { choices: [], usage: {} }]]) {
      expect(read(chunk({ content: "x" }), ...last).end).toMatchObject({
        retry: "stream",
        error: { message: "stream disconnected before completion: stream closed before response.completed" },
      });
    }
  });

  test("with an error chunk fails with it", () => {
    expect(
      read(chunk({ content: "x" }), { error: { code: "rate_limit_exceeded", message: "slow" } }).end,
    ).toMatchObject({
      retry: "stream",
      error: { message: "rate limit exceeded: slow" },
    });
  });
});
