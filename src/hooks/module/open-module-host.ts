/**
 * Runs hooks that are modules of JavaScript, each module in a thread that stays, so that a call starts no process. A
 * module that hangs or ends its thread loses that thread alone; the next call has a new one.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { createParsedFiles } from "../../config/file-cache.ts";
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
/** Each has a heap of its own; the one that was used least lately makes room. */
export const MAX_MODULE_THREADS = 8;
const MAX_MODULE_BYTES = 16 << 20;
const PLAIN = [".js", ".mjs", ".cjs"];
const TYPED = [".ts", ".mts", ".cts"];

/** The thread's program, beside the given file or in one of the two folders above. */
export function findModuleWorker(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}

type ModuleFile =
  | { readonly kind: "found"; readonly digest: string }
  | { readonly kind: "refused"; readonly reason: string };

export function openModuleHost(options: ModuleHostOptions): ModuleHost {
  const { file, clock, readsTypeScript = stripsTypes() } = options;
  const { maxThreads = MAX_MODULE_THREADS } = options;
  const files = createParsedFiles<ModuleFile>(clock, {
    maxBytes: MAX_MODULE_BYTES,
    parse: (_path, bytes) => ({ kind: "found", digest: createHash("sha256").update(bytes).digest("hex") }),
    missing: (path) => ({ kind: "refused", reason: `module ${path} does not exist` }),
    unreadable: (path, reason) => ({ kind: "refused", reason: `module ${path} cannot be read: ${reason}` }),
  });
  /** By path; the one that was used last stands last. */
  const threads = new Map<string, { readonly digest: string; readonly thread: ModuleThread }>();
  let isClosed = false;

  function threadOf(path: string, digest: string, workerFile: string): ModuleThread {
    const known = threads.get(path);
    threads.delete(path);
    const isGood = known !== undefined && known.digest === digest && !known.thread.isRetired();
    if (known !== undefined && !isGood) known.thread.retire();
    const thread = isGood ? known.thread : startModuleThread(workerFile, pathToFileURL(path).href, options);
    threads.set(path, { digest, thread });
    const [oldest] = threads;
    if (threads.size > maxThreads && oldest !== undefined) {
      threads.delete(oldest[0]);
      oldest[1].thread.retire();
    }
    return thread;
  }

  return {
    async run({ path, input, timeoutSeconds, signal }) {
      const refusal = refuse(path, readsTypeScript);
      if (refusal !== null) return { kind: "failed", message: refusal };
      if (file === null)
        return { kind: "failed", message: "modules cannot be run: this package has no program for them" };
      const found = await files.read(path);
      if (found.kind === "refused") return { kind: "failed", message: found.reason };
      if (isClosed || signal.aborted) return { kind: "interrupted" };
      return threadOf(path, found.digest, file).call({ input, timeoutSeconds, signal });
    },
    async close() {
      isClosed = true;
      const left = [...threads.values()];
      threads.clear();
      await Promise.all(left.map(({ thread }) => thread.end()));
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
