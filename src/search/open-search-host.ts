/**
 * Opens what searches files: a thread of its own, so that a walk over a large folder delays nobody and what it remembers
 * of the files takes no room for ever; where the package has no program for one, this thread.
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

/** The name that the build gives to the bundle of `search-worker-main.ts`. */
const WORKER_FILE = "search-worker.cjs";

/** A host in a thread of its own where the package has its program, and otherwise one in this thread. */
export function openSearchHost(
  workerFile: string | null,
  options: FileSearchOptions & { readonly clock: Clock },
): FileSearchHost {
  return workerFile === null
    ? createLocalSearchHost(options)
    : openWorkerSearchHost({ ...options, file: workerFile });
}

/** The thread's program, beside the given file or in one of the two folders above. */
export function findSearchWorker(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}

/** What the server says to its search thread. */
export type ToSearchThread =
  | { readonly kind: "open"; readonly id: number; readonly request: FileSearchRequest }
  | { readonly kind: "update"; readonly id: number; readonly query: string }
  | { readonly kind: "close"; readonly id: number };

/** What the search thread says to the server. */
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

/** How long the thread is kept without a search. */
export const IDLE_MS = 30_000;

/** The thread is started on first use, shared, and ended when there has been nothing to search for a while. */
export function openWorkerSearchHost({ file, clock, ...data }: WorkerSearchOptions): FileSearchHost {
  const open = new Map<number, { query: string; readonly listener: FileSearchListener }>();
  let nextId = 0;
  let thread: Worker | null = null;
  let cancelIdle = (): void => {};

  function start(): Worker {
    const worker = new Worker(file, { workerData: data, env: {}, execArgv: [] });
    // A search alone does not keep the server alive.
    worker.unref();
    worker.on("message", receive);
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
