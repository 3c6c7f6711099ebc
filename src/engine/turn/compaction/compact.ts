import type { ModelEvent, ModelRequest } from "../../../model/model.ts";
import type {
  RateLimitSnapshot,
  ResponseItem,
  ThreadItem,
  TurnError,
} from "../../../protocol/generated/types.ts";
import { worldState } from "../../../store/rollout/thread-lines.ts";
import { newMessageId } from "../../items/item-ids.ts";
import { createItemReport } from "../../items/item-report.ts";
import { toThreadItems } from "../../items/thread-items.ts";
import type { ActiveTurn } from "../active-turn.ts";
import { toModelRequest } from "../model-request.ts";
import { readTime } from "../read-time.ts";
import { reportLimits, reportUsage } from "../report-usage.ts";
import { CONTEXT_KEY } from "../tell-context.ts";
import type { ThreadCore } from "../thread-core.ts";
import type { TurnSetup } from "../turn-setup.ts";
import { COMPACT_PROMPT } from "./compact-prompt.ts";
import { compactedHistory, countTokens } from "./compacted-history.ts";

export type CompactionOutcome =
  | { readonly kind: "compacted" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

/** Replaces the history by a summary that the model itself writes. Until it is whole, nothing changes. */
export async function compact(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<CompactionOutcome> {
  const { id: threadId, emit, clock, createId } = core;
  const report = createItemReport({ threadId, turnId: turn.id, emit, clock });
  const item: ThreadItem = { type: "contextCompaction", id: createId() };
  report.start(item);
  const window = setup.info.usableContextWindow;
  const summarised = core.history.length;
  const answer = await askForSummary(core, turn, setup);
  if (answer.kind !== "answered") return answer;
  if (answer.usage !== null) core.usage.add(answer.usage);
  core.usage.belongsTo(turn.id);
  reportUsage(core, turn.id, window);
  reportLimits(core, answer.limits);
  const time = await readTime(core, turn, setup);
  if (time.kind === "unknown") return time.outcome;
  const { sections } = await setup.context(time.nowMs);
  core.context.reset();
  const replacement = [
    ...compactedHistory({
      userMessages: core.history.slice(0, summarised).filter(isWordOfUser),
      context: core.context.update(sections),
      summary: answer.summary,
      messageId: newMessageId(createId),
    }),
    // The summary does not know what came while it was written.
    ...core.history.slice(summarised),
  ];
  core.replaceHistory(replacement, answer.summary);
  core.recorder.append(worldState({ [CONTEXT_KEY]: sections }, { full: true }));
  // What waits to be heard was written down when it came, which is now behind the compaction.
  core.keep([...turn.pendingItems, ...turn.pending.flatMap(({ items }) => items)]);
  core.usage.estimate(replacement.reduce((sum, each) => sum + countTokens(each), 0));
  reportUsage(core, turn.id, window);
  reportLimits(core, answer.limits);
  report.complete(item);
  return { kind: "compacted" };
}

type SummaryAnswer =
  | {
      readonly kind: "answered";
      readonly summary: string;
      readonly usage: Extract<ModelEvent, { type: "completed" }>["usage"];
      readonly limits: readonly RateLimitSnapshot[];
    }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError };

/** Where even the request for a summary is too long, the oldest items are left out, one after another. */
async function askForSummary(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): Promise<SummaryAnswer> {
  const prompt: ResponseItem = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: setup.compactPrompt ?? COMPACT_PROMPT }],
  };
  let left = [...core.history];
  for (;;) {
    const request: ModelRequest = {
      ...toModelRequest(core.settings, [...left, prompt], core.origin(turn), {
        info: setup.info,
        tools: [],
        kind: "compaction",
      }),
      parallelToolCalls: false,
    };
    const answer = await collect(core, turn, setup, request);
    const isTooLong = answer.kind === "failed" && answer.error.codexErrorInfo === "contextWindowExceeded";
    if (!isTooLong || left.length <= 1) return answer;
    left = withoutOldest(left);
  }
}

/** A call goes together with its output: a provider takes neither without the other. */
function withoutOldest([oldest, ...rest]: readonly ResponseItem[]): ResponseItem[] {
  const callId = callIdOf(oldest);
  return callId === null ? rest : rest.filter((item) => callIdOf(item) !== callId);
}

function callIdOf(item: ResponseItem | undefined): string | null {
  return item !== undefined && "call_id" in item ? (item.call_id ?? null) : null;
}

async function collect(
  core: ThreadCore,
  turn: ActiveTurn,
  { model, info }: TurnSetup,
  request: ModelRequest,
): Promise<SummaryAnswer> {
  const { id: threadId, emit, usage, raw } = core;
  const { signal } = turn.abort;
  let summary = "";
  let limits: readonly RateLimitSnapshot[] = [];
  for await (const events of model.stream(request, signal)) {
    if (signal.aborted) break;
    for (const event of events) {
      if (event.type === "failed") return { kind: "failed", error: event.error };
      if (event.type === "retrying") {
        emit("error", { error: event.error, willRetry: true, threadId, turnId: turn.id });
        summary = "";
      }
      if (event.type === "accepted") {
        limits = event.rateLimits;
        if (usage.isKnown) reportUsage(core, turn.id, info.usableContextWindow);
        reportLimits(core, limits);
      }
      if (event.type === "itemDone") {
        raw.items(turn, core.name([event.item]));
        summary = messageText(event.item) ?? summary;
      }
      if (event.type === "completed") {
        raw.answered(turn, event);
        return { kind: "answered", summary, usage: event.usage, limits };
      }
    }
  }
  return { kind: "interrupted" };
}

const NO_NAMES = { createId: () => "", planId: null, warn: () => {} };

/** Context that travels in the user's role is told anew, and not kept. */
function isWordOfUser(item: ResponseItem): boolean {
  if (item.type !== "message" || item.role !== "user") return false;
  return toThreadItems(item, NO_NAMES).some(({ type }) => type === "userMessage");
}

function messageText(item: ResponseItem): string | null {
  if (item.type !== "message" || item.role !== "assistant") return null;
  return item.content.flatMap((part) => (part.type === "output_text" ? [part.text] : [])).join("");
}
