/**
 * Searches in a thread of their own, so that a walk over a large folder delays nobody. The thread is started on first
 * use, shared, and ended when there has been nothing to search for a while, for the files it remembers take room.
 */
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type { FileSearch, FileSearchHost, FileSearchListener, FileSearchOptions } from "./file-search.ts";
import type { FromSearchThread, ToSearchThread } from "./search-messages.ts";

interface WorkerSearchOptions extends FileSearchOptions {
  /** The bundle of `search-worker-main.ts`. */
  readonly file: string;
  readonly clock: Clock;
}

/** How long the thread is kept without a search. */
export const IDLE_MS = 30_000;

export function openWorkerSearchHost({ file, clock, ...data }: WorkerSearchOptions): FileSearchHost {
  const open = new Map<number, { query: string; readonly listener: FileSearchListener }>();
  let nextId = 0;
  let thread: Worker | null = null;
  let cancelIdle = (): void => {};

  function start(): Worker {
    const worker = new Worker(file, { workerData: data, env: {}, execArgv: [] });
    // A search alone does not keep the server alive.
    worker.unref();
    worker.on("message", hear);
    const lost = (): void => {
      if (thread !== worker) return;
      thread = null;
      // What it had found is lost; nobody waits for ever.
      const left = [...open.values()];
      open.clear();
      for (const { query, listener } of left) listener.onComplete(query);
    };
    worker.on("error", lost);
    worker.on("exit", lost);
    return worker;
  }

  function hear(message: FromSearchThread): void {
    const listener = open.get(message.id)?.listener;
    if (message.kind === "complete") listener?.onComplete(message.query);
    else listener?.onUpdate(message.query, message.files);
  }

  function tell(message: ToSearchThread): void {
    thread?.postMessage(message, []);
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = null;
    await ended?.terminate();
  }

  return {
    open(request, listener): FileSearch {
      cancelIdle();
      thread ??= start();
      const id = nextId++;
      const entry = { query: request.query, listener };
      open.set(id, entry);
      tell({ kind: "open", id, request });
      return {
        update(query) {
          entry.query = query;
          tell({ kind: "update", id, query });
        },
        close() {
          if (!open.delete(id)) return;
          tell({ kind: "close", id });
          if (open.size === 0) cancelIdle = clock.after(IDLE_MS, () => void end());
        },
      };
    },
    async close() {
      cancelIdle();
      open.clear();
      await end();
    },
  };
}
