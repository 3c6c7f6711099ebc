/** Chat Completions: the same conversation for providers that do not speak the Responses API. */
import type { JsonObject } from "../../base/json-object.ts";
import type { Wire } from "../http/wire.ts";
import type { ModelRequest, TextRequest } from "../model.ts";
import { createChatReader } from "./chat-reader.ts";
import { createChatTools } from "./chat-tools.ts";
import { toChatMessages } from "./to-chat-messages.ts";

export const chatWire: Wire = {
  path: "chat/completions",
  toBody,
  sendsToolsAsGiven: false,
  createReader: ({ tools }) => createChatReader(createChatTools(tools ?? [])),
};

/** Only members that the usual servers know: many of them refuse a request for one member too many. */
function toBody(request: ModelRequest): JsonObject {
  const tools = createChatTools(request.tools ?? []);
  return {
    model: request.model,
    messages: toChatMessages(request.input, tools),
    ...(tools.specs.length === 0
      ? {}
      : { tools: tools.specs, tool_choice: "auto", parallel_tool_calls: request.parallelToolCalls }),
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
