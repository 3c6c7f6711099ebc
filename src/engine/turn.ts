import type { Clock } from "../base/clock.ts";
import type { Model } from "../model/model.ts";
import type { ResponseItem, ThreadItem, TurnError } from "../protocol/generated/types.ts";
import type { Emit } from "./events.ts";
import { toModelRequest } from "./model-request.ts";
import { createResponseReader } from "./response-reader.ts";
import type { ThreadSettings } from "./settings.ts";
import type { UsageCounter } from "./usage.ts";

export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

export interface TurnOptions {
  readonly id: string;
  readonly turnId: string;
  readonly settings: ThreadSettings;
  readonly model: Model;
  readonly modelContextWindow: number | null;
  readonly history: ResponseItem[];
  readonly usage: UsageCounter;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
}

/**
 * Asks the model until it asks for nothing more. Nothing is awaited between the arrival of a delta
 * and its notification.
 */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { id: threadId, turnId, emit, clock, createId, signal } = options;
  const newReader = () => createResponseReader({ threadId, turnId, emit, now: () => clock.now(), createId });
  let reader = newReader();
  const request = toModelRequest(options.settings, options.history, { threadId, turnId });
  for await (const events of options.model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      if (event.type === "failed") return { kind: "failed", error: event.error };
      if (event.type === "retrying") {
        emit("error", { error: event.error, willRetry: true, threadId, turnId });
        reader = newReader();
      } else if (event.type === "completed") {
        options.history.push(...reader.items);
        if (event.usage !== null) options.usage.add(event.usage);
        emit("thread/tokenUsage/updated", {
          threadId,
          turnId,
          tokenUsage: options.usage.read(options.modelContextWindow),
        });
        return { kind: "completed", lastMessage: reader.lastMessage };
      } else reader.read(event);
    }
  }
  return { kind: "interrupted" };
}
