/** Reads the chunks of a chat completion and tells them as the items of a response. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { ResponseItem, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { failureOf } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import type { AnswerEnd, WireReader } from "../http/wire.ts";
import { numberOf, parseJson, textOf } from "../json.ts";
import type { ModelEvent } from "../model.ts";
import { type ChatTools, unwrapText } from "./chat-tools.ts";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

interface OpenText {
  readonly kind: "message" | "reasoning";
  text: string;
}

/** Reasons to stop that mean the answer is not whole, in the words of the Responses API. */
const CUT_SHORT: ReadonlyMap<string, string> = new Map([
  ["length", "max_output_tokens"],
  ["content_filter", "content_filter"],
]);

/**
 * Chat chunks have no items: text and reasoning open one when they begin and end it when the other begins, and calls
 * are told when the answer is over, because only then are their arguments whole.
 */
export function createChatReader(tools: ChatTools): WireReader {
  const calls = new Map<number, OpenCall>();
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

  function addCall(part: unknown, position: number): void {
    if (!isObject(part)) return;
    const index = typeof part["index"] === "number" ? part["index"] : position;
    const call = calls.get(index) ?? { id: `call_${responseId}_${index}`, name: "", arguments: "" };
    calls.set(index, call);
    const named = isObject(part["function"]) ? part["function"] : {};
    call.id = textOf(part["id"]) || call.id;
    call.name ||= textOf(named["name"]) ?? "";
    call.arguments += textOf(named["arguments"]) ?? "";
  }

  function readDelta(delta: JsonObject, events: ModelEvent[]): void {
    const reasoning = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
    if (reasoning) addText("reasoning", reasoning, events);
    const text = textOf(delta["content"]) || textOf(delta["refusal"]);
    if (text) addText("message", text, events);
    const parts = delta["tool_calls"];
    if (Array.isArray(parts)) parts.forEach(addCall);
  }

  function complete(events: ModelEvent[]): AnswerEnd {
    const cut = CUT_SHORT.get(finishReason ?? "");
    if (cut !== undefined) return failureOfIncomplete(cut);
    closeText(events);
    for (const call of calls.values()) {
      if (call.name !== "") events.push({ type: "itemDone", item: toCallItem(call, tools) });
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

  function finish(events: ModelEvent[]): AnswerEnd {
    if (finishReason !== null) return complete(events);
    return failureOf("disconnected", { words: "stream closed before response.completed" });
  }

  return {
    read(data, events) {
      if (data.trim() === "[DONE]") return finish(events);
      const chunk = parseJson(data);
      if (!isObject(chunk)) return null;
      if (isObject(chunk["error"])) return failureInStream(chunk["error"]);
      if (responseId === null) {
        responseId = textOf(chunk["id"]) ?? "";
        events.push({ type: "created" });
      }
      if (isObject(chunk["usage"])) rawUsage = chunk["usage"];
      const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
      if (isObject(choice)) {
        if (isObject(choice["delta"])) readDelta(choice["delta"], events);
        finishReason = textOf(choice["finish_reason"]) ?? finishReason;
      }
      // The usage is the last thing that is told; some servers then leave the stream open.
      return finishReason !== null && rawUsage !== null ? complete(events) : null;
    },
    finish,
  };
}

function toTextItem({ kind, text }: OpenText): ResponseItem {
  if (kind === "reasoning") {
    return { type: "reasoning", summary: [], content: text === "" ? [] : [{ type: "reasoning_text", text }] };
  }
  return {
    type: "message",
    role: "assistant",
    content: text === "" ? [] : [{ type: "output_text", text }],
  };
}

function toCallItem(call: OpenCall, tools: ChatTools): ResponseItem {
  const { name, namespace, takesText } = tools.find(call.name);
  const from = namespace === null || namespace === undefined ? {} : { namespace };
  return takesText
    ? { type: "custom_tool_call", call_id: call.id, name, ...from, input: unwrapText(call.arguments) }
    : { type: "function_call", call_id: call.id, name, ...from, arguments: call.arguments || "{}" };
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
