/**
 * Converts the history to the constraints of the Messages API: roles alternate, starting and ending with the user; every
 * call has its result in the next message, before other content; and instructions, except for those at the beginning,
 * are user text. A history that was truncated, injected or created by another provider does not satisfy these by itself.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ContentItem, FunctionCallOutputBody, ResponseItem } from "../../protocol/generated/types.ts";
import { type FunctionTools, wrapText } from "../items/function-tools.ts";
import { type Thinking, unsealThinking } from "../items/sealed-thinking.ts";
import { parseJson } from "../provider-input.ts";

export type ClaudeMessage =
  | { readonly role: "user"; readonly content: UserBlock[] }
  | { readonly role: "assistant"; readonly content: AssistantBlock[] };

export interface ClaudeConversation {
  readonly system: readonly TextBlock[];
  readonly messages: readonly ClaudeMessage[];
}

const OMITTED_NOTE: TextBlock = { type: "text", text: "[earlier messages were omitted]" };
const CONTINUE_NOTE: TextBlock = { type: "text", text: "[continue]" };

export function toConversation(input: readonly ResponseItem[], tools: FunctionTools): ClaudeConversation {
  const system: TextBlock[] = [];
  const results = createResults(input);
  const toUniqueId = createIdMapper();
  const builder = createMessageBuilder();

  /** Drops a call without a result, which the API would reject. */
  function addCall(callId: string, name: string, args: unknown): void {
    const output = results.take(callId);
    if (output === undefined) return;
    const id = toUniqueId(callId);
    const result: ResultBlock = { type: "tool_result", tool_use_id: id, content: toResult(output) };
    builder.addCall({ type: "tool_use", id, name, input: args }, result);
  }

  function addMessage({ role, content }: Extract<ResponseItem, { type: "message" }>): void {
    const blocks = content.flatMap(toBlocks);
    const texts = blocks.filter((block) => block.type === "text");
    if (role === "assistant") texts.forEach(builder.addAssistant);
    else if (role === "user") builder.addUserBlocks(blocks);
    else if (builder.messages.length === 0) texts.forEach((block) => system.push(block));
    else builder.addUserBlocks(texts.map(asInstruction));
  }

  for (const item of input) {
    switch (item.type) {
      case "message":
        addMessage(item);
        break;
      case "agent_message":
        builder.addUserBlocks(
          item.content.flatMap((part) => (part.type === "input_text" ? toTextBlocks(part.text) : [])),
        );
        break;
      case "reasoning": {
        const thinking = unsealThinking(item);
        if (thinking !== null) builder.addAssistant(thinking);
        break;
      }
      case "function_call":
        addCall(item.call_id, tools.nameOf(item), toInput(item.arguments));
        break;
      case "custom_tool_call":
        addCall(item.call_id, tools.nameOf(item), wrapText(item.input));
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        builder.flushResults();
        break;
      default:
    }
  }
  builder.finish();
  return { system, messages: builder.messages };
}

/** Groups blocks into messages with alternating roles. */
function createMessageBuilder() {
  const messages: ClaudeMessage[] = [];
  /** Results for the calls of the last assistant message. */
  let pendingResults: ResultBlock[] = [];

  function addAssistant(block: AssistantBlock): void {
    if (messages.length === 0) addUser(OMITTED_NOTE);
    const last = messages.at(-1);
    if (last?.role === "assistant") last.content.push(block);
    else messages.push({ role: "assistant", content: [block] });
  }

  function addUser(block: UserBlock): void {
    const last = messages.at(-1);
    if (last?.role === "user") last.content.push(block);
    else messages.push({ role: "user", content: [block] });
  }

  function flushResults(): void {
    const blocks = pendingResults;
    pendingResults = [];
    blocks.forEach(addUser);
  }

  return {
    messages,
    addAssistant,
    flushResults,
    addCall(block: AssistantBlock, result: ResultBlock): void {
      addAssistant(block);
      pendingResults.push(result);
    },
    addUserBlocks(blocks: readonly UserBlock[]): void {
      if (blocks.length > 0) flushResults();
      blocks.forEach(addUser);
    },
    finish(): void {
      flushResults();
      if (messages.at(-1)?.role !== "user") addUser(messages.length === 0 ? OMITTED_NOTE : CONTINUE_NOTE);
    },
  };
}

/** Whether thinking may be enabled: the API requires that a pending tool call sequence started with thinking. */
export function allowsThinking(messages: readonly ClaudeMessage[]): boolean {
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

/** Outputs by call id, each taken once, in history order. */
function createResults(input: readonly ResponseItem[]) {
  const outputs = new Map<string, FunctionCallOutputBody[]>();
  for (const item of input.toReversed()) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    const id = item.call_id ?? "";
    const existing = outputs.get(id);
    if (existing === undefined) outputs.set(id, [item.output]);
    else existing.push(item.output);
  }
  return { take: (callId: string) => outputs.get(callId)?.pop() };
}

/** Maps call ids of other providers to unique ids in the API's alphabet. */
function createIdMapper(): (callId: string) => string {
  const used = new Set<string>();
  return (callId) => {
    const isValid = /^[\w-]{1,256}$/.test(callId) && !used.has(callId);
    let name = isValid ? callId : `call_${used.size}`;
    while (used.has(name)) name += "_";
    used.add(name);
    return name;
  };
}

/** The API requires an object; the arguments from a model may be anything. */
function toInput(args: string): JsonObject {
  const parsed = parseJson(args);
  return isObject(parsed) ? parsed : wrapText(args);
}

function toResult(output: FunctionCallOutputBody): ResultBlock["content"] {
  return typeof output === "string" ? output : output.flatMap(toBlocks);
}

interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

interface ImageBlock {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: string; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}

interface ResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly (TextBlock | ImageBlock)[];
}

type UserBlock = TextBlock | ImageBlock | ResultBlock;

type AssistantBlock =
  | TextBlock
  | Thinking
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** Supported media types; an image of another type would fail the whole request. */
const MEDIA_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);
const MAX_MEDIA_HEAD = 200;

type AnyPart = ContentItem | Exclude<FunctionCallOutputBody, string>[number];

/** Drops blank text, which the API rejects. */
function toTextBlocks(text: string): TextBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toBlocks(part: AnyPart): (TextBlock | ImageBlock)[] {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return toTextBlocks(part.text);
    case "input_image":
      return "image_url" in part ? [toImage(part.image_url)] : [];
    default:
      return [];
  }
}

function toImage(url: string): TextBlock | ImageBlock {
  if (/^https?:/i.test(url)) return { type: "image", source: { type: "url", url } };
  const comma = url.slice(0, MAX_MEDIA_HEAD).indexOf(",");
  const [mediaType = "", ...options] = url.slice(0, Math.max(comma, 0)).toLowerCase().split(";");
  const type = mediaType.replace(/^data:/, "");
  if (!options.includes("base64") || !MEDIA_TYPES.has(type)) {
    return { type: "text", text: "[an image was omitted: it is not a JPEG, PNG, GIF or WebP]" };
  }
  return { type: "image", source: { type: "base64", media_type: type, data: url.slice(comma + 1) } };
}
