/** Runs hooks that are JavaScript modules, in a separate process that is started by the first call. */
import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { type ModuleProcess, startModuleProcess } from "./module-process.ts";
import type { ModuleHost } from "./open-module-threads.ts";

export interface ModuleHostOptions {
  /** The bundle of `module-worker-main.ts`; null where the package has none. */
  readonly file: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Environment;
  /** Whether this version of Node loads TypeScript. */
  readonly readsTypeScript?: boolean;
  readonly maxThreads?: number;
}

/** The file name that the build gives to the bundle of `module-worker-main.ts`. */
const WORKER_FILE = "hook-worker.cjs";
/**
 * Each thread takes some megabytes; the least recently used one is evicted. If one event has more hooks than
 * this, all of them start anew each time.
 */
export const MAX_MODULE_THREADS = 32;
const PLAIN = [".js", ".mjs", ".cjs"];
const TYPED = [".ts", ".mts", ".cts"];

/** The worker bundle, beside the given file or in one of the two folders above it. */
export function findModuleWorker(file: string): string | null {
  const own = dirname(file);
  const candidates = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}

export function openModuleHost(options: ModuleHostOptions): ModuleHost {
  const { file, clock, env, log, readsTypeScript = stripsTypes() } = options;
  const { maxThreads = MAX_MODULE_THREADS } = options;
  let running: ModuleProcess | null = null;
  let isClosed = false;

  function started(program: string): ModuleProcess {
    if (running === null || running.hasEnded())
      running = startModuleProcess({
        file: program,
        clock,
        env,
        maxThreads,
        onPrinted: (printed) => log.debug("a module of hooks printed", { ...printed }),
      });
    return running;
  }

  return {
    async run(call) {
      const refusal = refuse(call.path, readsTypeScript);
      if (refusal !== null) return { kind: "failed", message: refusal };
      if (file === null)
        return { kind: "failed", message: "modules cannot be run: this package has no program for them" };
      if (isClosed || call.signal.aborted) return { kind: "interrupted" };
      return started(file).run(call);
    },
    async close() {
      isClosed = true;
      await running?.end("the server is closing");
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

/** Node strips types from 22.18 on; the type definitions of older versions do not declare the feature. */
function stripsTypes(): boolean {
  return Boolean((process.features as { readonly typescript?: unknown }).typescript);
}
