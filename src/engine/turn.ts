import type { Clock } from "../base/clock.ts";
import type { Model } from "../model/model.ts";
import type { RateLimitSnapshot, ResponseItem, ThreadItem, TurnError } from "../protocol/generated/types.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Emit } from "./events.ts";
import { type RequestOrigin, toModelRequest } from "./model-request.ts";
import { type Sample, sample } from "./sample.ts";
import type { ThreadSettings } from "./settings.ts";
import { callsIn, runCalls, type ToolSet } from "./tool-calls.ts";
import type { UsageCounter } from "./usage.ts";

export type TurnOutcome =
  | { readonly kind: "completed"; readonly lastMessage: ThreadItem | null }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

export interface TurnOptions {
  /** Asked for anew before each request. */
  readonly origin: () => RequestOrigin;
  readonly ids: { readonly threadId: string; readonly turnId: string };
  readonly settings: ThreadSettings;
  readonly model: Model;
  readonly modelContextWindow: number | null;
  readonly history: ResponseItem[];
  readonly usage: UsageCounter;
  readonly toolSet: ToolSet;
  readonly toolContext: ToolContext;
  /** Ends the turn. */
  readonly signal: AbortSignal;
  /** Ends what the model is saying; asked for anew before each request. */
  readonly sampleSignal: () => AbortSignal;
  /** Takes what the user has said meanwhile into the history; false when there was nothing. */
  readonly hearPending: () => boolean;
  /** Called after each response and what it asked for. */
  readonly onResponse: () => void;
  readonly emit: Emit;
  readonly clock: Clock;
  readonly createId: () => string;
}

/** What is known of a provider that says nothing about limits. */
const NO_LIMITS: RateLimitSnapshot = {
  limitId: "codex",
  limitName: null,
  normalModelSlug: null,
  primary: null,
  secondary: null,
  credits: null,
  individualLimit: null,
  spendControlReached: null,
  planType: null,
  rateLimitReachedType: null,
};

/** Asks the model, does what it asks for, and asks again, until it asks for nothing more. */
export async function runTurn(options: TurnOptions): Promise<TurnOutcome> {
  const { settings, history, signal, toolSet, toolContext, hearPending } = options;
  const { emit, clock, createId } = options;
  const report = { ...options.ids, emit, now: () => clock.now(), createId };
  let lastMessage: ThreadItem | null = null;
  for (;;) {
    const request = toModelRequest(settings, history, options.origin(), toolSet.tools);
    const answer = await sample(options.model, request, options.sampleSignal(), report);
    if (signal.aborted) return { kind: "interrupted" };
    if (answer.kind === "failed") return answer;
    if (answer.kind === "cut") {
      if (hearPending()) continue;
      return { kind: "interrupted" };
    }
    history.push(...answer.items);
    lastMessage = answer.lastMessage ?? lastMessage;
    const calls = callsIn(answer.items);
    history.push(...(await runCalls(calls, toolSet, toolContext)));
    if (signal.aborted) return { kind: "interrupted" };
    reportUsage(options, answer);
    options.onResponse();
    const wantsMore = calls.length > 0 || answer.completed.endTurn === false;
    if (!hearPending() && !wantsMore) return { kind: "completed", lastMessage };
  }
}

function reportUsage(
  options: TurnOptions,
  { completed, rateLimits }: Extract<Sample, { kind: "answered" }>,
): void {
  const { ids, emit, modelContextWindow } = options;
  if (completed.usage !== null) options.usage.add(completed.usage);
  emit("thread/tokenUsage/updated", { ...ids, tokenUsage: options.usage.read(modelContextWindow) });
  for (const snapshot of rateLimits.length === 0 ? [NO_LIMITS] : rateLimits) {
    emit("account/rateLimits/updated", { rateLimits: snapshot });
  }
}
