/**
 * The server's side of the process that runs hook modules. A module that crashes it, for example by
 * exhausting memory, does not affect the server.
 */
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
  /** Kills the process; pending calls fail with the reason. */
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

/** A call that has not ended this long after its timeout means that the process does not respond. */
const GRACE_MS = 5000;

export function startModuleProcess(options: ModuleProcessOptions): ModuleProcess {
  const { file, clock, env, maxThreads, onPrinted } = options;
  const child = fork(file, [String(maxThreads)], {
    env: definedOnly(env),
    execArgv: [],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // A terminal signal must not reach this process: the server finishes its turns first, and their hooks
    // with them.
    detached: true,
  });
  const pending = new Map<number, (result: HandlerResult) => void>();
  let nextId = 0;
  let ended = false;

  /** A hook that is not awaited does not keep the server alive. */
  function updateReferences(): void {
    for (const handle of [child, child.channel]) {
      if (pending.size > 0) handle?.ref();
      else handle?.unref();
    }
  }

  function resolveCall(id: number, result: HandlerResult): void {
    const resolve = pending.get(id);
    pending.delete(id);
    updateReferences();
    resolve?.(result);
  }

  function failPending(message: string): void {
    ended = true;
    for (const id of pending.keys()) resolveCall(id, { kind: "failed", message });
  }

  function send(message: ToProcess): void {
    if (child.connected) child.send(message, onSent);
  }

  function onSent(error: Error | null): void {
    if (error !== null) failPending(`the process of the modules cannot be reached: ${error.message}`);
  }

  child.on("message", (message: FromProcess) => {
    if (message.kind === "printed") onPrinted(message);
    else resolveCall(message.id, message.result);
  });
  child.on("error", (error) =>
    failPending(`the process of the modules could not be started: ${error.message}`),
  );
  child.on("exit", (code, signal) => failPending(describeExit(code, signal)));
  updateReferences();

  return {
    hasEnded: () => ended,
    run({ path, input, timeoutSeconds, signal }) {
      const id = nextId++;
      return new Promise((resolve) => {
        const interrupt = (): void => {
          send({ kind: "cancel", id });
          resolveCall(id, { kind: "interrupted" });
        };
        const cancelTimer = clock.after(timeoutSeconds * 1000 + GRACE_MS, () => {
          resolveCall(id, { kind: "timedOut", seconds: timeoutSeconds });
          child.kill("SIGKILL");
        });
        pending.set(id, (result) => {
          cancelTimer();
          signal.removeEventListener("abort", interrupt);
          resolve(result);
        });
        updateReferences();
        signal.addEventListener("abort", interrupt, { once: true });
        send({ kind: "call", id, path, input, timeoutSeconds });
        if (ended) failPending("the process of the modules has ended");
      });
    },
    async end(reason) {
      failPending(reason);
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
