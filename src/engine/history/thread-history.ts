import type { ResponseItem, ThreadItem, ThreadTokenUsage } from "../../protocol/generated/types.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { compacted, inputSettled, inputSubmitted } from "../../store/lines/thread-lines.ts";
import { type ContextLog, createContextLog } from "../context/context-log.ts";
import type { ContextSections } from "../context/context-sections.ts";
import { prepareMedia } from "../input/prepare-media.ts";
import { withId } from "../items/response-items.ts";
import type { JournalCommits } from "./journal-commits.ts";
import type { RawEvents } from "./publisher.ts";
import { toItemLines } from "./turn-lines.ts";
import { createUsageCounter, type UsageCounter } from "./usage.ts";

/** What a thread knew when it was last loaded. */
export interface RecalledHistory {
  readonly items: readonly ResponseItem[];
  /** What was accepted and has not entered it. */
  readonly submitted: readonly SubmittedItems[];
  /** What the model was told besides the conversation; null when it has to be told anew. */
  readonly told: ContextSections | null;
  readonly window: ContextWindow | null;
}

/** Items on their way into the history. */
export interface SubmittedItems {
  readonly id: string;
  readonly items: readonly ResponseItem[];
  /** A message that hooks may still block, as clients see it once it has entered; null for what enters in any case. */
  readonly awaitingHooks: UserItem | null;
}

export type UserItem = Extract<ThreadItem, { type: "userMessage" }>;

/** A stretch of history that fits into the model at once; each compaction begins a new one. */
export interface ContextWindow {
  readonly number: number;
  readonly id: string;
  readonly firstId: string;
}

export interface ThreadHistoryOptions {
  readonly commits: JournalCommits;
  /** Notifies clients of items as the provider knows them. */
  readonly raw: RawEvents;
  readonly createId: () => string;
  /** Reads what the thread knew, which takes time; null for a new thread. */
  readonly recall?: (() => Promise<RecalledHistory>) | null;
  readonly usage?: ThreadTokenUsage | null;
  /** The turn that it was last used in. */
  readonly usageTurnId?: string | null;
}

/** The history that the model is told with each request, and its way into the journal. */
export class ThreadHistory {
  readonly items: ResponseItem[] = [];
  readonly context: ContextLog;
  readonly usage: UsageCounter;
  readonly commits: JournalCommits;
  readonly raw: RawEvents;
  readonly #options: ThreadHistoryOptions;
  /** What was submitted and has not entered, in its order. */
  readonly #submitted = new Map<string, SubmittedItems>();
  /** That part of it which turns that are over have left, here or in a server before this one. */
  #deferred: readonly SubmittedItems[] = [];
  #window: ContextWindow;
  #recalled: Promise<void> | null = null;

  constructor(options: ThreadHistoryOptions) {
    const { commits, raw, createId, usage = null, usageTurnId = null } = options;
    this.#options = options;
    this.context = createContextLog(createId);
    this.usage = createUsageCounter(usage, usageTurnId);
    this.commits = commits;
    this.raw = raw;
    const first = createId();
    this.#window = { number: 0, id: first, firstId: first };
  }

  /** Resolves when everything that the thread knew before is there; nothing is added before that. */
  ready(): Promise<void> {
    const { recall = null } = this.#options;
    if (recall === null) return Promise.resolve();
    this.#recalled ??= recall().then(({ items, submitted, told, window }) => {
      this.#push(items);
      for (const each of submitted) this.#submitted.set(each.id, each);
      this.#deferred = submitted;
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

  /** Items that the provider did not name get an id of our own; what it would refuse is replaced. */
  prepare(items: readonly ResponseItem[]): ResponseItem[] {
    return items.map((item) => withId(prepareMedia(item), this.#options.createId));
  }

  /** Keeps prepared items that enter the history later. */
  submit(items: readonly ResponseItem[], awaitingHooks: UserItem | null = null): SubmittedItems {
    const submitted = { id: this.#options.createId(), items, awaitingHooks };
    this.#submitted.set(submitted.id, submitted);
    this.commits.append(inputSubmitted(submitted));
    return submitted;
  }

  /** Takes what was submitted into the history. */
  enter(turnId: string, { id, items }: SubmittedItems): void {
    this.#submitted.delete(id);
    this.#append(turnId, items, [inputSettled(id)]);
  }

  /** What was submitted does not enter the history. */
  drop({ id }: SubmittedItems): void {
    this.#submitted.delete(id);
    this.commits.append(inputSettled(id));
  }

  /** What was submitted for turns that are over, in its order; the caller lets it enter or drops it. */
  takeDeferred(): readonly SubmittedItems[] {
    const deferred = this.#deferred;
    this.#deferred = [];
    return deferred;
  }

  /** Leaves input to the next turn. */
  defer(input: SubmittedItems): void {
    this.#deferred = [...this.#deferred, input];
  }

  /** Takes input into the history while no turn runs. Behind what may be blocked it waits for the next turn. */
  enterIdle(turnId: string, input: SubmittedItems): void {
    const waiting = [...this.#deferred, input];
    const first = waiting.findIndex(({ awaitingHooks }) => awaitingHooks !== null);
    const entering = first === -1 ? waiting : waiting.slice(0, first);
    this.#deferred = waiting.slice(entering.length);
    for (const each of entering) this.enter(turnId, each);
  }

  /** Prepares items and takes them into the history. */
  record(turnId: string, items: readonly ResponseItem[]): void {
    this.#append(turnId, this.prepare(items));
  }

  /** Puts a short history, whose last message is the summary, in the place of a long one. */
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
      // A thread is recalled from its last compaction on.
      ...[...this.#submitted.values()].map(inputSubmitted),
    );
  }

  #append(turnId: string, items: readonly ResponseItem[], before: readonly LineBody[] = []): void {
    this.commits.append(...before, ...toItemLines(items));
    this.#push(items);
    this.raw.items(turnId, items);
  }

  /** One by one: a long history is more than a call may have arguments. */
  #push(items: readonly ResponseItem[]): void {
    for (const item of items) this.items.push(item);
  }
}
