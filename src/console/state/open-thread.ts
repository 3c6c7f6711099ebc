/**
 * A thread that is open in the page: its model, kept up to date. The subscription begins before the history is read, so
 * that nothing falls between the two; both are applied by ids. Notifications are applied once for each frame.
 */
import { batch, type Signal, signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";
import { ThreadModel } from "./thread-model.ts";

export interface OpenThread {
  readonly threadId: string;
  readonly model: ThreadModel;
  /** Changes with turns and entries, and with each change of one that is named. */
  readonly structure: Signal<number>;
  /** The versions of entries and turns by their ids. */
  versionOf(id: string): Signal<number>;
  readonly isLoaded: Signal<boolean>;
  readonly failure: Signal<string | null>;
  /** Whether older turns are left on the server. */
  readonly hasOlder: Signal<boolean>;
  /** Stored events that were caught up after the last reconnect. */
  readonly caughtUp: Signal<number>;
  loadOlder(): Promise<void>;
  close(): void;
}

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

export function openThread(threadId: string): OpenThread {
  const model = new ThreadModel();
  const structure = signal(0);
  const versions = new Map<string, Signal<number>>();
  const [isLoaded, failure, hasOlder] = [signal(false), signal<string | null>(null), signal(false)];
  const caughtUp = signal(0);
  let older: string | null = null;
  let current: Client | null = null;
  let lastSeq: string | null = null;
  let isClosed = false;
  let queued: Notice[] = [];
  let isScheduled = false;
  const stops: (() => void)[] = [];

  function versionOf(id: string): Signal<number> {
    const known = versions.get(id) ?? signal(0);
    versions.set(id, known);
    return known;
  }

  function take(notice: Notice): void {
    queued.push(notice);
    if (isScheduled) return;
    isScheduled = true;
    if (document.visibilityState === "hidden") setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  }

  function flush(): void {
    isScheduled = false;
    if (isClosed) return;
    const notices = queued;
    queued = [];
    const touched = new Set<string>();
    for (const notice of notices) if (model.apply(notice)) for (const id of idsOf(notice)) touched.add(id);
    batch(() => {
      structure.value = model.structure;
      for (const id of touched) versionOf(id).value += 1;
      if (touched.size > 0) versionOf("thread").value += 1;
    });
  }

  function listenTo(client: Client): void {
    for (const method of FOLLOWED)
      stops.push(
        client.on(method, (params) => {
          const { threadId: id, seq } = params as { readonly threadId?: string; readonly seq?: string };
          if (id !== threadId) return;
          if (seq !== undefined) lastSeq = seq;
          take({ method, params } as unknown as Notice);
        }),
      );
    stops.push(
      client.on("thread/synced", ({ threadId: id, throughSeq }) => {
        if (id === threadId) lastSeq = throughSeq;
      }),
      client.on("thread/reverted", ({ threadId: id }) => void (id === threadId && reread(client))),
      client.on("thread/resync", ({ threadId: id, fromSeq }) => {
        if (id !== threadId) return;
        if (lastSeq !== null && lastSeq !== END) void reread(client);
        lastSeq = fromSeq;
      }),
    );
  }

  async function connect(client: Client): Promise<void> {
    try {
      if (client !== current) listenTo(client);
      current = client;
      const isFirst = lastSeq === null;
      const before = model.structure;
      await client.request("thread/subscribe", { threadId, afterSeq: lastSeq ?? END });
      if (isFirst) await reread(client);
      else caughtUp.value = model.structure - before;
      failure.value = null;
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    } finally {
      isLoaded.value = true;
    }
  }

  async function readPage(client: Client, cursor: string | null): Promise<void> {
    const page = await client.request("thread/turns/list", {
      threadId,
      cursor,
      limit: PAGE,
      sortDirection: "desc",
      itemsView: "full",
    });
    older = page.nextCursor;
    batch(() => {
      model.addPage(page.data.toReversed());
      structure.value = model.structure;
      hasOlder.value = older !== null;
      for (const { id } of page.data) versionOf(id).value += 1;
      versionOf("thread").value += 1;
    });
  }

  async function reread(client: Client): Promise<void> {
    flush();
    model.clear();
    await readPage(client, null);
  }

  const stop = whenConnected((client) => void connect(client));
  return {
    threadId,
    model,
    structure,
    versionOf,
    isLoaded,
    failure,
    hasOlder,
    caughtUp,
    async loadOlder() {
      if (current !== null && older !== null) await readPage(current, older);
    },
    close() {
      isClosed = true;
      stop();
      for (const each of stops) each();
      void current?.request("thread/unsubscribe", { threadId }).catch(() => {});
    },
  };
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
