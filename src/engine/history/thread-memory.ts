import type { ResponseItem, ThreadTokenUsage } from "../../protocol/generated/types.ts";
import { compacted } from "../../store/rollout/thread-lines.ts";
import { type ContextLog, createContextLog } from "../context/context-log.ts";
import type { ContextSections } from "../context/context-sections.ts";
import { prepareMedia } from "../input/prepare-media.ts";
import { withId } from "../items/item-ids.ts";
import type { Emit } from "../state/events.ts";
import { createRawEvents, NO_RAW_EVENTS, type RawEvents, type TurnOfItems } from "./raw-events.ts";
import type { Recorder } from "./recorder.ts";
import { toItemLines } from "./turn-lines.ts";
import { createUsageCounter, type UsageCounter } from "./usage.ts";

/** What a thread knew when it was last loaded. */
export interface Remembered {
  readonly items: readonly ResponseItem[];
  /** What the model was told besides the conversation; null when it has to be told anew. */
  readonly told: ContextSections | null;
  readonly window: ContextWindow | null;
}

/** A stretch of history that fits into the model at once; each compaction begins a new one. */
export interface ContextWindow {
  readonly number: number;
  readonly id: string;
  readonly firstId: string;
}

export interface ThreadMemoryOptions {
  readonly threadId: string;
  /** Reads what the thread knew, which takes time; null for a new thread. */
  readonly recall: (() => Promise<Remembered>) | null;
  readonly usage: ThreadTokenUsage | null;
  /** The turn that it was last used in. */
  readonly usageTurnId: string | null;
  readonly recorder: Recorder;
  readonly createId: () => string;
  /** Clients also hear of each item as the provider knows it. */
  readonly rawEvents: boolean;
  readonly emit: Emit;
}

/** The history that the model is told with each request, and the file that it is kept in. */
export class ThreadMemory {
  readonly items: ResponseItem[] = [];
  readonly context: ContextLog;
  readonly usage: UsageCounter;
  readonly recorder: Recorder;
  readonly raw: RawEvents;
  readonly #options: ThreadMemoryOptions;
  #window: ContextWindow;
  #recalled: Promise<void> | null = null;

  constructor(options: ThreadMemoryOptions) {
    const { recorder, createId, usage, usageTurnId, threadId, emit } = options;
    this.#options = options;
    this.context = createContextLog(createId);
    this.usage = createUsageCounter(usage, usageTurnId);
    this.recorder = recorder;
    this.raw = options.rawEvents ? createRawEvents(threadId, emit) : NO_RAW_EVENTS;
    const first = createId();
    this.#window = { number: 0, id: first, firstId: first };
  }

  /** Resolves when everything that the thread knew before is there; nothing is added before that. */
  ready(): Promise<void> {
    const { recall } = this.#options;
    if (recall === null) return Promise.resolve();
    this.#recalled ??= recall().then(({ items, told, window }) => {
      this.#add(items);
      this.context.restore(told);
      this.#window = window ?? this.#window;
    });
    // What could not be read is tried again by whoever needs it next.
    this.#recalled.catch(() => {
      this.#recalled = null;
    });
    return this.#recalled;
  }

  get window(): ContextWindow {
    return this.#window;
  }

  /** Items that the provider did not name get a name of our own; what it would refuse is replaced. */
  name(items: readonly ResponseItem[]): ResponseItem[] {
    return items.map((item) => withId(prepareMedia(item), this.#options.createId));
  }

  keep(items: readonly ResponseItem[]): void {
    this.recorder.append(...toItemLines(items));
  }

  remember(turn: TurnOfItems, items: readonly ResponseItem[]): void {
    this.#add(items);
    this.raw.items(turn, items);
  }

  record(turn: TurnOfItems, given: readonly ResponseItem[]): void {
    const items = this.name(given);
    this.keep(items);
    this.remember(turn, items);
  }

  replace(items: readonly ResponseItem[], summary: string): void {
    const replacement = this.name(items);
    this.items.length = 0;
    this.#add(replacement);
    const { id: previousWindowId, number, firstId } = this.#window;
    this.#window = { number: number + 1, id: this.#options.createId(), firstId };
    this.recorder.append(
      compacted({
        message: summary,
        replacementHistory: replacement,
        windowNumber: this.#window.number,
        firstWindowId: firstId,
        previousWindowId,
        windowId: this.#window.id,
      }),
    );
  }

  /** One by one: a long history is more than a call may have arguments. */
  #add(items: readonly ResponseItem[]): void {
    for (const item of items) this.items.push(item);
  }
}
