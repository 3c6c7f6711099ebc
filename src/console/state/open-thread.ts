/**
 * A thread that is open in the page: its model, kept up to date. The subscription begins before the history is read, so
 * that nothing falls between the two; both are applied by ids. Notifications are applied once for each frame.
 */

import { batch, type Signal, signal } from "@preact/signals";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";
import { followDecisions, type ThreadDecisions } from "./thread-decisions.ts";
import { ThreadModel } from "./thread-model.ts";

type Notice = Parameters<ThreadModel["apply"]>[0];

/** Turns of a page of the history. */
const PAGE = 20;
/** Frames stop in a hidden tab. */
const HIDDEN_MS = 1000;

const FOLLOWED: readonly (keyof ServerNotifications)[] = [
  "turn/started",
  "turn/completed",
  "turn/plan/updated",
  "item/started",
  "item/completed",
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/textDelta",
  "item/commandExecution/outputDelta",
  "hook/started",
  "hook/completed",
  "thread/tokenUsage/updated",
];

export class OpenThread {
  readonly threadId: string;
  readonly model = new ThreadModel();
  /** Changes when turns or entries are added or removed. */
  readonly structure = signal(0);
  readonly isLoaded = signal(false);
  readonly failure = signal<string | null>(null);
  /** Whether older turns are left on the server. */
  readonly hasOlder = signal(false);
  readonly decisions: ThreadDecisions;
  readonly #versions = new Map<string, Signal<number>>();
  readonly #stops: (() => void)[] = [];
  readonly #frames = createFrameQueue((notices) => this.#apply(notices));
  #older: string | null = null;
  #client: Client | null = null;
  #lastSeq: string | null = null;
  /** Threads in the old format of files have none: their history is read again after each reconnect. */
  #hasPositions = true;
  #isClosed = false;

  constructor(threadId: string) {
    this.threadId = threadId;
    this.decisions = followDecisions(threadId);
    this.#stops.push(whenConnected((client) => void this.#connect(client)));
  }

  /** Grows with each change of the turn or entry with this id; `thread` stands for any change. */
  versionOf(id: string): Signal<number> {
    const known = this.#versions.get(id) ?? signal(0);
    this.#versions.set(id, known);
    return known;
  }

  async loadOlder(): Promise<void> {
    if (this.#client !== null && this.#older !== null) await this.#readPage(this.#client, this.#older);
  }

  /** Loads older pages until `isThere`; false if it is on none of them. */
  async loadUntil(isThere: () => boolean): Promise<boolean> {
    while (!isThere()) {
      if (this.#isClosed || !this.hasOlder.peek()) return false;
      await this.loadOlder();
    }
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.decisions.close();
    for (const stop of this.#stops) stop();
    const { threadId } = this;
    void this.#client?.request("thread/unsubscribe", { threadId }).catch(() => {});
  }

  #apply(notices: readonly Notice[]): void {
    if (this.#isClosed) return;
    const touched = new Set<string>();
    for (const notice of notices)
      if (this.model.apply(notice)) for (const id of idsOf(notice)) touched.add(id);
    this.#changed(touched);
  }

  #changed(ids: Iterable<string>): void {
    batch(() => {
      this.structure.value = this.model.structure;
      for (const id of ids) this.versionOf(id).value += 1;
      this.versionOf("thread").value += 1;
    });
  }

  async #connect(client: Client): Promise<void> {
    try {
      if (client !== this.#client) this.#listenTo(client);
      this.#client = client;
      const isFirst = this.#lastSeq === null;
      await client.request("thread/subscribe", { threadId: this.threadId, afterSeq: this.#lastSeq ?? END });
      if (isFirst) await this.#readAgain(client);
      this.failure.value = null;
    } catch (error) {
      this.failure.value = messageOf(error);
    } finally {
      this.isLoaded.value = true;
    }
  }

  #listenTo(client: Client): void {
    this.#stops.push(
      ...followNotices(client, this.threadId, {
        take: (notice, seq) => {
          if (this.#hasPositions) this.#lastSeq = seq ?? this.#lastSeq;
          this.#frames.add(notice);
          // A thread has no history before its first turn.
          if (notice.method === "turn/started" && this.failure.peek() !== null) void this.#recover(client);
        },
        synced: (throughSeq) => {
          if (this.#hasPositions) this.#lastSeq = throughSeq;
        },
        reverted: () => void this.#readAgain(client),
        stale: ({ fromSeq, reason }) => {
          // Without a position the history is read after the subscription in any case.
          if (this.#lastSeq !== null) void this.#readAgain(client);
          this.#hasPositions = reason !== "noPositions";
          this.#lastSeq = this.#hasPositions ? fromSeq : null;
        },
      }),
    );
  }

  async #recover(client: Client): Promise<void> {
    try {
      await this.#readAgain(client);
      this.failure.value = null;
    } catch (error) {
      this.failure.value = messageOf(error);
    }
  }

  async #readAgain(client: Client): Promise<void> {
    this.#frames.flush();
    this.model.clear();
    await this.#readPage(client, null);
  }

  async #readPage(client: Client, cursor: string | null): Promise<void> {
    const { data, nextCursor } = await client.request("thread/turns/list", {
      threadId: this.threadId,
      cursor,
      limit: PAGE,
      sortDirection: "desc",
      itemsView: "full",
    });
    this.#older = nextCursor;
    this.model.addPage(data.toReversed());
    this.hasOlder.value = nextCursor !== null;
    this.#changed(data.map(({ id }) => id));
  }
}

/** Collects notifications, and hands them on once for each frame. */
function createFrameQueue(apply: (notices: readonly Notice[]) => void) {
  let queued: Notice[] = [];
  let isScheduled = false;
  function flush(): void {
    isScheduled = false;
    const notices = queued;
    queued = [];
    if (notices.length > 0) apply(notices);
  }
  return {
    flush,
    add(notice: Notice): void {
      queued.push(notice);
      if (isScheduled) return;
      isScheduled = true;
      if (document.visibilityState === "hidden") setTimeout(flush, HIDDEN_MS);
      else requestAnimationFrame(flush);
    },
  };
}

interface NoticeHandlers {
  take(notice: Notice, seq: string | null): void;
  synced(throughSeq: string): void;
  reverted(): void;
  /** The history after the position is stale. */
  stale(params: ServerNotifications["thread/resync"]): void;
}

/** Subscribes to the notifications of a thread; returns what ends that. */
function followNotices(client: Client, threadId: string, handlers: NoticeHandlers): (() => void)[] {
  const isOwn = (params: object): boolean => (params as { threadId?: string }).threadId === threadId;
  return [
    ...FOLLOWED.map((method) =>
      client.on(method, (params) => {
        const { seq = null } = params as { readonly seq?: string };
        if (isOwn(params)) handlers.take({ method, params } as unknown as Notice, seq);
      }),
    ),
    client.on("thread/synced", (params) => void (isOwn(params) && handlers.synced(params.throughSeq))),
    client.on("thread/reverted", (params) => void (isOwn(params) && handlers.reverted())),
    client.on("thread/resync", (params) => void (isOwn(params) && handlers.stale(params))),
  ];
}

/** A position beyond every history: the server then says where the history ends, and what comes after it follows. */
const END = "9999_9999999999_9";

function idsOf({ params }: Notice): readonly string[] {
  const { itemId, item, turnId, turn, run } = params as {
    readonly itemId?: string;
    readonly item?: { readonly id: string };
    readonly turnId?: string | null;
    readonly turn?: { readonly id: string };
    readonly run?: { readonly runId: string };
  };
  return [itemId, item?.id, turnId, turn?.id, run?.runId].filter((id) => typeof id === "string");
}
