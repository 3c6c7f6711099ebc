/** What the demo model sees of a request, and what its scripts can do about it. */
import { isObject } from "../../base/json-object.ts";
import type { FunctionCallOutputBody, ResponseItem } from "../../protocol/generated/types.ts";
import type { ModelRequest } from "../model.ts";

/** What a request looks like to the demo model. */
export interface DemoScene {
  /** Different for each state of a conversation, and the same for the same one. */
  readonly id: string;
  /** The last message of the user: its first word in lower case, the rest, and all of it. */
  readonly word: string;
  readonly rest: string;
  readonly prompt: string;
  /** What the tools answered since then. */
  readonly results: readonly string[];
  /** The JSON schema that the answer must follow. */
  readonly schema: unknown;
  offers(tool: string): boolean;
}

export function toDemoScene({ input, tools, text }: ModelRequest): DemoScene {
  const at = input.findLastIndex((item) => item.type === "message" && item.role === "user");
  const prompt = promptOf(input[at]);
  const [, word = "", rest = ""] = /^(?:please\s+)?(\S+)\s*([^]*)$/i.exec(prompt) ?? [];
  const names = new Set((tools ?? []).map((tool) => (isObject(tool) ? tool["name"] : null)));
  return {
    id: fingerprint(JSON.stringify(input)),
    word: word.toLowerCase().replace(/\W+$/, ""),
    rest: rest.trim(),
    prompt,
    results: input.slice(at + 1).flatMap(resultOf),
    schema: text?.format?.schema,
    offers: (tool) => names.has(tool),
  };
}

function promptOf(item: ResponseItem | undefined): string {
  if (item?.type !== "message") return "";
  return item.content
    .flatMap((part) => (part.type === "input_text" ? [part.text] : []))
    .join("\n")
    .trim();
}

function resultOf(item: ResponseItem): string[] {
  const isResult = item.type === "function_call_output" || item.type === "custom_tool_call_output";
  return isResult ? [textIn(item.output)] : [];
}

function textIn(output: FunctionCallOutputBody): string {
  if (typeof output === "string") return output;
  return output.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");
}

/** FNV-1a, twice with different starts: enough to tell the states of a conversation apart. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

/** What the demo model does when a message begins with a certain word. */
export interface DemoScript {
  /** How to ask for it, for people. */
  readonly usage: string;
  readonly about: string;
  fits(scene: DemoScene): boolean;
  play(scene: DemoScene): readonly DemoStep[];
}

export type DemoStep =
  | { readonly type: "say"; readonly text: string; readonly paceMs?: number }
  | { readonly type: "think"; readonly thoughts: readonly string[] }
  /** A text goes to a tool that takes plain text, an object to a function. */
  | { readonly type: "call"; readonly tool: string; readonly input: string | object }
  | { readonly type: "stumble"; readonly cause: string }
  | { readonly type: "fail"; readonly message: string };

export function say(text: string): DemoStep {
  return { type: "say", text };
}
