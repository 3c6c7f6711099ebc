/** The Responses API wire format. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ModelVerification, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { createModelFailure } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import { type ResponseEnd, type WireFormat, type WireReader, withBearer } from "../http/wire.ts";
import { parseOutputItem } from "../items/output-item.ts";
import { isSealed } from "../items/sealed-thinking.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { numberOf, parseJson, stringOf } from "../provider-input.ts";

export const responsesWire: WireFormat = {
  path: "responses",
  headers: {},
  authHeaders: withBearer,
  toBody,
  passesThrough: (item) => !isSealed(item),
  createReader,
};

function toBody(request: ModelRequest): JsonObject {
  return {
    model: request.model,
    stream: true,
    ...(request.serviceTier === null ? {} : { service_tier: request.serviceTier }),
    input: request.input.some(isSealed) ? request.input.filter((item) => !isSealed(item)) : request.input,
    tools: request.tools,
    tool_choice: "auto",
    parallel_tool_calls: request.parallelToolCalls,
    ...(request.reasoning === null ? {} : { reasoning: request.reasoning }),
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: request.promptCacheKey,
    ...(request.text === null ? {} : { text: request.text }),
    client_metadata: request.clientMetadata,
  };
}

function createReader(): WireReader {
  return {
    read(data, events) {
      const message = parseJson(data);
      if (!isObject(message)) return null;
      // The fast path: most messages of a stream are text deltas.
      if (message["type"] === "response.output_text.delta") {
        const delta = message["delta"];
        if (typeof delta === "string") events.push({ type: "textDelta", itemId: itemIdOf(message), delta });
        return null;
      }
      return readMessage(message, events);
    },
    finish: () => createModelFailure("disconnected", { detail: "stream closed before response.completed" }),
  };
}

function readMessage(message: JsonObject, events: ModelEvent[]): ResponseEnd | null {
  switch (message["type"]) {
    case "response.created": {
      const { response } = message;
      if (!isObject(response)) return null;
      const model = modelNamedIn(response["headers"]);
      if (model !== null) events.push({ type: "serverModel", model });
      events.push({ type: "created" });
      return null;
    }
    case "response.completed":
      return readCompleted(message["response"], events);
    case "response.failed":
      return failureInStream(isObject(message["response"]) ? message["response"]["error"] : undefined);
    case "response.incomplete":
      return failureOfIncomplete(reasonOf(message["response"]));
    default: {
      const read = EVENTS.get(message["type"]);
      const event = read === undefined ? null : read(message);
      if (event !== null) events.push(event);
      return null;
    }
  }
}

/** Message types with one event each. Unknown types and messages without required members are skipped. */
const EVENTS: ReadonlyMap<unknown, (message: JsonObject) => ModelEvent | null> = new Map(
  Object.entries({
    "response.output_item.added"(message) {
      const item = parseOutputItem(message["item"]);
      return item === null ? null : { type: "itemAdded", item };
    },
    "response.output_item.done"(message) {
      const item = parseOutputItem(message["item"]);
      return item === null ? null : { type: "itemDone", item };
    },
    "response.reasoning_summary_part.added"(message) {
      const index = message["summary_index"];
      if (typeof index !== "number") return null;
      return { type: "reasoningSummaryPartAdded", itemId: itemIdOf(message), index };
    },
    "response.reasoning_summary_text.delta"(message) {
      const { delta, summary_index: index } = message;
      if (typeof delta !== "string" || typeof index !== "number") return null;
      return { type: "reasoningSummaryDelta", itemId: itemIdOf(message), delta, index };
    },
    "response.reasoning_text.delta"(message) {
      const { delta, content_index: index } = message;
      if (typeof delta !== "string" || typeof index !== "number") return null;
      return { type: "reasoningTextDelta", itemId: itemIdOf(message), delta, index };
    },
    "response.metadata"(message) {
      const { metadata } = message;
      if (!isObject(metadata)) return null;
      const verifications = verificationsOf(metadata["openai_verification_recommendation"]);
      if (verifications.length > 0) return { type: "verification", verifications };
      const moderation = metadata["openai_chatgpt_moderation_metadata"];
      return moderation === undefined ? null : { type: "moderation", metadata: moderation };
    },
  } satisfies Record<string, (message: JsonObject) => ModelEvent | null>),
);

function readCompleted(response: unknown, events: ModelEvent[]): ResponseEnd | null {
  if (!isObject(response)) return null;
  const responseId = stringOf(response["id"]);
  if (responseId === null) {
    return createModelFailure("disconnected", {
      detail: "failed to parse ResponseCompleted: missing field `id`",
    });
  }
  const { end_turn: endTurn, usage: rawUsage } = response;
  events.push({
    type: "completed",
    responseId,
    usage: parseUsage(rawUsage),
    ...(isObject(rawUsage) ? { rawUsage } : {}),
    endTurn: typeof endTurn === "boolean" ? endTurn : null,
  });
  return "completed";
}

/** The responding model, if the headers are forwarded inside the stream. */
function modelNamedIn(headers: unknown): string | null {
  if (!isObject(headers)) return null;
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === "openai-model");
  return named === undefined ? null : stringOf(named[1]);
}

function reasonOf(response: unknown): string {
  const details = isObject(response) ? response["incomplete_details"] : undefined;
  return (isObject(details) ? stringOf(details["reason"]) : null) ?? "unknown";
}

const VERIFICATIONS: ReadonlyMap<unknown, ModelVerification> = new Map([
  ["trusted_access_for_cyber", "trustedAccessForCyber"],
]);

function verificationsOf(value: unknown): ModelVerification[] {
  if (!Array.isArray(value)) return [];
  const known = value.flatMap((each) => VERIFICATIONS.get(each) ?? []);
  return [...new Set(known)];
}

function itemIdOf(message: JsonObject): string | null {
  return stringOf(message["item_id"]);
}

/** Providers differ in which counts they send; a missing one is 0. */
function parseUsage(value: unknown): TokenUsageBreakdown | null {
  if (!isObject(value)) return null;
  const input = isObject(value["input_tokens_details"]) ? value["input_tokens_details"] : {};
  const output = isObject(value["output_tokens_details"]) ? value["output_tokens_details"] : {};
  const inputTokens = numberOf(value["input_tokens"]);
  const outputTokens = numberOf(value["output_tokens"]);
  return {
    totalTokens: numberOf(value["total_tokens"]) || inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens: numberOf(input["cached_tokens"]),
    cacheWriteInputTokens: numberOf(input["cache_write_tokens"]),
    outputTokens,
    reasoningOutputTokens: numberOf(output["reasoning_tokens"]),
  };
}
