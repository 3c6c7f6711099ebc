import type { ModelEvent } from "../model/model.ts";
import type { ResponseItem, ThreadItem } from "../protocol/generated/types.ts";
import type { Emit } from "./events.ts";

export interface ResponseReaderOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly emit: Emit;
  readonly now: () => number;
  readonly createId: () => string;
}

/** Turns the events of one model response into item notifications, as they arrive. */
export interface ResponseReader {
  read(event: ModelEvent): void;
  /** The finished items of the response, for the history. */
  readonly items: readonly ResponseItem[];
  readonly lastMessage: ThreadItem | null;
}

interface OpenItem {
  readonly id: string;
  readonly startedAtMs: number;
}

export function createResponseReader({
  threadId,
  turnId,
  emit,
  now,
  createId,
}: ResponseReaderOptions): ResponseReader {
  const items: ResponseItem[] = [];
  let open: OpenItem | null = null;
  let lastMessage: ThreadItem | null = null;

  function begin(item: ResponseItem): OpenItem {
    open = { id: idOf(item) ?? createId(), startedAtMs: now() };
    const shown = toThreadItem(item, open, null);
    if (shown !== null)
      emit("item/started", { item: shown, threadId, turnId, startedAtMs: open.startedAtMs });
    return open;
  }

  function end(item: ResponseItem): void {
    const started: OpenItem = open ?? begin(item);
    open = null;
    items.push(item);
    const completedAtMs = now();
    const shown = toThreadItem(item, started, completedAtMs);
    if (shown === null) return;
    if (shown.type === "agentMessage") lastMessage = shown;
    emit("item/completed", { item: shown, threadId, turnId, completedAtMs });
  }

  return {
    items,
    get lastMessage() {
      return lastMessage;
    },
    read(event) {
      const itemId = open?.id ?? "";
      switch (event.type) {
        case "itemAdded":
          begin(event.item);
          break;
        case "textDelta":
          emit("item/agentMessage/delta", { threadId, turnId, itemId, delta: event.delta });
          break;
        case "reasoningSummaryPartAdded":
          emit("item/reasoning/summaryPartAdded", { threadId, turnId, itemId, summaryIndex: event.index });
          break;
        case "reasoningSummaryDelta":
          emit("item/reasoning/summaryTextDelta", {
            threadId,
            turnId,
            itemId,
            delta: event.delta,
            summaryIndex: event.index,
          });
          break;
        case "reasoningTextDelta":
          emit("item/reasoning/textDelta", {
            threadId,
            turnId,
            itemId,
            delta: event.delta,
            contentIndex: event.index,
          });
          break;
        case "itemDone":
          end(event.item);
          break;
        default:
      }
    },
  };
}

/** The item as clients see it, or null for kinds that are not shown. */
function toThreadItem(
  item: ResponseItem,
  { id, startedAtMs }: OpenItem,
  completedAtMs: number | null,
): ThreadItem | null {
  const times = { startedAtMs, completedAtMs };
  if (item.type === "message" && item.role === "assistant") {
    const text = item.content.flatMap((part) => (part.type === "output_text" ? [part.text] : [])).join("");
    return {
      type: "agentMessage",
      id,
      text,
      phase: item.phase ?? null,
      memoryCitation: null,
      delivery: null,
      questions: null,
      ...times,
    };
  }
  if (item.type === "reasoning") {
    const summary = item.summary.map((part) => part.text);
    const content = (item.content ?? []).map((part) => part.text);
    return { type: "reasoning", id, summary, content, ...times };
  }
  return null;
}

function idOf(item: ResponseItem): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}
