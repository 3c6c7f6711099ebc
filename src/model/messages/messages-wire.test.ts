import { describe, expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { PLAIN_REQUEST } from "../fixtures/collect.ts";
import { sealThinking } from "../items/sealed-thinking.ts";
import type { ModelRequest } from "../model.ts";
import { messagesWire } from "./messages-wire.ts";

const TOOLS = [
  { type: "function", name: "exec_command", description: "Runs.", parameters: { type: "object" } },
  { type: "custom", name: "apply_patch", description: "Patches.", format: { type: "grammar" } },
  { type: "namespace", name: "agents", tools: [{ type: "function", name: "wait" }] },
  { type: "web_search" },
  null,
];

interface Body {
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: readonly unknown[] }[];
  readonly [member: string]: unknown;
}

function bodyOf(more: Partial<ModelRequest>): Body {
  return messagesWire.toBody({ ...PLAIN_REQUEST, ...more }) as Body;
}

/** The conversation without cache points. */
function messagesOf(...input: readonly ResponseItem[]): unknown {
  return JSON.parse(
    JSON.stringify(bodyOf({ input, tools: TOOLS }).messages, (key, value: unknown) =>
      key === "cache_control" ? undefined : value,
    ),
  );
}

const MARK = { cache_control: { type: "ephemeral" } };
const text = (value: string) => ({ type: "text", text: value });
const says = (role: string, value: string): ResponseItem => ({
  type: "message",
  role,
  content: [
    role === "assistant" ? { type: "output_text", text: value } : { type: "input_text", text: value },
  ],
});
const calls = (id: string, name = "exec_command", args = "{}"): ResponseItem => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: args,
});
const output = (id: string, value = "ok"): ResponseItem => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});
const use = (id: string, name = "exec_command", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, content: unknown = "ok") => ({ type: "tool_result", tool_use_id: id, content });
const THOUGHT = { type: "thinking", thinking: "hm", signature: "sig" } as const;
const SECRET = { type: "redacted_thinking", data: "sealed" } as const;

describe("a request to the Messages API", () => {
  test("has tools, system instructions and four cache points", () => {
    const { messages, ...rest } = bodyOf({
      model: "claude-sonnet-4-5",
      tools: TOOLS,
      input: [
        says("developer", "Be brief."),
        says("developer", "Rules."),
        says("user", "one"),
        says("assistant", "first"),
        says("user", "two"),
        says("assistant", "second"),
        says("user", "three"),
      ],
    });
    expect(rest).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 32_000,
      system: [text("Be brief."), { ...text("Rules."), ...MARK }],
      tools: [
        { name: "exec_command", description: "Runs.", input_schema: { type: "object" } },
        {
          name: "apply_patch",
          description: "Patches.",
          input_schema: {
            type: "object",
            properties: {
              input: { type: "string", description: "The whole input of the tool, as plain text." },
            },
            required: ["input"],
            additionalProperties: false,
          },
        },
        { name: "agents__wait", description: "", input_schema: { type: "object", properties: {} }, ...MARK },
      ],
      tool_choice: { type: "auto" },
      stream: true,
    });
    expect(messages).toEqual([
      { role: "user", content: [text("one")] },
      { role: "assistant", content: [text("first")] },
      { role: "user", content: [{ ...text("two"), ...MARK }] },
      { role: "assistant", content: [text("second")] },
      { role: "user", content: [{ ...text("three"), ...MARK }] },
    ]);
  });

  test("without tools and instructions has no such members", () => {
    expect(Object.keys(bodyOf({}))).toEqual(["model", "max_tokens", "messages", "stream"]);
    expect(bodyOf({ tools: TOOLS, parallelToolCalls: false })["tool_choice"]).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
  });

  test.each<
    [model: string, effort: string | undefined, maxTokens: number, thinking: unknown, output: unknown]
  >([
    ["claude-sonnet-4-5", undefined, 32_000, undefined, undefined],
    ["claude-sonnet-4-5", "none", 32_000, undefined, undefined],
    ["claude-sonnet-4-5-20250929", "high", 32_000, { type: "enabled", budget_tokens: 16_000 }, undefined],
    ["claude-3-7-sonnet-latest", "minimal", 32_000, { type: "enabled", budget_tokens: 2000 }, undefined],
    ["glm-4.6", "odd", 32_000, { type: "enabled", budget_tokens: 16_000 }, undefined],
    ["claude-3-5-haiku-latest", "high", 8192, undefined, undefined],
    ["claude-3-haiku-20240307", "high", 4096, undefined, undefined],
    ["claude-opus-4-20250514", "low", 32_000, { type: "enabled", budget_tokens: 4000 }, undefined],
    ["claude-opus-4-6", "xhigh", 64_000, { type: "adaptive", display: "summarized" }, { effort: "high" }],
    ["house/claude-opus-5", "low", 64_000, { type: "adaptive", display: "summarized" }, { effort: "low" }],
  ])("configures thinking of %s for the effort %s", (model, effort, ...expected) => {
    const body = bodyOf({ model, reasoning: effort === undefined ? {} : { effort } });
    expect([body["max_tokens"], body["thinking"], body["output_config"]]).toEqual(expected);
  });

  test("has the output format", () => {
    const format = { type: "json_schema", strict: true, schema: { type: "object" }, name: "x" } as const;
    expect(bodyOf({ text: { format } })["output_config"]).toEqual({
      format: { type: "json_schema", schema: { type: "object" } },
    });
  });
});

describe("a conversation of the Messages API", () => {
  test("has results in the next message, and unchanged thinking", () => {
    expect(
      messagesOf(
        says("user", "do it"),
        sealThinking(THOUGHT),
        sealThinking(SECRET),
        says("assistant", "I will."),
        calls("a", "exec_command", '{"cmd":"ls"}'),
        { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: 'a "patch"' },
        output("a", "files"),
        { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "done" }] },
        { type: "function_call", call_id: "c", namespace: "agents", name: "wait", arguments: "{}" },
        output("c"),
        says("developer", "The mode has changed."),
      ),
    ).toEqual([
      { role: "user", content: [text("do it")] },
      {
        role: "assistant",
        content: [
          THOUGHT,
          SECRET,
          text("I will."),
          use("a", "exec_command", { cmd: "ls" }),
          use("b", "apply_patch", { input: 'a "patch"' }),
        ],
      },
      { role: "user", content: [result("a", "files"), result("b", [text("done")])] },
      { role: "assistant", content: [use("c", "agents__wait")] },
      {
        role: "user",
        content: [result("c"), text("<instructions>\nThe mode has changed.\n</instructions>")],
      },
    ]);
  });

  test("puts results before user input that arrived while a tool ran", () => {
    expect(
      messagesOf(says("user", "go"), calls("a"), calls("b"), says("user", "wait"), output("b"), output("a")),
    ).toEqual([
      { role: "user", content: [text("go")] },
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [result("a"), result("b"), text("wait")] },
    ]);
  });

  test.each<[what: string, input: ResponseItem[], expected: unknown[]]>([
    ["a call without a result", [says("user", "x"), calls("a")], [{ role: "user", content: [text("x")] }]],
    ["a result without a call", [says("user", "x"), output("a")], [{ role: "user", content: [text("x")] }]],
    [
      "reasoning of another make",
      [
        says("user", "x"),
        { type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: "gAAAA" },
      ],
      [{ role: "user", content: [text("x")] }],
    ],
    ["nothing at all", [], [{ role: "user", content: [text("[earlier messages were omitted]")] }]],
    ["texts of space", [says("user", " \n"), says("user", "x")], [{ role: "user", content: [text("x")] }]],
    [
      "a beginning that was cut off and an end that broke",
      [says("assistant", "half")],
      [
        { role: "user", content: [text("[earlier messages were omitted]")] },
        { role: "assistant", content: [text("half")] },
        { role: "user", content: [text("[continue]")] },
      ],
    ],
    [
      "ids of other providers, and the same one again",
      [
        says("user", "x"),
        calls("fn.run:0"),
        output("fn.run:0", "1"),
        calls("call_1"),
        output("call_1", "2"),
        calls("call_1", "exec_command", "no json"),
        output("call_1", "3"),
      ],
      [
        { role: "user", content: [text("x")] },
        { role: "assistant", content: [use("call_0")] },
        { role: "user", content: [result("call_0", "1")] },
        { role: "assistant", content: [use("call_1")] },
        { role: "user", content: [result("call_1", "2")] },
        { role: "assistant", content: [use("call_2", "exec_command", { input: "no json" })] },
        { role: "user", content: [result("call_2", "3")] },
      ],
    ],
  ])("handles %s", (_, input, expected) => {
    expect(messagesOf(...input)).toEqual(expected);
  });

  test("keeps images in place, also those of tool results", () => {
    const picture = (image_url: string) => ({ type: "input_image" as const, image_url });
    const left = text("[an image was omitted: it is not a JPEG, PNG, GIF or WebP]");
    expect(
      messagesOf(
        {
          type: "message",
          role: "user",
          content: [
            picture("data:image/PNG;base64,AA"),
            picture("https://host/a.png"),
            picture("data:image/svg+xml;base64,AA"),
            picture("data:image/png,AA"),
            picture(`data:${"x".repeat(300)}`),
          ],
        },
        calls("a"),
        { type: "function_call_output", call_id: "a", output: [picture("data:image/webp;base64,BB")] },
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
          { type: "image", source: { type: "url", url: "https://host/a.png" } },
          left,
          left,
          left,
        ],
      },
      { role: "assistant", content: [use("a")] },
      {
        role: "user",
        content: [
          result("a", [{ type: "image", source: { type: "base64", media_type: "image/webp", data: "BB" } }]),
        ],
      },
    ]);
  });

  test("disables thinking in a tool call sequence that started without it", () => {
    const asks = (...input: readonly ResponseItem[]) =>
      "thinking" in bodyOf({ input, reasoning: { effort: "high" } });
    const thought = sealThinking(THOUGHT);
    const step = (id: string) => [calls(id), output(id)];
    expect([
      asks(says("user", "x")),
      asks(says("user", "x"), thought, ...step("a")),
      asks(says("user", "x"), thought, ...step("a"), ...step("b")),
      asks(says("user", "x"), ...step("a")),
      asks(says("user", "x"), ...step("a"), thought, ...step("b")),
      asks(says("user", "x"), ...step("a"), says("assistant", "done"), says("user", "y")),
    ]).toEqual([true, true, true, false, false, true]);
  });
});
