/**
 * Opens a file search host in a worker thread, so that a walk over a large folder does not block the event loop, and the
 * memory of the index is freed with the thread. Without the worker's bundle, the search runs in this thread.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../base/clock.ts";
import type {
  FileMatch,
  FileSearch,
  FileSearchHost,
  FileSearchListener,
  FileSearchOptions,
  FileSearchRequest,
} from "./file-search.ts";
import { createLocalSearchHost } from "./local-search-host.ts";

/** The file name of the bundled `search-worker-main.ts`. */
const WORKER_FILE = "search-worker.cjs";

/** A host in a worker thread if its bundle exists, otherwise one in this thread. */
export function openSearchHost(
  workerFile: string | null,
  options: FileSearchOptions & { readonly clock: Clock },
): FileSearchHost {
  return workerFile === null
    ? createLocalSearchHost(options)
    : openWorkerSearchHost({ ...options, file: workerFile });
}

/** The worker's bundle, in the folder of the given file or one of its two parents. */
export function findSearchWorker(file: string): string | null {
  const own = dirname(file);
  const candidates = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}

/** Messages to the worker thread. */
export type ToSearchThread =
  | { readonly kind: "open"; readonly id: number; readonly request: FileSearchRequest }
  | { readonly kind: "update"; readonly id: number; readonly query: string }
  | { readonly kind: "close"; readonly id: number };

/** Messages from the worker thread. */
export type FromSearchThread =
  | {
      readonly kind: "update";
      readonly id: number;
      readonly query: string;
      readonly files: readonly FileMatch[];
    }
  | { readonly kind: "complete"; readonly id: number; readonly query: string };

interface WorkerSearchOptions extends FileSearchOptions {
  /** The bundle of `search-worker-main.ts`. */
  readonly file: string;
  readonly clock: Clock;
}

/** The idle timeout of the thread. */
export const IDLE_MS = 30_000;

/** The thread is started on first use, shared, and terminated after an idle timeout. */
export function openWorkerSearchHost({ file, clock, ...data }: WorkerSearchOptions): FileSearchHost {
  const open = new Map<number, { query: string; readonly listener: FileSearchListener }>();
  let nextId = 0;
  let thread: Worker | null = null;
  let cancelIdle = (): void => {};

  function start(): Worker {
    const worker = new Worker(file, { workerData: data, env: {}, execArgv: [] });
    // A search does not keep the event loop alive.
    worker.unref();
    worker.on("message", receive);
    const onExit = (): void => {
      if (thread !== worker) return;
      thread = null;
      // The results are lost, but every search completes.
      const remaining = [...open.values()];
      open.clear();
      for (const { query, listener } of remaining) listener.onComplete(query);
    };
    worker.on("error", onExit);
    worker.on("exit", onExit);
    return worker;
  }

  function receive(message: FromSearchThread): void {
    const listener = open.get(message.id)?.listener;
    if (message.kind === "complete") listener?.onComplete(message.query);
    else listener?.onUpdate(message.query, message.files);
  }

  function send(message: ToSearchThread): void {
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
      send({ kind: "open", id, request });
      return {
        update(query) {
          entry.query = query;
          send({ kind: "update", id, query });
        },
        close() {
          if (!open.delete(id)) return;
          send({ kind: "close", id });
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
