/**
 * The history as the Messages API takes it: user and assistant in turn, beginning and ending with the user; every call
 * answered by the message behind it, results first; and instructions, apart from those at the beginning, as words to
 * the user's side. A history that was cut, injected or made by another provider keeps to none of these by itself.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { FunctionCallOutputBody, ResponseItem } from "../../protocol/generated/types.ts";
import { type FunctionTools, wrapText } from "../items/function-tools.ts";
import { unsealThinking } from "../items/sealed-thinking.ts";
import { parseJson } from "../provider-input.ts";
import {
  type AssistantBlock,
  type ResultBlock,
  type TextBlock,
  toBlocks,
  toTextBlocks,
  type UserBlock,
} from "./content-blocks.ts";

export type Message =
  | { readonly role: "user"; readonly content: UserBlock[] }
  | { readonly role: "assistant"; readonly content: AssistantBlock[] };

export interface Conversation {
  readonly system: readonly TextBlock[];
  readonly messages: readonly Message[];
}

const LEFT_OUT: TextBlock = { type: "text", text: "[what came before was left out]" };
const GO_ON: TextBlock = { type: "text", text: "[go on]" };

export function toConversation(input: readonly ResponseItem[], tools: FunctionTools): Conversation {
  const system: TextBlock[] = [];
  const results = createResults(input);
  const nameCall = createCallNames();
  const talk = createTalk();

  /** A call without a result, which the API would refuse, is left out. */
  function call(callId: string, name: string, args: unknown): void {
    const output = results.take(callId);
    if (output === undefined) return;
    const id = nameCall(callId);
    const result: ResultBlock = { type: "tool_result", tool_use_id: id, content: toResult(output) };
    talk.call({ type: "tool_use", id, name, input: args }, result);
  }

  function message({ role, content }: Extract<ResponseItem, { type: "message" }>): void {
    const blocks = content.flatMap(toBlocks);
    const texts = blocks.filter((block) => block.type === "text");
    if (role === "assistant") texts.forEach(talk.say);
    else if (role === "user") talk.tell(blocks);
    else if (talk.messages.length === 0) texts.forEach((block) => system.push(block));
    else talk.tell(texts.map(asInstruction));
  }

  for (const item of input) {
    switch (item.type) {
      case "message":
        message(item);
        break;
      case "agent_message":
        talk.tell(
          item.content.flatMap((part) => (part.type === "input_text" ? toTextBlocks(part.text) : [])),
        );
        break;
      case "reasoning": {
        const thinking = unsealThinking(item);
        if (thinking !== null) talk.say(thinking);
        break;
      }
      case "function_call":
        call(item.call_id, tools.nameOf(item), toInput(item.arguments));
        break;
      case "custom_tool_call":
        call(item.call_id, tools.nameOf(item), wrapText(item.input));
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        talk.answerCalls();
        break;
      default:
    }
  }
  talk.finish();
  return { system, messages: talk.messages };
}

/** Puts blocks into messages of the two sides in turn. */
function createTalk() {
  const messages: Message[] = [];
  /** Results of the calls of the last message. */
  let owed: ResultBlock[] = [];

  function say(block: AssistantBlock): void {
    if (messages.length === 0) hear(LEFT_OUT);
    const last = messages.at(-1);
    if (last?.role === "assistant") last.content.push(block);
    else messages.push({ role: "assistant", content: [block] });
  }

  function hear(block: UserBlock): void {
    const last = messages.at(-1);
    if (last?.role === "user") last.content.push(block);
    else messages.push({ role: "user", content: [block] });
  }

  function answerCalls(): void {
    const blocks = owed;
    owed = [];
    blocks.forEach(hear);
  }

  return {
    messages,
    say,
    answerCalls,
    call(block: AssistantBlock, result: ResultBlock): void {
      say(block);
      owed.push(result);
    },
    tell(blocks: readonly UserBlock[]): void {
      if (blocks.length > 0) answerCalls();
      blocks.forEach(hear);
    },
    finish(): void {
      answerCalls();
      if (messages.at(-1)?.role !== "user") hear(messages.length === 0 ? LEFT_OUT : GO_ON);
    },
  };
}

/** Whether a request may ask for thoughts: calls that are being worked on must have begun with one. */
export function allowsThinking(messages: readonly Message[]): boolean {
  let first: AssistantBlock | undefined;
  for (let at = messages.length - 1; messages[at]?.content[0]?.type === "tool_result"; at -= 2) {
    const asked = messages[at - 1];
    if (asked?.role === "assistant") first = asked.content[0];
  }
  return first === undefined || first.type === "thinking" || first.type === "redacted_thinking";
}

function asInstruction({ text }: TextBlock): TextBlock {
  return { type: "text", text: `<instructions>\n${text}\n</instructions>` };
}

/** Outputs by their calls, each taken once, in the order of the history. */
function createResults(input: readonly ResponseItem[]) {
  const waiting = new Map<string, FunctionCallOutputBody[]>();
  for (const item of input.toReversed()) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    const id = item.call_id ?? "";
    const known = waiting.get(id);
    if (known === undefined) waiting.set(id, [item.output]);
    else known.push(item.output);
  }
  return { take: (callId: string) => waiting.get(callId)?.pop() };
}

/** The API wants ids of its own alphabet, each of them once; other providers give others. */
function createCallNames(): (callId: string) => string {
  const used = new Set<string>();
  return (callId) => {
    const isFit = /^[\w-]{1,256}$/.test(callId) && !used.has(callId);
    let name = isFit ? callId : `call_${used.size}`;
    while (used.has(name)) name += "_";
    used.add(name);
    return name;
  };
}

/** The API takes nothing but an object; what a model made of a call may be anything. */
function toInput(args: string): JsonObject {
  const parsed = parseJson(args);
  return isObject(parsed) ? parsed : wrapText(args);
}

function toResult(output: FunctionCallOutputBody): ResultBlock["content"] {
  return typeof output === "string" ? output : output.flatMap(toBlocks);
}
