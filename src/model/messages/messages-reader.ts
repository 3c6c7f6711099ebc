/** Converts the events of a Messages API stream to response items. */
import { isObject } from "../../base/json-object.ts";
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { createModelFailure, type ModelFailure } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import type { ResponseEnd, WireReader } from "../http/wire.ts";
import type { FunctionTools } from "../items/function-tools.ts";
import type { ModelEvent } from "../model.ts";
import { numberOf, parseJson, stringOf } from "../provider-input.ts";
import { createOpenBlocks } from "./open-blocks.ts";

/** Stop reasons of incomplete responses. */
const INCOMPLETE_REASONS: ReadonlyMap<string, () => ModelFailure> = new Map([
  ["max_tokens", () => failureOfIncomplete("max_output_tokens")],
  ["model_context_window_exceeded", () => createModelFailure("contextWindow")],
  ["refusal", () => createModelFailure("refused")],
]);

export function createMessagesReader(tools: FunctionTools): WireReader {
  const blocks = createOpenBlocks(tools);
  let responseId: string | null = null;
  let stopReason: string | null = null;
  let usage: Usage | null = null;

  function complete(events: ModelEvent[]): ResponseEnd {
    const incomplete = INCOMPLETE_REASONS.get(stopReason ?? "");
    if (incomplete !== undefined) return incomplete();
    blocks.endAll(events);
    events.push({
      type: "completed",
      responseId: responseId ?? "",
      usage: toUsage(usage),
      ...(usage === null ? {} : { rawUsage: usage }),
      // The provider has paused a long response and continues when it is sent back.
      endTurn: stopReason === "pause_turn" ? false : null,
    });
    return "completed";
  }

  function finish(events: ModelEvent[]): ResponseEnd {
    if (stopReason !== null) return complete(events);
    return createModelFailure("disconnected", { detail: "stream closed before message_stop" });
  }

  return {
    read(data, events) {
      const event = parseJson(data);
      if (!isObject(event)) return null;
      const { index, delta } = event;
      switch (event["type"]) {
        case "content_block_delta":
          blocks.applyDelta(index, delta, events);
          return null;
        case "content_block_start":
          return blocks.begin(index, event["content_block"], events);
        case "content_block_stop":
          blocks.end(index, events);
          return null;
        case "message_start": {
          const message = isObject(event["message"]) ? event["message"] : {};
          if (responseId === null) events.push({ type: "created" });
          responseId ??= stringOf(message["id"]) ?? "";
          usage = mergeUsage(usage, message["usage"]);
          return null;
        }
        case "message_delta":
          if (isObject(delta)) stopReason = stringOf(delta["stop_reason"]) ?? stopReason;
          usage = mergeUsage(usage, event["usage"]);
          return null;
        case "message_stop":
          return finish(events);
        case "error":
          return failureInStream(event["error"]);
        default:
          return null;
      }
    },
    finish,
  };
}

type Usage = Readonly<Record<string, number>>;

const COUNTS = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
] as const;

/** Later counts replace earlier ones, because events repeat cumulative counts. */
function mergeUsage(known: Usage | null, more: unknown): Usage | null {
  if (!isObject(more)) return known;
  const counts: Record<string, number> = { ...known };
  for (const name of COUNTS) if (typeof more[name] === "number") counts[name] = more[name];
  return counts;
}

/** The API counts cache reads and writes separately; they are part of the input tokens here. */
function toUsage(value: Usage | null): TokenUsageBreakdown | null {
  if (value === null) return null;
  const cachedInputTokens = numberOf(value["cache_read_input_tokens"]);
  const cacheWriteInputTokens = numberOf(value["cache_creation_input_tokens"]);
  const inputTokens = numberOf(value["input_tokens"]) + cachedInputTokens + cacheWriteInputTokens;
  const outputTokens = numberOf(value["output_tokens"]);
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    outputTokens,
    reasoningOutputTokens: 0,
  };
}
