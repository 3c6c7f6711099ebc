import type { ResponseItem, ThreadItem, ThreadTokenUsage } from "../../protocol/generated/types.ts";
import { compacted, inputSettled, inputSubmitted } from "../../store/lines/thread-lines.ts";
import { ContextLog } from "../context/context-log.ts";
import type { ContextSections } from "../context/context-sections.ts";
import { prepareMedia } from "../input/prepare-media.ts";
import { withId } from "../items/response-items.ts";
import type { JournalCommits } from "./journal-commits.ts";
import { NO_RAW_EVENTS, type RawEvents } from "./publisher.ts";
import { toItemLines } from "./turn-lines.ts";
import { UsageCounter } from "./usage.ts";

/** The history of a stored thread. */
export interface RestoredHistory {
  readonly items: readonly ResponseItem[];
  /** Accepted input that has not entered the history. */
  readonly submitted: readonly SubmittedItems[];
  /** The context sections that the model has received; null when they have to be sent again. */
  readonly sentContext: ContextSections | null;
  readonly window: ContextWindow | null;
}

/** Items on their way into the history. */
export interface SubmittedItems {
  readonly id: string;
  readonly items: readonly ResponseItem[];
  /** The wire item of a message that hooks may still block; null for input that no hook can block. */
  readonly awaitingHooks: UserItem | null;
}

export type UserItem = Extract<ThreadItem, { type: "userMessage" }>;

/** The identity of the current context window; each compaction begins a new one. */
interface ContextWindow {
  readonly number: number;
  readonly id: string;
  readonly firstId: string;
}

export interface ThreadHistoryOptions {
  readonly commits: JournalCommits;
  readonly raw: RawEvents;
  readonly createId: () => string;
  /** Reads the stored history; null for a new thread. */
  readonly recall?: (() => Promise<RestoredHistory>) | null;
  readonly usage?: ThreadTokenUsage | null;
  /** The turn of the last recorded usage. */
  readonly usageTurnId?: string | null;
}

/** The history that is sent with each model request, and its journal lines. */
export class ThreadHistory {
  readonly items: ResponseItem[] = [];
  readonly context: ContextLog;
  readonly usage: UsageCounter;
  readonly commits: JournalCommits;
  readonly raw: RawEvents;
  readonly #options: ThreadHistoryOptions;
  /** Submitted input that has not entered the history, in order. */
  readonly #submitted = new Map<string, SubmittedItems>();
  /** The part of it that ended turns have deferred, in this session or an earlier one. */
  #deferred: readonly SubmittedItems[] = [];
  #window: ContextWindow;
  #recalled: Promise<void> | null = null;
  #isRecalled = false;

  constructor(options: ThreadHistoryOptions) {
    const { commits, raw, createId, usage = null, usageTurnId = null } = options;
    this.#options = options;
    this.context = new ContextLog(createId);
    this.usage = new UsageCounter(usage, usageTurnId);
    this.commits = commits;
    this.raw = raw;
    const first = createId();
    this.#window = { number: 0, id: first, firstId: first };
  }

  /** Resolves when the stored history is loaded, and is null where it is; nothing is appended before that. */
  ready(): Promise<void> | null {
    const { recall = null } = this.#options;
    if (recall === null || this.#isRecalled) return null;
    this.#recalled ??= recall().then(({ items, submitted, sentContext, window }) => {
      this.#push(items);
      for (const each of submitted) this.#submitted.set(each.id, each);
      this.#deferred = submitted;
      this.context.restore(sentContext);
      this.#window = window ?? this.#window;
      this.#isRecalled = true;
    });
    // A failed read is retried by the next caller.
    this.#recalled.catch(() => {
      this.#recalled = null;
    });
    return this.#recalled;
  }

  get window(): ContextWindow {
    return this.#window;
  }

  /** Assigns ids to items that have none, and replaces media that the provider would reject. */
  prepare(items: readonly ResponseItem[]): ResponseItem[] {
    return items.map((item) => withId(prepareMedia(item), this.#options.createId));
  }

  /** Persists prepared items that enter the history later. */
  submit(items: readonly ResponseItem[], awaitingHooks: UserItem | null = null): SubmittedItems {
    const submitted = { id: this.#options.createId(), items, awaitingHooks };
    this.#submitted.set(submitted.id, submitted);
    this.commits.append(inputSubmitted(submitted));
    return submitted;
  }

  /**
   * Moves submitted items into the history. Without hooks that decided about them, their lines need no write of their
   * own: after a crash they are still submitted, and enter the history with the next turn. Raw events show the lines.
   */
  enter(turnId: string, { id, items, awaitingHooks }: SubmittedItems): void {
    this.#submitted.delete(id);
    const lines = [inputSettled(id), ...toItemLines(items)];
    if (awaitingHooks === null && this.raw === NO_RAW_EVENTS) this.commits.appendLater(...lines);
    else this.commits.append(...lines);
    this.#enterItems(turnId, items);
  }

  /** Discards submitted items. */
  drop({ id }: SubmittedItems): void {
    this.#submitted.delete(id);
    this.commits.append(inputSettled(id));
  }

  /** Removes and returns the deferred input, in order; the caller enters or drops it. */
  takeDeferred(): readonly SubmittedItems[] {
    const deferred = this.#deferred;
    this.#deferred = [];
    return deferred;
  }

  /** Defers input to the next turn. */
  defer(input: SubmittedItems): void {
    this.#deferred = [...this.#deferred, input];
  }

  /** Enters input while no turn runs. It is deferred behind input that hooks may block, to preserve the order. */
  enterIdle(turnId: string, input: SubmittedItems): void {
    const waiting = [...this.#deferred, input];
    const first = waiting.findIndex(({ awaitingHooks }) => awaitingHooks !== null);
    const entering = first === -1 ? waiting : waiting.slice(0, first);
    this.#deferred = waiting.slice(entering.length);
    for (const each of entering) this.enter(turnId, each);
  }

  /** Prepares items and appends them to the history. */
  record(turnId: string, items: readonly ResponseItem[]): void {
    const prepared = this.prepare(items);
    this.commits.append(...toItemLines(prepared));
    this.#enterItems(turnId, prepared);
  }

  /** Replaces the history with a compacted one, and begins a new context window. */
  replace(items: readonly ResponseItem[], summary: string): void {
    const replacement = this.prepare(items);
    this.items.length = 0;
    this.#push(replacement);
    const { id: previousWindowId, number, firstId } = this.#window;
    this.#window = { number: number + 1, id: this.#options.createId(), firstId };
    this.commits.append(
      compacted({
        message: summary,
        replacementHistory: replacement,
        windowNumber: this.#window.number,
        firstWindowId: firstId,
        previousWindowId,
        windowId: this.#window.id,
      }),
      // A thread is recalled from its last compaction on, so pending submissions are repeated after it.
      ...[...this.#submitted.values()].map(inputSubmitted),
    );
  }

  #enterItems(turnId: string, items: readonly ResponseItem[]): void {
    this.#push(items);
    this.raw.items(turnId, items);
  }

  /** Pushes one by one, because a long history exceeds the argument limit of a call. */
  #push(items: readonly ResponseItem[]): void {
    for (const item of items) this.items.push(item);
  }
}
