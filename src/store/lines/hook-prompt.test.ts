import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHookPrompt, renderHookPrompt, toHookPromptMessage } from "./hook-prompt.ts";

const wrap = (text: string) => `<hook_prompt hook_run_id="run-1">${text}</hook_prompt>`;

describe("a hook prompt", () => {
  it.each([
    [wrap("Retry with tests."), "Retry with tests."],
    [`  ${wrap(" padded ")}\n`, " padded "],
    [wrap("a &amp; &lt;b&gt; &quot;q&quot; &apos; &#65;&#x42;"), 'a & <b> "q" \' AB'],
    ["<hook_prompt  other='1' hook_run_id='run-1' >x</hook_prompt >", "x"],
    [wrap("<![CDATA[x <b>]]>"), "x <b>"],
    [wrap("x<!-- no -->y"), "xy"],
    [wrap("x <b>y</b>"), "x "],
    [`${wrap("x")} behind`, "x"],
    [`<?xml version="1.0"?>${wrap("x")}`, "x"],
  ])("is read from %j", (source, text) => {
    expect(parseHookPrompt(source)).toStrictEqual({ text, hookRunId: "run-1" });
  });

  it.each([
    "plain",
    "<hook_prompt>x</hook_prompt>",
    '<hook_prompt hook_run_id="">x</hook_prompt>',
    '<hook_prompt hook_run_id="a"/>',
    wrap(""),
    wrap("x & y"),
    wrap("&nope;"),
    '<hook_prompt hook_run_id="run-1">x',
    '<other hook_run_id="run-1">x</other>',
  ])("is not read from %j", (source) => {
    expect(parseHookPrompt(source)).toBeNull();
  });

  it("says the same after it was written and read, whatever it says", () => {
    const text = fc.string({ unit: "binary", minLength: 1 });
    fc.assert(
      fc.property(text, text, (words, hookRunId) => {
        const source = renderHookPrompt({ text: words, hookRunId });
        if (source === null) expect(hookRunId.trim()).toBe("");
        else expect(parseHookPrompt(source)).toStrictEqual({ text: words, hookRunId });
      }),
    );
  });

  it("is one message for all that have something to say", () => {
    const fragments = [
      { text: "one & two", hookRunId: 'a"b' },
      { text: "nobody's", hookRunId: " " },
      { text: "three", hookRunId: "c" },
    ];
    expect(toHookPromptMessage(fragments, "msg_1")).toStrictEqual({
      type: "message",
      id: "msg_1",
      role: "user",
      content: [
        {
          type: "input_text",
          text: '<hook_prompt hook_run_id="a&quot;b">one &amp; two</hook_prompt>',
        },
        { type: "input_text", text: '<hook_prompt hook_run_id="c">three</hook_prompt>' },
      ],
    });
    expect(toHookPromptMessage([], "msg_1")).toBeNull();
  });
});
