/** The process that modules run in, as the server sees it: a module that ends it, as with too much memory, ends no more. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Clock } from "../../base/clock.ts";
import { definedOnly, type Environment } from "../../base/environment.ts";
import type { HandlerResult } from "../outcome.ts";
import type { ModuleCall } from "../run/run-handler.ts";
import type { PrintedText } from "./module-thread.ts";
import type { FromProcess, ToProcess } from "./serve-modules.ts";

export interface ModuleProcess {
  run(call: ModuleCall): Promise<HandlerResult>;
  hasEnded(): boolean;
  /** Ends it at once, with all that runs in it. */
  end(reason: string): Promise<void>;
}

export interface ModuleProcessOptions {
  /** The bundle of `module-worker-main.ts`. */
  readonly file: string;
  readonly clock: Clock;
  readonly env: Environment;
  readonly maxThreads: number;
  readonly onPrinted: (printed: PrintedText) => void;
}

/** Beyond the time of a call; one that has not ended by then is not heard by its process. */
const GRACE_MS = 5000;

export function startModuleProcess(options: ModuleProcessOptions): ModuleProcess {
  const { file, clock, env, maxThreads, onPrinted } = options;
  const child = fork(file, [String(maxThreads)], {
    env: definedOnly(env),
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // What ends the server from a terminal lets its turns end first, and their hooks with them.
    detached: true,
  });
  const open = new Map<number, (result: HandlerResult) => void>();
  let nextId = 0;
  let ended = false;

  /** A hook that nobody waits for does not keep the server alive. */
  function holdServer(): void {
    for (const held of [child, child.channel]) {
      if (open.size > 0) held?.ref();
      else held?.unref();
    }
  }

  function settle(id: number, result: HandlerResult): void {
    const resolve = open.get(id);
    open.delete(id);
    holdServer();
    resolve?.(result);
  }

  function lose(message: string): void {
    ended = true;
    for (const id of open.keys()) settle(id, { kind: "failed", message });
  }

  function send(message: ToProcess): void {
    if (child.connected) child.send(message, onSent);
  }

  function onSent(error: Error | null): void {
    if (error !== null) lose(`the process of the modules cannot be reached: ${error.message}`);
  }

  child.on("message", (message: FromProcess) => {
    if (message.kind === "printed") onPrinted(message);
    else settle(message.id, message.result);
  });
  child.on("error", (error) => lose(`the process of the modules could not be started: ${error.message}`));
  child.on("exit", (code, signal) => lose(describeExit(code, signal)));
  holdServer();

  return {
    hasEnded: () => ended,
    run({ path, input, timeoutSeconds, signal }) {
      const id = nextId++;
      return new Promise((resolve) => {
        const interrupt = (): void => {
          send({ kind: "cancel", id });
          settle(id, { kind: "interrupted" });
        };
        const cancelTimer = clock.after(timeoutSeconds * 1000 + GRACE_MS, () => {
          settle(id, { kind: "timedOut", seconds: timeoutSeconds });
          child.kill("SIGKILL");
        });
        open.set(id, (result) => {
          cancelTimer();
          signal.removeEventListener("abort", interrupt);
          resolve(result);
        });
        holdServer();
        signal.addEventListener("abort", interrupt, { once: true });
        send({ kind: "call", id, path, input, timeoutSeconds });
        if (ended) lose("the process of the modules has ended");
      });
    },
    async end(reason) {
      lose(reason);
      await killed(child);
    },
  };
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return `the process of the modules has ended ${how}; a module may have used too much memory`;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.ref();
  child.kill("SIGKILL");
  await exited;
}
