/** The Chat Completions wire format, for providers without the Responses API. */
import type { JsonObject } from "../../base/json-object.ts";
import type { ContentItem, FunctionCallOutputBody, ResponseItem } from "../../protocol/generated/types.ts";
import { type WireFormat, withBearer } from "../http/wire.ts";
import { createFunctionTools, type FunctionTools, wrapText } from "../items/function-tools.ts";
import type { ModelRequest, TextRequest } from "../model.ts";
import { createChatReader } from "./chat-reader.ts";

export const chatWire: WireFormat = {
  path: "chat/completions",
  headers: {},
  authHeaders: withBearer,
  toBody,
  passesThrough: null,
  createReader: ({ tools }) => createChatReader(createFunctionTools(tools ?? [])),
};

/** Only widely supported members: many servers reject a request with an unknown one. */
function toBody(request: ModelRequest): JsonObject {
  const tools = createFunctionTools(request.tools ?? []);
  const specs = tools.functions.map((each) => ({ type: "function", function: each }));
  return {
    model: request.model,
    messages: toChatMessages(request.input, tools),
    ...(specs.length === 0
      ? {}
      : { tools: specs, tool_choice: "auto", parallel_tool_calls: request.parallelToolCalls }),
    ...(request.reasoning?.effort === undefined ? {} : { reasoning_effort: request.reasoning.effort }),
    ...(request.serviceTier === null ? {} : { service_tier: request.serviceTier }),
    ...responseFormat(request.text),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function responseFormat(text: TextRequest | null): JsonObject {
  if (text?.format === undefined) return {};
  const { name, strict, schema } = text.format;
  return { response_format: { type: "json_schema", json_schema: { name, strict, schema } } };
}

type ChatMessage =
  | { role: "system" | "user"; content: string | ChatPart[] }
  | { role: "assistant"; content: string | null; tool_calls?: ChatCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

type ChatPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string; detail?: string } };

interface ChatCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** Drops provider-specific items, such as reasoning. */
function toChatMessages(input: readonly ResponseItem[], tools: FunctionTools): readonly JsonObject[] {
  const messages: ChatMessage[] = [];
  // Tool messages support text only, so images of a result follow in a user message.
  const images: ChatPart[] = [];

  function flushImages(): void {
    if (images.length > 0) messages.push({ role: "user", content: images.splice(0) });
  }

  function addResult(callId: string, output: FunctionCallOutputBody): void {
    const parts = typeof output === "string" ? [] : output.flatMap((part) => toPart(part) ?? []);
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    images.push(...parts.filter((part) => part.type === "image_url"));
    const content = typeof output === "string" ? output : texts.join("\n");
    messages.push({ role: "tool", tool_call_id: callId, content });
  }

  function addCall(call: ChatCall): void {
    const last = messages.at(-1);
    if (last?.role === "assistant") last.tool_calls = [...(last.tool_calls ?? []), call];
    else messages.push({ role: "assistant", content: null, tool_calls: [call] });
  }

  for (const item of input) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") flushImages();
    switch (item.type) {
      case "message":
        messages.push(toMessage(item.role, item.content));
        break;
      case "agent_message":
        messages.push(
          toMessage(
            "user",
            item.content.filter((part) => part.type === "input_text"),
          ),
        );
        break;
      case "function_call":
        addCall(toCall(item.call_id, tools.nameOf(item), item.arguments));
        break;
      case "custom_tool_call":
        addCall(toCall(item.call_id, tools.nameOf(item), JSON.stringify(wrapText(item.input))));
        break;
      case "function_call_output":
      case "custom_tool_call_output":
        addResult(item.call_id ?? "", item.output);
        break;
      default:
    }
  }
  flushImages();
  return messages;
}

function toCall(id: string, name: string, args: string): ChatCall {
  return { id, type: "function", function: { name, arguments: args } };
}

function toMessage(role: string, content: readonly ContentItem[]): ChatMessage {
  const parts = content.flatMap((part) => toPart(part) ?? []);
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (role === "assistant") return { role, content: text };
  // Not every server supports the `developer` role, which has replaced `system`.
  if (role !== "user") return { role: "system", content: text };
  return { role: "user", content: parts.every((part) => part.type === "text") ? text : parts };
}

type AnyPart = ContentItem | Exclude<FunctionCallOutputBody, string>[number];

function toPart(part: AnyPart): ChatPart | null {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part.text };
    case "input_image":
      if (!("image_url" in part)) return null;
      return {
        type: "image_url",
        image_url: { url: part.image_url, ...(part.detail ? { detail: part.detail } : {}) },
      };
    default:
      return null;
  }
}
