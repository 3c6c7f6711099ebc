import { inBackground } from "../base/tasks.ts";
import type { EmitFor, OnEngineEvent, ThreadEvent } from "./state/events.ts";
import { LoadedThread } from "./thread.ts";
import type { Thread, ThreadOptions } from "./thread-options.ts";

/** The registry of loaded threads. */
export interface Engine {
  /** Loads a new thread. */
  start(
    options: Omit<
      ThreadOptions,
      "emit" | "onEvent" | "clock" | "createId" | "createRevision" | "clients" | "followers" | "log"
    >,
  ): Thread;
  find(threadId: string): Thread | undefined;
  /** Unloads a thread that is idle, or waits for the end of a usage limit: its turn is left to a later process. Clients are notified after its SessionEnd hooks have finished. */
  unload(threadId: string): void;
  /** Interrupts and unloads a thread; resolves when its journal is closed. Sends no `thread/closed`. */
  release(threadId: string): Promise<void>;
  /** Resolves when an unloaded thread has closed its journal. */
  whenClosed(threadId: string): Promise<void>;
  /** Subscribes to the events of all threads, in order; returns the unsubscribe function. */
  onEvent(listener: OnEngineEvent): () => void;
  /** Ids of the loaded threads, in the order of their creation. */
  loaded(): string[];
  /**
   * Resolves when no thread has a running turn. A turn that only waits for an answer which outlives the process is left
   * to a later one.
   */
  drain(): Promise<void>;
  /**
   * Interrupts every turn, waits until all have ended, and closes the threads. A turn that waits for an answer which
   * outlives the process is left to a later one.
   */
  close(): Promise<void>;
}

export interface EngineOptions
  extends Pick<ThreadOptions, "clock" | "createId" | "createRevision" | "clients" | "followers" | "log"> {
  readonly emit: EmitFor;
}

export function createEngine(options: EngineOptions): Engine {
  const threads = new Map<string, Thread>();
  /** Unloaded threads whose journals are still open, because SessionEnd hooks may take a while. */
  const closing = new Map<string, Promise<void>>();
  const listeners = new Set<OnEngineEvent>();
  let isDraining = false;

  function publish(threadId: string, event: ThreadEvent): void {
    for (const listener of listeners) listener(threadId, event);
  }

  /** Announces before the promise resolves, so that the end is always published before a reload of the thread. */
  function close(thread: Thread, announce = (): void => {}): Promise<void> {
    const suspended = thread.activeTurnId === null ? null : thread.suspend();
    const ended = suspended === null ? thread.close() : suspended.then(() => thread.close());
    const closed = ended.finally(() => {
      closing.delete(thread.id);
      announce();
    });
    closing.set(thread.id, closed);
    return closed;
  }

  function announceUnloaded(threadId: string, { isClosed }: { readonly isClosed: boolean }): void {
    options.emit(threadId, "thread/status/changed", { threadId, status: { type: "notLoaded" } });
    if (isClosed) options.emit(threadId, "thread/closed", { threadId });
    publish(threadId, { type: "unloaded" });
  }

  function suspend(thread: Thread): void {
    inBackground(options.log, "leaving a turn to a later process", thread.suspend());
  }

  return {
    start(own) {
      const thread: Thread = new LoadedThread({
        ...own,
        ...options,
        emit: (method, params) => options.emit(own.id, method, params),
        onEvent(event) {
          publish(own.id, event);
          if (isDraining && event.type === "turnWaiting") suspend(thread);
        },
      });
      threads.set(thread.id, thread);
      publish(own.id, { type: "loaded", isNew: own.resumed === null });
      return thread;
    },
    find: (threadId) => threads.get(threadId),
    unload(threadId) {
      const thread = threads.get(threadId);
      if (thread === undefined) return;
      if (thread.activeTurnId !== null && thread.waiting()?.reason !== "usageLimit") return;
      threads.delete(threadId);
      const closed = close(thread, () => announceUnloaded(threadId, { isClosed: true }));
      inBackground(options.log, "closing a thread", closed);
    },
    async release(threadId) {
      const thread = threads.get(threadId);
      if (thread === undefined) return;
      await interrupt(thread);
      await thread.whenIdle();
      threads.delete(threadId);
      await close(thread, () => announceUnloaded(threadId, { isClosed: false }));
    },
    whenClosed: (threadId) => (closing.get(threadId) ?? Promise.resolve()).catch(() => {}),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    loaded: () => [...threads.keys()],
    async drain() {
      isDraining = true;
      for (const thread of threads.values()) if (thread.isOnlyWaiting) suspend(thread);
      await whenIdle(threads);
    },
    async close() {
      for (const thread of threads.values()) {
        if (thread.isWaiting) suspend(thread);
        else inBackground(options.log, "interrupting a turn", interrupt(thread));
      }
      await whenIdle(threads);
      await Promise.all([...closing.values(), ...[...threads.values()].map((thread) => close(thread))]);
    },
  };
}

async function interrupt(thread: Thread): Promise<void> {
  (await thread.interrupt()).begin();
}

async function whenIdle(threads: ReadonlyMap<string, Thread>): Promise<void> {
  const running = () => [...threads.values()].filter(({ activeTurnId }) => activeTurnId !== null);
  for (let busy = running(); busy.length > 0; busy = running())
    await Promise.all(busy.map((thread) => thread.whenIdle()));
}
