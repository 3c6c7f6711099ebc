/**
 * A model without a provider: it selects a script by the first word of the last message, so that all features can be
 * tried without a network. It is deterministic: the same conversation always gets the same response.
 */
import { type Clock, wait } from "../../base/clock.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { createModelFailure } from "../failure/failure.ts";
import { retrying } from "../failure/retry-plan.ts";
import type { CompletedEvent, FailedEvent, Model, ModelEvent, ModelRequest } from "../model.ts";
import { type DemoStep, toDemoContext } from "./demo-context.ts";
import { findScript } from "./scripts.ts";

/** The delay between two text chunks, so that streaming is visible. */
const PACE_MS = 10;
const STUMBLE_MS = 200;

export function createDemoModel({ clock }: { readonly clock: Clock }): Model {
  async function* stream(request: ModelRequest, signal: AbortSignal) {
    const context = toDemoContext(request);
    const steps = findScript(context).play(context);
    let written = 0;
    if (signal.aborted) return;
    yield [{ type: "created" }] as ModelEvent[];
    for (const step of steps) {
      for (const { events, delayMs } of timedEventsOf(step, context.id)) {
        await wait(clock, delayMs, signal);
        if (signal.aborted) return;
        if (events.length > 0) yield events;
        if (events.some((event) => event.type === "failed")) return;
      }
      written += lengthOf(step);
    }
    yield [completed(context.id, JSON.stringify(request.input).length, written, thinkingLength(steps))];
  }

  return { stream, close() {} };
}

interface TimedEvents {
  readonly events: readonly ModelEvent[];
  readonly delayMs: number;
}

function timedEventsOf(step: DemoStep, id: string): TimedEvents[] {
  switch (step.type) {
    case "say":
      return sayEvents(step.text, step.paceMs ?? PACE_MS);
    case "think":
      return thinkEvents(step.thoughts);
    case "call":
      return [{ events: [{ type: "itemDone", item: callItem(step, id) }], delayMs: 0 }];
    case "stumble":
      return stumbleEvents(step);
    case "fail":
      return [{ events: [failed(step.message)], delayMs: 0 }];
  }
}

function failed(message: string): FailedEvent {
  return { type: "failed", error: createModelFailure("unusable", { detail: message }).error };
}

function stumbleEvents({ lost, cause }: Extract<DemoStep, { type: "stumble" }>): TimedEvents[] {
  const failure = createModelFailure("disconnected", { detail: cause });
  const event = retrying({
    failure,
    message: "Reconnecting... 1/5",
    attempt: 1,
    max: 5,
    delayMs: STUMBLE_MS,
  });
  return [
    // Without its end: a complete message would be kept, and the response requested once more.
    ...sayEvents(lost, PACE_MS).slice(0, -1),
    { events: [event], delayMs: 0 },
    { events: [], delayMs: STUMBLE_MS },
  ];
}

function sayEvents(text: string, delayMs: number): TimedEvents[] {
  const message = (content: string): ResponseItem => ({
    type: "message",
    role: "assistant",
    content: content === "" ? [] : [{ type: "output_text", text: content }],
  });
  return [
    { events: [{ type: "itemAdded", item: message("") }], delayMs: 0 },
    ...piecesOf(text).map((delta) => ({
      events: [{ type: "textDelta" as const, itemId: null, delta }],
      delayMs,
    })),
    { events: [{ type: "itemDone", item: message(text) }], delayMs: 0 },
  ];
}

function thinkEvents(thoughts: readonly string[]): TimedEvents[] {
  const item = (shown: readonly string[]): ResponseItem => ({
    type: "reasoning",
    summary: shown.map((text) => ({ type: "summary_text", text })),
  });
  const parts = thoughts.flatMap((thought, index) => [
    { events: [{ type: "reasoningSummaryPartAdded" as const, itemId: null, index }], delayMs: 0 },
    ...piecesOf(thought).map((delta) => ({
      events: [{ type: "reasoningSummaryDelta" as const, itemId: null, delta, index }],
      delayMs: PACE_MS,
    })),
  ]);
  return [
    { events: [{ type: "itemAdded", item: item([]) }], delayMs: 0 },
    ...parts,
    { events: [{ type: "itemDone", item: item(thoughts) }], delayMs: 0 },
  ];
}

function callItem(step: Extract<DemoStep, { type: "call" }>, id: string): ResponseItem {
  const call = { call_id: `call_${id}`, name: step.tool };
  return typeof step.input === "string"
    ? { type: "custom_tool_call", ...call, input: step.input }
    : { type: "function_call", ...call, arguments: JSON.stringify(step.input) };
}

/** Chunks of two words with trailing whitespace. */
function piecesOf(text: string): string[] {
  return text.match(/\S+\s*(?:\S+\s*)?/g) ?? [];
}

function lengthOf(step: DemoStep): number {
  if (step.type === "say") return step.text.length;
  if (step.type === "call") return JSON.stringify(step.input).length;
  return step.type === "think" ? step.thoughts.join("").length : 0;
}

function thinkingLength(steps: readonly DemoStep[]): number {
  return steps.reduce((sum, step) => sum + (step.type === "think" ? lengthOf(step) : 0), 0);
}

/** Four characters count as one token. */
function completed(id: string, read: number, written: number, thought: number): CompletedEvent {
  const inputTokens = Math.ceil(read / 4);
  const outputTokens = Math.ceil(written / 4);
  return {
    type: "completed",
    responseId: `resp_${id}`,
    usage: {
      totalTokens: inputTokens + outputTokens,
      inputTokens,
      cachedInputTokens: 0,
      cacheWriteInputTokens: 0,
      outputTokens,
      reasoningOutputTokens: Math.ceil(thought / 4),
    },
    endTurn: null,
  };
}
