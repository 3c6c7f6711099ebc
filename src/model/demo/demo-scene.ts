/** What the demo model sees of a request, and what its scripts can do about it. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
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
  /** Why a call of this tool would come to nothing in this thread; null where it would not. */
  obstacleTo(tool: string): string | null;
}

export function toDemoScene({ input, tools, text }: ModelRequest): DemoScene {
  const at = input.findLastIndex((item) => item.type === "message" && item.role === "user");
  const prompt = promptOf(input[at]);
  const [, word = "", rest = ""] = /^(?:please\s+)?(\S+)\s*([^]*)$/i.exec(prompt) ?? [];
  const offered = new Map((tools ?? []).flatMap((tool) => (isObject(tool) ? [[tool["name"], tool]] : [])));
  const rules = rulesIn(input);
  return {
    id: fingerprint(JSON.stringify(input)),
    word: word.toLowerCase().replace(/\W+$/, ""),
    rest: rest.trim(),
    prompt,
    results: input.slice(at + 1).flatMap(resultOf),
    schema: text?.format?.schema,
    offers: (tool) => offered.has(tool),
    obstacleTo: (tool) => obstacleOf(offered.get(tool), rules),
  };
}

function obstacleOf(tool: JsonObject | undefined, rules: string): string | null {
  if (tool === undefined) return "the tool is not offered";
  const { name, description } = tool;
  const isReadOnly = rules.includes("mode `read-only`") && rules.includes("policy is `never`");
  if (name === "apply_patch" && isReadOnly) return "the sandbox is read-only and nobody is asked";
  const isPlan = rules.includes("<collaboration_mode>");
  const isForPlan = /only available in Plan mode/u.test(String(description));
  return isForPlan && !isPlan ? "only in Plan mode" : null;
}

/** What the model was last told of the place it works in, in the words of `engine/context/context-sections.ts`. */
function rulesIn(input: readonly ResponseItem[]): string {
  const texts = input.flatMap((item) =>
    item.type === "message" && item.role === "developer"
      ? item.content.flatMap((part) => (part.type === "input_text" ? [part.text] : []))
      : [],
  );
  return ["<permissions instructions>", "<collaboration_mode>"]
    .map((mark) => texts.findLast((text) => text.includes(mark)) ?? "")
    .join("\n");
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
  /** The tool that it calls, where it has one of its own. */
  readonly tool?: string;
  fits(scene: DemoScene): boolean;
  play(scene: DemoScene): readonly DemoStep[];
}

export type DemoStep =
  | { readonly type: "say"; readonly text: string; readonly paceMs?: number }
  | { readonly type: "think"; readonly thoughts: readonly string[] }
  /** A text goes to a tool that takes plain text, an object to a function. */
  | { readonly type: "call"; readonly tool: string; readonly input: string | object }
  /** The beginning of a message that is never completed, because the stream breaks. */
  | { readonly type: "stumble"; readonly lost: string; readonly cause: string }
  | { readonly type: "fail"; readonly message: string };

export function say(text: string): DemoStep {
  return { type: "say", text };
}
