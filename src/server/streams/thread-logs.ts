/**
 * The durable events of threads as logs for HTTP. An offset is the `seq` of an event. Events are read from the store,
 * whether or not the thread is loaded; readers at the same offset share one read.
 */
import type { Clock } from "../../base/clock.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import { createEventReader } from "../../runtime/events/event-reader.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { eventToken, FIRST_PLACE, parseEventToken } from "../../store/event-token.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { EventLog, EventLogs, LogGone, LogPage, LogReader } from "../http/durable-stream/event-log.ts";
import type { LiveNotices } from "./live-notices.ts";

export interface ThreadLogsOptions {
  readonly engine: Pick<Engine, "find" | "onEvent">;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly live: Pick<LiveNotices, "on">;
  /** Whether the holder of a token may read a thread. */
  readonly mayRead: (threadId: string, reader: LogReader) => Promise<boolean>;
  readonly clock: Pick<Clock, "after">;
}

/** Another process may write to a thread that is not loaded here; it does not notify this one. */
const RECHECK_MS = 2_000;
const MAX_PAGE_EVENTS = 10_000;

export function createThreadLogs({
  engine,
  threadStore,
  live,
  mayRead,
  clock,
}: ThreadLogsOptions): EventLogs {
  const changes = createChanges(engine, clock);
  const reader = createEventReader(threadStore);

  async function endOf(threads: ThreadStore, threadId: string): Promise<string | null> {
    const loaded = engine.find(threadId);
    if (loaded !== undefined) return loaded.eventsEnd();
    const end = await threads.end(threadId);
    return end === null ? null : eventToken({ ...end, index: 0 });
  }

  function createLog(threads: ThreadStore, threadId: string): EventLog {
    const read = async (offset: string | null, maxBytes: number): Promise<LogPage | LogGone> => {
      const end = await endOf(threads, threadId);
      if (end === null || (offset ?? "") > end) return { kind: "gone" };
      const after = (offset === null ? null : parseEventToken(offset)) ?? FIRST_PLACE;
      const limits = { events: MAX_PAGE_EVENTS, bytes: maxBytes };
      const page = await reader.read(threadId, after, limits);
      return {
        kind: "page",
        messages: page.events.map(({ method, params, seq }) =>
          Buffer.from(JSON.stringify({ method, params: { ...params, seq } })),
        ),
        nextOffset: eventToken(page.end.place),
        isUpToDate: page.isComplete,
        isClosed: false,
      };
    };
    return {
      contentType: "application/json",
      isOffset: (text) => parseEventToken(text) !== null,
      read: (offset, maxBytes) =>
        changes.shared(threadId, `${offset ?? ""}/${maxBytes}`, () => read(offset, maxBytes)),
      tail: async () => ({
        offset: (await endOf(threads, threadId)) ?? eventToken(FIRST_PLACE),
        isClosed: false,
      }),
      onChange: (listener) => changes.on(threadId, listener),
      onLive: (listener) => live.on(threadId, listener),
    };
  }

  return {
    async open(id, holder) {
      const threadId = parseThreadId(id);
      if (isRefusal(threadId)) return { kind: "unknown" };
      if (holder !== null && !(await mayRead(threadId, holder))) return { kind: "unknown" };
      const threads = await threadStore();
      // A thread without lines is an empty log, and one whose lines have no positions is none.
      return (await endOf(threads, threadId)) === null ? { kind: "unknown" } : createLog(threads, threadId);
    },
  };
}

/** Listeners of threads, and reads that those of one thread share until it changes. */
function createChanges(engine: ThreadLogsOptions["engine"], clock: ThreadLogsOptions["clock"]) {
  const listeners = new Map<string, Set<() => void>>();
  const reads = new Map<string, Map<string, Promise<LogPage | LogGone>>>();
  let isChecking = false;

  function notify(threadId: string): void {
    reads.delete(threadId);
    for (const listener of listeners.get(threadId) ?? []) listener();
  }

  function recheck(): void {
    if (isChecking) return;
    isChecking = true;
    const check = (): void => {
      isChecking = false;
      for (const threadId of listeners.keys()) if (engine.find(threadId) === undefined) notify(threadId);
      if (listeners.size > 0) recheck();
    };
    clock.after(RECHECK_MS, check, { keepsAlive: false });
  }

  engine.onEvent((threadId, event) => {
    if (event.type === "loaded" || (event.type === "appended" && event.isPersisted)) notify(threadId);
  });

  return {
    on(threadId: string, listener: () => void): () => void {
      const ofThread = listeners.get(threadId) ?? new Set();
      listeners.set(threadId, ofThread.add(listener));
      recheck();
      return () => {
        ofThread.delete(listener);
        if (ofThread.size > 0) return;
        listeners.delete(threadId);
        reads.delete(threadId);
      };
    },
    /** Shares a read with others of the same key while the thread has listeners. */
    shared(
      threadId: string,
      key: string,
      read: () => Promise<LogPage | LogGone>,
    ): Promise<LogPage | LogGone> {
      if (!listeners.has(threadId)) return read();
      const ofThread = reads.get(threadId) ?? new Map<string, Promise<LogPage | LogGone>>();
      reads.set(threadId, ofThread);
      const known = ofThread.get(key);
      if (known !== undefined) return known;
      const started = read().finally(() => {
        // A page is shared while it is read, so that no more pages are kept than there are readers.
        if (ofThread.get(key) === started) ofThread.delete(key);
      });
      ofThread.set(key, started);
      return started;
    },
  };
}
