/** The Messages API: the same conversation for Claude, and for whoever else speaks Anthropic's wire. */
import type { JsonObject } from "../../base/json-object.ts";
import type { Wire } from "../http/wire.ts";
import { createFunctionTools, type FunctionTools } from "../items/function-tools.ts";
import type { ModelRequest } from "../model.ts";
import { budgetFor, claudeModel, effortFor } from "./claude-model.ts";
import { createMessagesReader } from "./messages-reader.ts";
import { allowsThinking, type Conversation, type Message, toConversation } from "./to-conversation.ts";

export const messagesWire: Wire = {
  path: "messages",
  headers: { "anthropic-version": "2023-06-01" },
  login: (token) => ({ "x-api-key": token }),
  toBody,
  sendsToolsAsGiven: false,
  createReader: ({ tools }) => createMessagesReader(createFunctionTools(tools ?? [])),
};

function toBody(request: ModelRequest): JsonObject {
  const tools = createFunctionTools(request.tools ?? []);
  const conversation = toConversation(request.input, tools);
  const model = claudeModel(request.model);
  return {
    model: request.model,
    max_tokens: model.maxTokens,
    ...(conversation.system.length === 0 ? {} : { system: lastMarked(conversation.system) }),
    messages: marked(conversation.messages),
    ...(tools.functions.length === 0 ? {} : toolMembers(tools, request)),
    ...thinkingMembers(request, conversation),
    stream: true,
  };
}

function toolMembers(tools: FunctionTools, { parallelToolCalls }: ModelRequest): JsonObject {
  const specs = tools.functions.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  return {
    tools: lastMarked(specs),
    tool_choice: { type: "auto", ...(parallelToolCalls ? {} : { disable_parallel_tool_use: true }) },
  };
}

/** How hard the model is to think, and the form of its answer. Without a chosen effort it answers at once. */
function thinkingMembers({ model, reasoning, text }: ModelRequest, { messages }: Conversation): JsonObject {
  const known = claudeModel(model);
  const effort = reasoning?.effort ?? "none";
  const kind = effort !== "none" && allowsThinking(messages) ? known.thinking : "none";
  const output = {
    ...(kind === "adaptive" ? { effort: effortFor(effort) } : {}),
    ...(text?.format === undefined ? {} : { format: { type: "json_schema", schema: text.format.schema } }),
  };
  return {
    ...(kind === "budget"
      ? { thinking: { type: "enabled", budget_tokens: budgetFor(effort, known) } }
      : kind === "adaptive"
        ? { thinking: { type: "adaptive", display: "summarized" } }
        : {}),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
  };
}

const CACHED = { cache_control: { type: "ephemeral" } };
/** With those of the tools and of the instructions these are the four that the API allows. */
const MARKED_MESSAGES = 2;

/** What is marked is kept by the provider together with all that stands before it. */
function lastMarked(blocks: readonly object[]): readonly object[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...CACHED } : block));
}

/** The end of the conversation is found again by the next request, the end before it was kept by the last one. */
function marked(messages: readonly Message[]): readonly object[] {
  const users = messages.filter(({ role }) => role === "user").slice(-MARKED_MESSAGES);
  return messages.map((message) =>
    users.includes(message) ? { role: message.role, content: lastMarked(message.content) } : message,
  );
}
