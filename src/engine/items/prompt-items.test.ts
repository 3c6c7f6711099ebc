import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { toPromptItems } from "./prompt-items.ts";

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
  expect(toPromptItems(history)).toBe(history);
});

test("what a provider has looked for itself needs no output of ours", () => {
  const history = [search("a", "server"), found("b", "server")];
  expect(toPromptItems(history)).toBe(history);
});
