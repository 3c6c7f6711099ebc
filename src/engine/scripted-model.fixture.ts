/** A model for engine tests that plays one script per request. */
import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";

/** Events, or a promise to wait for before the next ones. */
export type Script = readonly (ModelEvent | Promise<void>)[];

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
  /** Resolves when that many requests have arrived. */
  whenRequested(count: number): Promise<void>;
}

export function createScriptedModel(scripts: readonly Script[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const waiting: { count: number; deferred: Deferred<void> }[] = [];
  return {
    requests,
    whenRequested(count) {
      const deferred = createDeferred<void>();
      if (requests.length >= count) deferred.resolve();
      else waiting.push({ count, deferred });
      return deferred.promise;
    },
    async *stream(request, signal) {
      const script = scripts[requests.length] ?? [];
      // The history array keeps growing after the request, so the input is copied as it was sent.
      requests.push({ ...request, input: [...request.input] });
      for (const { count, deferred } of waiting) if (requests.length >= count) deferred.resolve();
      for (const step of script) {
        if (step instanceof Promise) await Promise.race([step, aborted(signal)]);
        if (signal.aborted) return;
        if (!(step instanceof Promise)) yield [step];
      }
    },
    close: () => {},
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export function message(id: string, text: string): ResponseItem {
  return { type: "message", role: "assistant", id, content: [{ type: "output_text", text }] };
}

export function messageEvents(id: string, text: string): ModelEvent[] {
  return [
    { type: "itemAdded", item: { type: "message", role: "assistant", id, content: [] } },
    { type: "textDelta", itemId: id, delta: text },
    { type: "itemDone", item: message(id, text) },
  ];
}

export function callEvent(callId: string, name: string, args: object): ModelEvent {
  return {
    type: "itemDone",
    item: { type: "function_call", call_id: callId, name, arguments: JSON.stringify(args) },
  };
}

export const completed: ModelEvent = {
  type: "completed",
  responseId: "r",
  usage: {
    totalTokens: 3,
    inputTokens: 2,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 1,
    reasoningOutputTokens: 0,
  },
  endTurn: null,
};
