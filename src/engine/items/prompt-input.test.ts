import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { createPromptInput } from "./prompt-input.ts";

const toPromptItems = (history: readonly ResponseItem[]) => createPromptInput().of(history, ["text"]);

const called = (call_id: string): ResponseItem => ({
  type: "function_call",
  call_id,
  name: "x",
  arguments: "",
});
const custom = (call_id: string): ResponseItem => ({
  type: "custom_tool_call",
  call_id,
  name: "x",
  input: "",
});
const shell = (call_id: string): ResponseItem => ({
  type: "local_shell_call",
  call_id,
  status: "completed",
  action: { type: "exec", command: ["ls"] },
});
const search = (call_id: string, execution = "client"): ResponseItem => ({
  type: "tool_search_call",
  call_id,
  execution,
  arguments: { query: "x" },
});
const found = (call_id: string, execution = "client"): ResponseItem => ({
  type: "tool_search_output",
  call_id,
  status: "completed",
  execution,
  tools: [],
});
const output = (call_id: string): ResponseItem => ({
  type: "function_call_output",
  call_id,
  output: "aborted",
});

test("a call without an output gets one right behind it, of its own kind", () => {
  expect(toPromptItems([called("a"), custom("b"), shell("c"), search("d")])).toEqual([
    called("a"),
    output("a"),
    custom("b"),
    { type: "custom_tool_call_output", call_id: "b", output: "aborted" },
    shell("c"),
    output("c"),
    search("d"),
    found("d"),
  ]);
});

test("an output without a call is left out", () => {
  expect(toPromptItems([output("a"), found("b"), called("c"), output("c")])).toEqual([
    called("c"),
    output("c"),
  ]);
});

test("a history in which every call has its output comes back as it is", () => {
  const history = [shell("a"), output("a"), search("b"), found("b")];
  expect(toPromptItems(history)).toEqual(history);
});

test("what a provider has looked for itself needs no output of ours", () => {
  const history = [search("a", "server"), found("b", "server")];
  expect(toPromptItems(history)).toEqual(history);
});

const said = (text: string, id = `msg_${text}`): ResponseItem => ({
  type: "message",
  id,
  role: "user",
  content: [{ type: "input_text", text }],
});
const picture: ResponseItem = {
  type: "message",
  role: "user",
  content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }],
};

test("the same item is the same object in each request, also when it had to be changed", () => {
  const input = createPromptInput();
  const history = [said("a", "foreign"), called("b")];
  const before = input.of(history, ["text"]);
  const after = input.of([...history, said("c")], ["text"]);
  expect(before.map((item, index) => item === after[index])).toEqual([true, true, true]);
  expect(before[0]).not.toHaveProperty("id");
});

test("a result does not grow with the next request", () => {
  const input = createPromptInput();
  const history = [said("a")];
  const first = input.of(history, ["text"]);
  history.push(said("b"));
  expect([input.of(history, ["text"]).length, first.length]).toEqual([2, 1]);
});

test("another model gets the items that it supports", () => {
  const input = createPromptInput();
  expect(input.of([picture], ["text", "image"])).toEqual([picture]);
  expect(JSON.stringify(input.of([picture], ["text"]))).toContain("image content omitted");
  expect(input.of([picture], ["text", "image"])).toEqual([picture]);
});

const anyItem = fc.oneof(
  fc.constantFrom<ResponseItem>({ type: "other" }, picture),
  fc.constantFrom("a", "b", "c").chain((id) => fc.constantFrom(called(id), output(id), said(id), search(id))),
);

test("a history that grows, shrinks or is replaced is converted as if it were new", () => {
  const change = fc.record({ kept: fc.nat(8), more: fc.array(anyItem, { maxLength: 4 }) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const input = createPromptInput();
      const history: ResponseItem[] = [];
      for (const { kept, more } of changes) {
        // Mostly the history only grows.
        if (kept < 3) history.length = Math.min(history.length, kept);
        history.push(...more);
        expect(input.of(history, ["text"])).toEqual(createPromptInput().of(history, ["text"]));
      }
    }),
    propertyRuns(200),
  );
});
