/** Reads the events of a message and tells its blocks as the items of a response. */
import { isObject } from "../../base/json-object.ts";
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import { type Failure, failureOf } from "../failure/failure.ts";
import { failureInStream, failureOfIncomplete } from "../failure/provider-error.ts";
import type { ResponseEnd, WireReader } from "../http/wire.ts";
import type { FunctionTools } from "../items/function-tools.ts";
import type { ModelEvent } from "../model.ts";
import { numberOf, parseJson, stringOf } from "../provider-input.ts";
import { createOpenBlocks } from "./open-blocks.ts";

/** Reasons to stop that mean the answer is not whole. */
const CUT_SHORT: ReadonlyMap<string, () => Failure> = new Map([
  ["max_tokens", () => failureOfIncomplete("max_output_tokens")],
  ["model_context_window_exceeded", () => failureOf("contextWindow")],
  ["refusal", () => failureOf("refused")],
]);

export function createMessagesReader(tools: FunctionTools): WireReader {
  const blocks = createOpenBlocks(tools);
  let responseId: string | null = null;
  let stopReason: string | null = null;
  let usage: Usage | null = null;

  function complete(events: ModelEvent[]): ResponseEnd {
    const cut = CUT_SHORT.get(stopReason ?? "");
    if (cut !== undefined) return cut();
    blocks.endAll(events);
    events.push({
      type: "completed",
      responseId: responseId ?? "",
      usage: toUsage(usage),
      ...(usage === null ? {} : { rawUsage: usage }),
      // The provider has paused a long answer, and goes on when it is sent back.
      endTurn: stopReason === "pause_turn" ? false : null,
    });
    return "completed";
  }

  function finish(events: ModelEvent[]): ResponseEnd {
    if (stopReason !== null) return complete(events);
    return failureOf("disconnected", { detail: "stream closed before message_stop" });
  }

  return {
    read(data, events) {
      const event = parseJson(data);
      if (!isObject(event)) return null;
      const { index, delta } = event;
      switch (event["type"]) {
        case "content_block_delta":
          blocks.change(index, delta, events);
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
          usage = counted(usage, message["usage"]);
          return null;
        }
        case "message_delta":
          if (isObject(delta)) stopReason = stringOf(delta["stop_reason"]) ?? stopReason;
          usage = counted(usage, event["usage"]);
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

/** Later counts replace earlier ones; each event repeats those that it knows. */
function counted(known: Usage | null, more: unknown): Usage | null {
  if (!isObject(more)) return known;
  const counts: Record<string, number> = { ...known };
  for (const name of COUNTS) if (typeof more[name] === "number") counts[name] = more[name];
  return counts;
}

/** What was read from the cache and written to it is part of the input; the API counts them apart. */
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
