import type { Awaitable } from "../../base/awaitable.ts";
import type { ModelEvent, ModelRequest } from "../../model/model.ts";
import type { RateLimitSnapshot, ResponseItem, ThreadItem } from "../../protocol/generated/types.ts";
import { worldState } from "../../store/lines/thread-lines.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { newMessageId } from "../items/response-items.ts";
import { toSafeItem } from "../items/safe-item.ts";
import { type FailedTurn, type TurnOutcome, toFailedTurn } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import {
  COMPACT_PROMPT,
  compactedHistory,
  countTokens,
  isSummary,
  messageTextOf,
} from "./compacted-history.ts";
import { instrumentResponse, type OnModelEvent } from "./instrument-response.ts";
import { CONTEXT_KEY, readTime } from "./model-context.ts";
import { toModelRequest } from "./model-request.ts";
import { reportLimits, reportUsage } from "./provider-reports.ts";
import { dropOldest, isUserMessage, shrinkCompacted } from "./shorten-history.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

export type CompactionOutcome =
  | { readonly kind: "compacted" }
  | { readonly kind: "interrupted" }
  | FailedTurn;

/** Whether the last request has reached the model's auto-compact limit. */
export function isFull({ history }: ThreadCore, { info }: TurnSetup): boolean {
  return history.usage.lastTokens >= info().autoCompactTokenLimit;
}

/** Compacts the history if it has reached the auto-compact limit. A non-null outcome ends the turn. */
export function compactIfNeeded(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Awaitable<TurnOutcome | null> {
  return isFull(core, setup) ? compactNow(core, turn, setup) : null;
}

async function compactNow(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): Promise<TurnOutcome | null> {
  const outcome = await compact(core, turn, setup, "auto");
  return outcome.kind === "compacted" ? null : outcome;
}

/** Replaces the history with a summary written by the model. The history is unchanged until the summary is complete. */
export async function compact(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  trigger: "manual" | "auto",
): Promise<CompactionOutcome> {
  const { hooks, sessionStart } = core;
  if ((await hooks.run("PreCompact", { trigger }, { turn })).stop !== null) return { kind: "interrupted" };
  const outcome = await replaceHistory(core, turn, setup);
  if (outcome.kind !== "compacted") return outcome;
  sessionStart.set("compact");
  const { stop } = await hooks.run("PostCompact", { trigger }, { turn });
  return stop === null ? outcome : { kind: "interrupted" };
}

async function replaceHistory(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<CompactionOutcome> {
  const { id: threadId, history, emit, clock, createId } = core;
  const { usage, context } = history;
  const report = createItemReporter({ threadId, turnId: turn.id, emit, clock });
  const item: ThreadItem = { type: "contextCompaction", id: createId() };
  report.begin(item);
  const window = setup.info().usableContextWindow;
  const summarised = history.items.length;
  const answer = await askForSummary(core, turn, setup);
  if (answer.kind !== "answered") return answer;
  if (answer.usage !== null) usage.add(answer.usage);
  usage.belongsTo(turn.id);
  reportUsage(core, turn.id, window);
  reportLimits(core, answer.limits);
  const time = await readTime(core, turn, setup);
  if (time.kind === "unknown") return time.outcome;
  const { sections } = await setup.context(time.nowMs);
  context.reset();
  const replacement = [
    ...compactedHistory({
      userMessages: history.items.slice(0, summarised).filter(isUserMessage),
      context: context.update(sections),
      summary: answer.summary,
      messageId: newMessageId(createId),
      contextWindow: setup.info().contextWindow,
    }),
    // Items that arrived while the summary was written are not part of it.
    ...history.items.slice(summarised),
  ];
  history.replace(replacement, answer.summary);
  history.commits.append(worldState({ [CONTEXT_KEY]: sections }, { full: true }));
  usage.estimate(replacement.reduce((sum, each) => sum + countTokens(each), 0));
  reportUsage(core, turn.id, window);
  reportLimits(core, answer.limits);
  report.complete(item);
  return { kind: "compacted" };
}

/** Drops more of a history that overflows even when compacted; false when nothing more can be dropped. */
export function shrinkHistory({ history }: ThreadCore): boolean {
  const remaining = shrinkCompacted(history.items);
  if (remaining === null) return false;
  history.replace(remaining, messageTextOf(remaining.findLast(isSummary) ?? EMPTY_MESSAGE));
  history.usage.estimate(remaining.reduce((sum, item) => sum + countTokens(item), 0));
  return true;
}

const EMPTY_MESSAGE: ResponseItem = { type: "message", role: "user", content: [] };

type SummaryAnswer =
  | {
      readonly kind: "answered";
      readonly summary: string;
      readonly usage: Extract<ModelEvent, { type: "completed" }>["usage"];
      readonly limits: readonly RateLimitSnapshot[];
    }
  | { readonly kind: "interrupted" }
  | FailedTurn;

/** Where even the summary request overflows, the history is shortened until it fits or nothing remains to drop. */
async function askForSummary(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): Promise<SummaryAnswer> {
  const prompt: ResponseItem = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: setup.compactPrompt ?? COMPACT_PROMPT }],
  };
  let remaining: readonly ResponseItem[] = core.history.items.slice();
  for (;;) {
    const request: ModelRequest = {
      ...toModelRequest(core, [...remaining, prompt], core.origin(turn), {
        info: setup.info(),
        tools: [],
        kind: "compaction",
      }),
      parallelToolCalls: false,
    };
    const answer = await instrumentResponse(core, turn.id, (onModelEvent) =>
      collectSummary({ core, turn, onModelEvent }, setup, request),
    );
    const isOverflow = answer.kind === "failed" && answer.error.codexErrorInfo === "contextWindowExceeded";
    const shorter = isOverflow ? dropOldest(remaining, setup.info().contextWindow) : null;
    if (shorter === null) return answer;
    remaining = shorter;
  }
}

interface CollectOptions {
  readonly core: ThreadCore;
  readonly turn: ActiveTurn;
  readonly onModelEvent: OnModelEvent;
}

async function collectSummary(
  { core, turn, onModelEvent }: CollectOptions,
  { model, info }: TurnSetup,
  request: ModelRequest,
): Promise<SummaryAnswer> {
  const { id: threadId, emit, history } = core;
  const { signal } = turn.abort;
  let summary = "";
  let limits: readonly RateLimitSnapshot[] = [];
  for await (const events of model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      onModelEvent(event);
      if (event.type === "failed") return toFailedTurn(event);
      if (event.type === "retrying") {
        emit("error", { error: event.error, willRetry: true, threadId, turnId: turn.id });
        summary = "";
      }
      if (event.type === "accepted") {
        limits = event.rateLimits;
        if (history.usage.isKnown) reportUsage(core, turn.id, info().usableContextWindow);
        reportLimits(core, limits);
      }
      if (event.type === "itemDone") {
        const item = toSafeItem(event.item);
        history.raw.items(turn.id, history.prepare([item]));
        summary = assistantTextOf(item) ?? summary;
      }
      if (event.type === "completed") {
        history.raw.answered(turn.id, event);
        return { kind: "answered", summary, usage: event.usage, limits };
      }
    }
  }
  return { kind: "interrupted" };
}

function assistantTextOf(item: ResponseItem): string | null {
  if (item.type !== "message" || item.role !== "assistant") return null;
  return item.content.flatMap((part) => (part.type === "output_text" ? [part.text] : [])).join("");
}
