import type { ModelEvent, ModelRequest } from "../../model/model.ts";
import type {
  RateLimitSnapshot,
  ResponseItem,
  ThreadItem,
  TurnError,
} from "../../protocol/generated/types.ts";
import { worldState } from "../../store/lines/thread-lines.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { newMessageId } from "../items/response-items.ts";
import { toSafeItem } from "../items/safe-item.ts";
import type { TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { COMPACT_PROMPT, compactedHistory, countTokens, isSummary, textOf } from "./compacted-history.ts";
import { instrumentResponse, type OnModelEvent } from "./instrument-response.ts";
import { CONTEXT_KEY, readTime } from "./model-context.ts";
import { toModelRequest } from "./model-request.ts";
import { reportLimits, reportUsage } from "./provider-reports.ts";
import { isUserMessage, shorten, shrink } from "./shorten-history.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

export type CompactionOutcome =
  | { readonly kind: "compacted" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

/** Whether the history has become too long for another request. */
export function isFull({ history }: ThreadCore, { info }: TurnSetup): boolean {
  return history.usage.lastTokens >= info.autoCompactTokenLimit;
}

/** Compacts the history where it has become too long. Anything but null ends the turn. */
export async function compactIfNeeded(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<TurnOutcome | null> {
  if (!isFull(core, setup)) return null;
  const outcome = await compact(core, turn, setup, "auto");
  return outcome.kind === "compacted" ? null : outcome;
}

/** Replaces the history by a summary that the model itself writes. Until it is whole, nothing changes. */
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
  const window = setup.info.usableContextWindow;
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
      contextWindow: setup.info.contextWindow,
    }),
    // The summary does not know what came while it was written.
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

/** Leaves out more of a history that is too long as it was compacted; false when nothing more can be. */
export function leaveOut({ history }: ThreadCore): boolean {
  const left = shrink(history.items);
  if (left === null) return false;
  history.replace(left, textOf(left.findLast(isSummary) ?? NOTHING));
  history.usage.estimate(left.reduce((sum, item) => sum + countTokens(item), 0));
  return true;
}

const NOTHING: ResponseItem = { type: "message", role: "user", content: [] };

type SummaryAnswer =
  | {
      readonly kind: "answered";
      readonly summary: string;
      readonly usage: Extract<ModelEvent, { type: "completed" }>["usage"];
      readonly limits: readonly RateLimitSnapshot[];
    }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

/** Where even the request for a summary is too long, it is made shorter until it fits or nothing is left to leave out. */
async function askForSummary(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): Promise<SummaryAnswer> {
  const prompt: ResponseItem = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: setup.compactPrompt ?? COMPACT_PROMPT }],
  };
  let left: readonly ResponseItem[] = core.history.items.slice();
  for (;;) {
    const request: ModelRequest = {
      ...toModelRequest(core.settings, [...left, prompt], core.origin(turn), {
        info: setup.info,
        tools: [],
        kind: "compaction",
      }),
      parallelToolCalls: false,
    };
    const answer = await instrumentResponse(core, turn.id, (onModelEvent) =>
      collect({ core, turn, onModelEvent }, setup, request),
    );
    const isTooLong = answer.kind === "failed" && answer.error.codexErrorInfo === "contextWindowExceeded";
    const shorter = isTooLong ? shorten(left, setup.info.contextWindow) : null;
    if (shorter === null) return answer;
    left = shorter;
  }
}

interface Collecting {
  readonly core: ThreadCore;
  readonly turn: ActiveTurn;
  readonly onModelEvent: OnModelEvent;
}

async function collect(
  { core, turn, onModelEvent }: Collecting,
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
      if (event.type === "failed") return { kind: "failed", error: event.error };
      if (event.type === "retrying") {
        emit("error", { error: event.error, willRetry: true, threadId, turnId: turn.id });
        summary = "";
      }
      if (event.type === "accepted") {
        limits = event.rateLimits;
        if (history.usage.isKnown) reportUsage(core, turn.id, info.usableContextWindow);
        reportLimits(core, limits);
      }
      if (event.type === "itemDone") {
        const item = toSafeItem(event.item);
        history.raw.items(turn.id, history.prepare([item]));
        summary = messageText(item) ?? summary;
      }
      if (event.type === "completed") {
        history.raw.answered(turn.id, event);
        return { kind: "answered", summary, usage: event.usage, limits };
      }
    }
  }
  return { kind: "interrupted" };
}

function messageText(item: ResponseItem): string | null {
  if (item.type !== "message" || item.role !== "assistant") return null;
  return item.content.flatMap((part) => (part.type === "output_text" ? [part.text] : [])).join("");
}
