/** The Messages API wire format, for Claude and compatible providers, with the limits of each Claude model. */
import type { JsonObject } from "../../base/json-object.ts";
import type { WireFormat } from "../http/wire.ts";
import { createFunctionTools, type FunctionTools } from "../items/function-tools.ts";
import type { ModelRequest } from "../model.ts";
import { createMessagesReader } from "./messages-reader.ts";
import {
  allowsThinking,
  type ClaudeConversation,
  type ClaudeMessage,
  toConversation,
} from "./to-conversation.ts";

export const messagesWire: WireFormat = {
  path: "messages",
  headers: { "anthropic-version": "2023-06-01" },
  authHeaders: (token) => ({ "x-api-key": token }),
  toBody,
  passesThrough: null,
  createReader: ({ tools }) => createMessagesReader(createFunctionTools(tools ?? [])),
};

function toBody(request: ModelRequest): JsonObject {
  const tools = createFunctionTools(request.tools ?? []);
  const conversation = toConversation(request.input, tools);
  const model = claudeModel(request.model);
  return {
    model: request.model,
    max_tokens: model.maxTokens,
    ...(conversation.system.length === 0 ? {} : { system: cacheLast(conversation.system) }),
    messages: withCachePoints(conversation.messages),
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
    tools: cacheLast(specs),
    tool_choice: { type: "auto", ...(parallelToolCalls ? {} : { disable_parallel_tool_use: true }) },
  };
}

/** Thinking and output format. Without a chosen effort, thinking is off. */
function thinkingMembers(
  { model, reasoning, text }: ModelRequest,
  { messages }: ClaudeConversation,
): JsonObject {
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

const CACHE_POINT = { cache_control: { type: "ephemeral" } };
/** Together with tools and instructions these are the four cache points that the API allows. */
const CACHED_MESSAGES = 2;

/** The provider caches everything up to and including a marked block. */
function cacheLast(blocks: readonly object[]): readonly object[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...CACHE_POINT } : block));
}

/** Marks the last two user messages: the last is cached for the next request, the one before was cached by the last one. */
function withCachePoints(messages: readonly ClaudeMessage[]): readonly object[] {
  const users = messages.filter(({ role }) => role === "user").slice(-CACHED_MESSAGES);
  return messages.map((message) =>
    users.includes(message) ? { role: message.role, content: cacheLast(message.content) } : message,
  );
}

interface ClaudeModel {
  /** Output tokens including thinking; a required request member. */
  readonly maxTokens: number;
  /** `budget`: a token budget; `adaptive`: the model decides based on an effort. */
  readonly thinking: "none" | "budget" | "adaptive";
}

/** Supported by every recent Claude model, and by compatible providers. */
const DEFAULT_MODEL: ClaudeModel = { maxTokens: 32_000, thinking: "budget" };

/** The first match applies; a name may have a vendor prefix and a date suffix. */
const CLAUDE_MODELS: readonly (readonly [name: RegExp, model: ClaudeModel])[] = [
  [/claude-(?:2|instant)/, { maxTokens: 4096, thinking: "none" }],
  [/claude-3[-.]5-/, { maxTokens: 8192, thinking: "none" }],
  [/claude-3-(?:opus|sonnet|haiku)/, { maxTokens: 4096, thinking: "none" }],
  [/claude-[a-z]+-(?:4[-.][6-9]|[5-9]|[1-9]\d)(?!\d)/, { maxTokens: 64_000, thinking: "adaptive" }],
];

const MAX_NAME_LENGTH = 200;

function claudeModel(name: string): ClaudeModel {
  const text = name.slice(0, MAX_NAME_LENGTH);
  return CLAUDE_MODELS.find(([pattern]) => pattern.test(text))?.[1] ?? DEFAULT_MODEL;
}

/** The thinking budget as a share of the output. Unknown efforts count as `high`. */
const BUDGET_SHARES: ReadonlyMap<string, number> = new Map([
  ["minimal", 1 / 16],
  ["low", 1 / 8],
  ["medium", 1 / 4],
  ["high", 1 / 2],
  ["xhigh", 3 / 4],
  ["max", 7 / 8],
  ["ultra", 7 / 8],
]);

function budgetFor(effort: string, { maxTokens }: ClaudeModel): number {
  return Math.max(1024, Math.floor(maxTokens * (BUDGET_SHARES.get(effort) ?? 1 / 2)));
}

/** Efforts mapped to those of the API. */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["max", "max"],
  ["ultra", "max"],
]);

function effortFor(effort: string): string {
  return EFFORTS.get(effort) ?? "high";
}
