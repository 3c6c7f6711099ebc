/** Converts the chunks of a chat completion to response items. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ResponseItem, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { createModelFailure } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import type { ResponseEnd, WireReader } from "../http/wire.ts";
import type { FunctionTools } from "../items/function-tools.ts";
import { toMessageItem } from "../items/text-item.ts";
import type { ModelEvent } from "../model.ts";
import { numberOf, parseJson, stringOf } from "../provider-input.ts";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

interface OpenText {
  readonly kind: "message" | "reasoning";
  text: string;
}

/** Finish reasons of incomplete responses, mapped to those of the Responses API. */
const INCOMPLETE_REASONS: ReadonlyMap<string, string> = new Map([
  ["length", "max_output_tokens"],
  ["content_filter", "content_filter"],
]);

function createOpenCalls() {
  const all: OpenCall[] = [];
  /** The last call of each index: some servers use the same index for several calls. */
  const current = new Map<number, OpenCall>();

  return {
    all,
    add(part: unknown, position: number, responseId: string | null): void {
      if (!isObject(part)) return;
      const index = typeof part["index"] === "number" ? part["index"] : position;
      const named = isObject(part["function"]) ? part["function"] : {};
      const id = stringOf(part["id"]) || null;
      const name = stringOf(named["name"]) ?? "";
      let call = current.get(index);
      if (call === undefined || startsNewCall(call, id, name)) {
        call = { id: `call_${responseId}_${all.length}`, name: "", arguments: "" };
        all.push(call);
        current.set(index, call);
      }
      call.id = id ?? call.id;
      call.name ||= name;
      call.arguments += stringOf(named["arguments"]) ?? "";
    },
  };
}

/** The text of all parts of a type, for servers that send an array of parts instead of a string. */
function partsText(content: unknown, kind: "text" | "thinking"): string {
  if (!Array.isArray(content)) return "";
  const parts = content.filter((part) => isObject(part) && part["type"] === kind) as JsonObject[];
  return parts.map((part) => stringOf(part[kind]) ?? partsText(part[kind], "text")).join("");
}

/** A new id with a name starts a new call; a new id alone does not, because some servers generate one per chunk. */
function startsNewCall(call: OpenCall, id: string | null, name: string): boolean {
  return call.name !== "" && name !== "" && id !== null && id !== call.id;
}

/**
 * Chat chunks have no items: text and reasoning open an item when they begin and close it when the other begins. Calls
 * are emitted at the end of the response, because only then are their arguments complete.
 */
export function createChatReader(tools: FunctionTools): WireReader {
  const calls = createOpenCalls();
  let responseId: string | null = null;
  let open: OpenText | null = null;
  let finishReason: string | null = null;
  let rawUsage: JsonObject | null = null;

  function closeText(events: ModelEvent[]): void {
    if (open !== null) events.push({ type: "itemDone", item: toTextItem(open) });
    open = null;
  }

  function addText(kind: OpenText["kind"], delta: string, events: ModelEvent[]): void {
    if (open?.kind !== kind) {
      closeText(events);
      open = { kind, text: "" };
      events.push({ type: "itemAdded", item: toTextItem(open) });
    }
    open.text += delta;
    if (kind === "message") events.push({ type: "textDelta", itemId: null, delta });
    else events.push({ type: "reasoningTextDelta", itemId: null, delta, index: 0 });
  }

  function readDelta(delta: JsonObject, events: ModelEvent[]): void {
    const { content } = delta;
    const reasoning =
      stringOf(delta["reasoning_content"]) || stringOf(delta["reasoning"]) || partsText(content, "thinking");
    if (reasoning) addText("reasoning", reasoning, events);
    const text = stringOf(content) || stringOf(delta["refusal"]) || partsText(content, "text");
    if (text) addText("message", text, events);
    const parts = delta["tool_calls"];
    if (Array.isArray(parts)) parts.forEach((part, position) => calls.add(part, position, responseId));
  }

  function complete(events: ModelEvent[]): ResponseEnd {
    const incomplete = INCOMPLETE_REASONS.get(finishReason ?? "");
    if (incomplete !== undefined) return failureOfIncomplete(incomplete);
    closeText(events);
    for (const call of calls.all) {
      if (call.name !== "") events.push({ type: "itemDone", item: tools.toCallItem(call) });
    }
    events.push({
      type: "completed",
      responseId: responseId ?? "",
      usage: toUsage(rawUsage),
      ...(rawUsage === null ? {} : { rawUsage }),
      endTurn: null,
    });
    return "completed";
  }

  function finish(events: ModelEvent[]): ResponseEnd {
    if (finishReason !== null) return complete(events);
    return createModelFailure("disconnected", { detail: "stream closed before response.completed" });
  }

  return {
    read(data, events) {
      if (data.trim() === "[DONE]") return finish(events);
      const chunk = parseJson(data);
      if (!isObject(chunk)) return null;
      // Some servers send the error as a string.
      const { error } = chunk;
      if (isObject(error)) return failureInStream(error);
      if (typeof error === "string") return failureInStream({ message: error });
      if (responseId === null) {
        responseId = stringOf(chunk["id"]) ?? "";
        events.push({ type: "created" });
      }
      if (isObject(chunk["usage"])) rawUsage = chunk["usage"];
      const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
      if (isObject(choice)) {
        if (isObject(choice["delta"])) readDelta(choice["delta"], events);
        finishReason = stringOf(choice["finish_reason"]) || finishReason;
      }
      // The usage is the last chunk; some servers leave the stream open after it.
      return finishReason !== null && rawUsage !== null ? complete(events) : null;
    },
    finish,
  };
}

function toTextItem({ kind, text }: OpenText): ResponseItem {
  if (kind === "reasoning") {
    return { type: "reasoning", summary: [], content: text === "" ? [] : [{ type: "reasoning_text", text }] };
  }
  return toMessageItem(text);
}

function toUsage(value: JsonObject | null): TokenUsageBreakdown | null {
  if (value === null) return null;
  const input = isObject(value["prompt_tokens_details"]) ? value["prompt_tokens_details"] : {};
  const output = isObject(value["completion_tokens_details"]) ? value["completion_tokens_details"] : {};
  const inputTokens = numberOf(value["prompt_tokens"]);
  const outputTokens = numberOf(value["completion_tokens"]);
  return {
    totalTokens: numberOf(value["total_tokens"]) || inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens: numberOf(input["cached_tokens"]),
    cacheWriteInputTokens: 0,
    outputTokens,
    reasoningOutputTokens: numberOf(output["reasoning_tokens"]),
  };
}
