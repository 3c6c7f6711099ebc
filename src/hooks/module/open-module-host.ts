/**
 * Runs hooks that are modules of JavaScript, each module in a thread that stays, so that a call starts no process. A
 * module that hangs or ends its thread loses that thread alone; the next call has a new one.
 */
import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import type { HandlerResult } from "../outcome.ts";
import { type ModuleThread, startModuleThread } from "./module-thread.ts";

export interface ModuleHost {
  /** Never throws; whatever goes wrong is a result. */
  run(call: ModuleCall): Promise<HandlerResult>;
  close(): Promise<void>;
}

export interface ModuleCall {
  /** Absolute. */
  readonly path: string;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Ends the run at once. */
  readonly signal: AbortSignal;
}

export interface ModuleHostOptions {
  /** The bundle of `module-worker-main.ts`; null where the package has none. */
  readonly file: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Environment;
  /** Whether this Node loads TypeScript by itself. */
  readonly readsTypeScript?: boolean;
  readonly maxThreads?: number;
}

/** The name that the build gives to the bundle of `module-worker-main.ts`. */
const WORKER_FILE = "hook-worker.cjs";
/**
 * Each takes some megabytes; the one that was used least lately makes room. Hooks of an event that are more than this
 * all start anew each time.
 */
export const MAX_MODULE_THREADS = 32;
/** A module that changes faster than it is loaded is given up. */
const MAX_LOADS = 3;
const PLAIN = [".js", ".mjs", ".cjs"];
const TYPED = [".ts", ".mts", ".cts"];

/** The thread's program, beside the given file or in one of the two folders above. */
export function findModuleWorker(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}

export function openModuleHost(options: ModuleHostOptions): ModuleHost {
  const { file, readsTypeScript = stripsTypes() } = options;
  const { maxThreads = MAX_MODULE_THREADS } = options;
  /** By path; the one that was used last stands last. */
  const threads = new Map<string, ModuleThread>();
  let isClosed = false;

  function threadOf(path: string, workerFile: string): ModuleThread {
    const known = threads.get(path);
    threads.delete(path);
    const isGood = known !== undefined && !known.isRetired();
    const thread = isGood ? known : startModuleThread(workerFile, path, options);
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
      const refusal = refuse(path, readsTypeScript);
      if (refusal !== null) return { kind: "failed", message: refusal };
      if (file === null)
        return { kind: "failed", message: "modules cannot be run: this package has no program for them" };
      for (let load = 0; load < MAX_LOADS; load += 1) {
        if (isClosed || call.signal.aborted) return { kind: "interrupted" };
        const thread = threadOf(path, file);
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

function refuse(path: string, readsTypeScript: boolean): string | null {
  const extension = extname(path);
  if (PLAIN.includes(extension) || (readsTypeScript && TYPED.includes(extension))) return null;
  if (TYPED.includes(extension))
    return `module ${path} is TypeScript, which Node ${process.versions.node} cannot load: build it to a .js or .mjs file, or run the server with Node 22.18 or later`;
  return `module ${path} has no name that ends with ${PLAIN.join(", ")}`;
}

/** By itself, as Node does from 22.18 on; the types of older ones do not name the feature. */
function stripsTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}
