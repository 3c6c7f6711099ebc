/** The Responses API: what is asked, and what its stream of events means. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ModelVerification } from "../../protocol/generated/types.ts";
import { failureOf } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import { type ResponseEnd, type Wire, type WireReader, withBearer } from "../http/wire.ts";
import { parseOutputItem } from "../items/output-item.ts";
import { isSealed } from "../items/sealed-thinking.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { parseJson, stringOf } from "../provider-input.ts";
import { parseUsage } from "./response-usage.ts";

export const responsesWire: Wire = {
  path: "responses",
  headers: {},
  login: withBearer,
  toBody,
  sendsToolsAsGiven: true,
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
      // Most of a stream is this one kind.
      if (message["type"] === "response.output_text.delta") {
        const delta = message["delta"];
        if (typeof delta === "string") events.push({ type: "textDelta", itemId: itemIdOf(message), delta });
        return null;
      }
      return readMessage(message, events);
    },
    finish: () => failureOf("disconnected", { detail: "stream closed before response.completed" }),
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

/** The kinds that say one thing each. A kind that is not here, or that lacks what it must have, is passed over. */
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
    return failureOf("disconnected", { detail: "failed to parse ResponseCompleted: missing field `id`" });
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

/** The model that answers, where the headers were passed on inside the stream. */
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
