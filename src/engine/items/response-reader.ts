import type { ModelEvent } from "../../model/model.ts";
import type { ResponseItem, ThreadItem } from "../../protocol/generated/types.ts";
import { type AgentText, createAgentText, createPlanModeText } from "./agent-text.ts";
import { createItemReporter, type ItemReporterOptions } from "./item-reporter.ts";
import { toSafeItem } from "./safe-item.ts";
import { emptyAgentMessage, idFor, rawAgentText, toThreadItems } from "./thread-items.ts";

export interface ResponseReaderOptions extends ItemReporterOptions {
  /** In Plan mode a message may contain a plan, which becomes a separate item. */
  readonly isPlanMode: boolean;
  readonly createId: () => string;
  /** Called with each unknown item kind. */
  readonly warn: (kind: string) => void;
}

/** Converts the events of one model response to item notifications while they arrive. */
export interface ResponseReader {
  read(event: ModelEvent): void;
  /** The finished items of the response, for the history; shown items have the id that clients know. */
  readonly items: readonly ResponseItem[];
  /** The last agent message that is not blank and not commentary. */
  lastMessage(): ThreadItem | null;
  /** Whether the response has more than `MAX_RESPONSE_ITEMS` items. */
  isOverfull(): boolean;
}

/** Limits the started items and the finished items of one response separately. */
export const MAX_RESPONSE_ITEMS = 1024;

interface OpenItem {
  readonly id: string;
  readonly kind: string;
  /** The text filter of an agent message; null for other items. */
  readonly text: AgentText | null;
}

export function createResponseReader(options: ResponseReaderOptions): ResponseReader {
  const { threadId, turnId, emit, createId } = options;
  const planId = options.isPlanMode ? `${turnId}-plan` : null;
  const mapping = { createId, planId, warn: options.warn };
  const report = createItemReporter(options);
  const items: ResponseItem[] = [];
  const open = createOpenItems();
  let added = 0;
  let lastMessage: ThreadItem | null = null;

  function begin(item: ResponseItem): void {
    added += 1;
    const id = idFor(item, createId);
    if (id === null || open.has(id)) return;
    const raw = rawAgentText(item);
    const text = raw === null ? null : openText(item, id);
    const [shown] = raw === null ? toThreadItems({ ...item, id }, { ...mapping, warn() {} }) : [];
    if (text === null && (shown === undefined || shown.id !== id)) return;
    open.add({ id, kind: item.type, text });
    if (shown !== undefined) report.begin(shown);
    if (raw !== null) text?.begin(raw);
  }

  function openText(item: ResponseItem, itemId: string): AgentText {
    const parts = {
      start: (text: string) => report.begin({ ...emptyAgentMessage(item, itemId), text }),
      delta: (delta: string) => emit("item/agentMessage/delta", { threadId, turnId, itemId, delta }),
    };
    return planId === null ? createAgentText(parts) : createPlanModeText({ ...parts, plan: showPlan });
  }

  /** Shows a delta of the plan; null starts it. A response has one plan: text after its end is not shown. */
  function showPlan(delta: string | null): void {
    if (planId === null || report.hasEnded(planId)) return;
    report.begin({ type: "plan", id: planId, text: "" });
    if (delta !== null) emit("item/plan/delta", { threadId, turnId, itemId: planId, delta });
  }

  function end(received: ResponseItem): void {
    const given = toSafeItem(received);
    const started = openFor(given);
    const id = started?.id ?? idFor(given, createId);
    const item: ResponseItem = id === null ? given : Object.assign({}, given, { id });
    if (started !== null) close(started);
    items.push(item);
    for (const shown of toThreadItems(item, mapping)) {
      if (shown.type === "plan") showPlan(null);
      if (shown.type === "agentMessage" && planId !== null) {
        report.begin(emptyAgentMessage(item, shown.id));
      }
      const ended = report.complete(shown);
      if (isAnswer(shown)) lastMessage = ended;
    }
  }

  function close(item: OpenItem): void {
    open.remove(item);
    item.text?.finish();
  }

  /** The open item that a finished item completes: the one with its id, or the latest one where it has none. */
  function openFor(item: ResponseItem): OpenItem | null {
    if ("id" in item && typeof item.id === "string") return open.get(item.id);
    return open.latest()?.kind === item.type ? open.latest() : null;
  }

  /** The item of a text delta: the named one, or else the latest one. */
  function ownerOf(itemId: string | null): OpenItem | null {
    const latest = open.latest();
    return itemId === null || latest?.id === itemId ? latest : (open.get(itemId) ?? latest);
  }

  return {
    items,
    lastMessage: () => lastMessage,
    isOverfull: () => Math.max(added, items.length) > MAX_RESPONSE_ITEMS,
    read(event) {
      if (event.type === "textDelta") ownerOf(event.itemId)?.text?.push(event.delta);
      else if (event.type === "itemAdded") begin(event.item);
      else if (event.type === "itemDone") end(event.item);
      else if (isReasoning(event)) {
        const owner = ownerOf(event.itemId);
        if (owner?.kind === "reasoning") showReasoning(options, owner.id, event);
      }
    },
  };
}

/** The items that have started and not ended. */
function createOpenItems() {
  const byId = new Map<string, OpenItem>();
  /** In start order; an ended item is removed once no open item is behind it. */
  const begun: OpenItem[] = [];
  return {
    has: (id: string) => byId.has(id),
    get: (id: string): OpenItem | null => byId.get(id) ?? null,
    /** The item that started last. */
    latest: (): OpenItem | null => begun.at(-1) ?? null,
    add(item: OpenItem): void {
      byId.set(item.id, item);
      begun.push(item);
    },
    remove(item: OpenItem): void {
      byId.delete(item.id);
      for (let last = begun.at(-1); last !== undefined && byId.get(last.id) !== last; last = begun.at(-1))
        begun.pop();
    },
  };
}

function isAnswer(item: ThreadItem): boolean {
  return item.type === "agentMessage" && item.phase !== "commentary" && item.text.trim() !== "";
}

type ReasoningEvent = Extract<
  ModelEvent,
  { type: "reasoningSummaryPartAdded" | "reasoningSummaryDelta" | "reasoningTextDelta" }
>;

function isReasoning(event: ModelEvent): event is ReasoningEvent {
  return event.type.startsWith("reasoning");
}

function showReasoning(
  { threadId, turnId, emit }: ResponseReaderOptions,
  itemId: string,
  event: ReasoningEvent,
): void {
  const of = { threadId, turnId, itemId };
  if (event.type === "reasoningSummaryPartAdded") {
    emit("item/reasoning/summaryPartAdded", { ...of, summaryIndex: event.index });
  } else if (event.type === "reasoningSummaryDelta") {
    emit("item/reasoning/summaryTextDelta", { ...of, delta: event.delta, summaryIndex: event.index });
  } else emit("item/reasoning/textDelta", { ...of, delta: event.delta, contentIndex: event.index });
}
