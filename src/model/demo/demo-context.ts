/** The demo model's view of a request, and the steps of its scripts. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { FunctionCallOutputBody, ResponseItem } from "../../protocol/generated/types.ts";
import type { ModelRequest } from "../model.ts";

/** The parsed request for a script. */
export interface DemoContext {
  /** A hash of the conversation. */
  readonly id: string;
  /** The user's last message: its first word in lower case, the rest, and the whole text. */
  readonly word: string;
  readonly rest: string;
  readonly prompt: string;
  /** Tool outputs since that message. */
  readonly results: readonly string[];
  /** The JSON schema of the response. */
  readonly schema: unknown;
  offers(tool: string): boolean;
  /** Null, or why a call of this tool cannot succeed in this thread. */
  obstacleTo(tool: string): string | null;
}

export function toDemoContext({ input, tools, text }: ModelRequest): DemoContext {
  const at = input.findLastIndex((item) => item.type === "message" && item.role === "user");
  const prompt = promptOf(input[at]);
  const [, word = "", rest = ""] = /^(?:please\s+)?(\S+)\s*([^]*)$/i.exec(prompt) ?? [];
  const offered = new Map((tools ?? []).flatMap((tool) => (isObject(tool) ? [[tool["name"], tool]] : [])));
  const instructions = instructionsIn(input);
  return {
    id: fingerprint(JSON.stringify(input)),
    word: word.toLowerCase().replace(/\W+$/, ""),
    rest: rest.trim(),
    prompt,
    results: input.slice(at + 1).flatMap(resultOf),
    schema: text?.format?.schema,
    offers: (tool) => offered.has(tool),
    obstacleTo: (tool) => obstacleOf(offered.get(tool), instructions),
  };
}

function obstacleOf(tool: JsonObject | undefined, instructions: string): string | null {
  if (tool === undefined) return "the tool is not offered";
  const { name, description } = tool;
  const isReadOnly = instructions.includes("mode `read-only`") && instructions.includes("policy is `never`");
  if (name === "apply_patch" && isReadOnly)
    return "the sandbox is read-only and the approval policy never asks";
  const isPlan = instructions.includes("<collaboration_mode>");
  const isForPlan = /only available in Plan mode/u.test(String(description));
  return isForPlan && !isPlan ? "only in Plan mode" : null;
}

/** The latest environment instructions, as written by `engine/context/context-sections.ts`. */
function instructionsIn(input: readonly ResponseItem[]): string {
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

/** FNV-1a with two different seeds: sufficient to distinguish conversation states. */
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

/** A scripted response to messages with a certain first word. */
export interface DemoScript {
  /** The syntax for the help text. */
  readonly usage: string;
  readonly about: string;
  /** The tool that the script calls, if it always calls the same one. */
  readonly tool?: string;
  matches(context: DemoContext): boolean;
  play(context: DemoContext): readonly DemoStep[];
}

export type DemoStep =
  | { readonly type: "say"; readonly text: string; readonly paceMs?: number }
  | { readonly type: "think"; readonly thoughts: readonly string[] }
  /** A string is the input of a free-text tool, an object that of a function. */
  | { readonly type: "call"; readonly tool: string; readonly input: string | object }
  /** An incomplete message, followed by a stream disconnect. */
  | { readonly type: "stumble"; readonly lost: string; readonly cause: string }
  | { readonly type: "fail"; readonly message: string };

export function say(text: string): DemoStep {
  return { type: "say", text };
}
