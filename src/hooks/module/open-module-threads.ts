/**
 * Runs hooks that are modules of JavaScript, each module in a thread that stays, so that a call starts no process. A
 * module that hangs or ends its thread loses that thread alone; the next call has a new one.
 */
import type { Clock } from "../../base/clock.ts";
import type { ModuleRunner } from "../run/run-handler.ts";
import { type ModuleThread, type PrintedText, startModuleThread } from "./module-thread.ts";

export interface ModuleHost extends ModuleRunner {
  close(): Promise<void>;
}

export interface ModuleThreadsOptions {
  /** The program of a thread. */
  readonly file: string;
  readonly clock: Clock;
  readonly onPrinted: (printed: PrintedText) => void;
  readonly maxThreads: number;
}

/** A module that changes faster than it is loaded is given up. */
const MAX_LOADS = 3;

export function openModuleThreads(options: ModuleThreadsOptions): ModuleHost {
  const { maxThreads } = options;
  /** By path; the one that was used last stands last. */
  const threads = new Map<string, ModuleThread>();
  let isClosed = false;

  function threadOf(path: string): ModuleThread {
    const known = threads.get(path);
    threads.delete(path);
    const isGood = known !== undefined && !known.isRetired();
    const thread = isGood ? known : startModuleThread(path, options);
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
      const left = [...threads.values()];
      threads.clear();
      await Promise.all(left.map((thread) => thread.end()));
    },
  };
}
