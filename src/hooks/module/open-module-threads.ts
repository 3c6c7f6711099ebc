/**
 * Runs hooks that are JavaScript modules, each module in a long-lived thread, so that a call starts no
 * process. A module that hangs or terminates its thread loses only that thread; the next call starts a new
 * one.
 */
import type { Clock } from "../../base/clock.ts";
import type { ModuleRunner } from "../run/run-handler.ts";
import { type ModuleThread, type PrintedText, startModuleThread } from "./module-thread.ts";

export interface ModuleHost extends ModuleRunner {
  close(): Promise<void>;
}

export interface ModuleThreadsOptions {
  /** The thread's entry file. */
  readonly file: string;
  readonly clock: Clock;
  readonly onPrinted: (printed: PrintedText) => void;
  readonly maxThreads: number;
}

/** A module that changes faster than it loads fails after this many attempts. */
const MAX_LOADS = 3;

export function openModuleThreads(options: ModuleThreadsOptions): ModuleHost {
  const { maxThreads } = options;
  /** Keyed by path, in LRU order: the most recently used is last. */
  const threads = new Map<string, ModuleThread>();
  let isClosed = false;

  function threadOf(path: string): ModuleThread {
    const cached = threads.get(path);
    threads.delete(path);
    const isUsable = cached !== undefined && !cached.isRetired();
    const thread = isUsable ? cached : startModuleThread(path, options);
    threads.set(path, thread);
    const [oldest] = threads;
    if (threads.size > maxThreads && oldest !== undefined) {
      threads.delete(oldest[0]);
      oldest[1].retire();
    }
    return thread;
  }

  return {
    async run({ path, ...call }) {
      for (let load = 0; load < MAX_LOADS; load += 1) {
        if (isClosed || call.signal.aborted) return { kind: "interrupted" };
        const thread = threadOf(path);
        const result = await thread.call(call);
        if (result.kind !== "stale") return result;
        thread.retire();
      }
      return { kind: "failed", message: `module ${path} changes again and again` };
    },
    async close() {
      isClosed = true;
      const remaining = [...threads.values()];
      threads.clear();
      await Promise.all(remaining.map((thread) => thread.end()));
    },
  };
}
