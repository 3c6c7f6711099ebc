/** The thread of one module: calls go in, answers come out, and what the module prints goes to the log. */
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { HandlerResult } from "../outcome.ts";
import { MAX_STDOUT_BYTES } from "../run/run-command.ts";

export interface ModuleThread {
  /** Stale where the module's file is another one by now: the thread has the old code, and another is needed. */
  call(call: ThreadCall): Promise<ThreadResult>;
  /** Takes no more calls, and ends when the last of them has ended; each has its own time. */
  retire(): void;
  isRetired(): boolean;
  /** Ends it at once, with all that runs in it. */
  end(): Promise<void>;
}

interface ThreadCall {
  readonly input: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

type ThreadResult = HandlerResult | { readonly kind: "stale" };

interface ThreadOptions {
  /** The program of the thread. */
  readonly file: string;
  readonly clock: Clock;
  readonly onPrinted: (printed: PrintedText) => void;
}

/** A piece of what a module printed. */
export interface PrintedText {
  readonly module: string;
  readonly text: string;
}

/** What the server says to the thread. */
export type ToModule =
  | { readonly kind: "call"; readonly id: number; readonly input: string }
  /** Nobody waits for it any longer. */
  | { readonly kind: "cancel"; readonly id: number };

/** What the thread says to the server. */
export type FromModule =
  | { readonly kind: "answered"; readonly id: number; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  /** The file says something else than when it was loaded. */
  | { readonly kind: "stale"; readonly id: number }
  /** It has heard that nobody waits. */
  | { readonly kind: "cancelled"; readonly id: number };

/** Where the thread finds its module. */
export interface ModuleData {
  readonly path: string;
  /** What is answered beyond this is dropped. */
  readonly maxAnswerBytes: number;
}

/** In megabytes; a module that needs more loses its thread, or with one large allocation its process. */
const MAX_HEAP_MB = 256;
/** A module that does not even hear within this that it shall stop never returns to its loop. */
const HANG_MS = 1000;
/** Of one piece of what a module prints. */
const MAX_LOGGED = 1000;

export function startModuleThread(path: string, { file, clock, onPrinted }: ThreadOptions): ModuleThread {
  const worker = startWorker(file, path);
  for (const stream of [worker.stdout, worker.stderr]) readOutput(stream, path, onPrinted);
  const open = new Map<number, (result: ThreadResult) => void>();
  /** Calls that were told to stop and have not heard it yet. */
  const deaf = new Map<number, () => void>();
  let nextId = 0;
  let isRetired = false;
  let hasEnded = false;

  const send = (message: ToModule): void => worker.postMessage(message, []);

  function settle(id: number, result: ThreadResult): void {
    const resolve = open.get(id);
    open.delete(id);
    resolve?.(result);
    if (isRetired) retire();
  }

  function retire(): void {
    isRetired = true;
    if (open.size === 0) void worker.terminate();
  }

  function stop(id: number): void {
    if (deaf.has(id)) return;
    send({ kind: "cancel", id });
    deaf.set(
      id,
      clock.after(HANG_MS, () => void worker.terminate()),
    );
  }

  function hear(id: number): void {
    deaf.get(id)?.();
    deaf.delete(id);
  }

  function lose(reason: string): void {
    isRetired = true;
    hasEnded = true;
    for (const id of deaf.keys()) hear(id);
    for (const id of open.keys()) settle(id, { kind: "failed", message: reason });
  }

  worker.on("message", (message: FromModule) => {
    if (message.kind === "cancelled") hear(message.id);
    else settle(message.id, toResult(message));
  });
  worker.on("error", (error) => lose(`the module has ended its thread: ${firstLineOf(error)}`));
  worker.on("exit", () => lose("the module's thread has ended"));

  return {
    retire,
    isRetired: () => isRetired,
    call({ input, timeoutSeconds, signal }) {
      if (hasEnded) return Promise.resolve({ kind: "failed", message: "the module's thread has ended" });
      const id = nextId++;
      return new Promise((resolve) => {
        const interrupt = (): void => {
          stop(id);
          resolve({ kind: "interrupted" });
        };
        // It runs on after an interrupt: what does not end then either costs the thread.
        const cancelTimer = clock.after(timeoutSeconds * 1000, () => {
          isRetired = true;
          stop(id);
          settle(id, { kind: "timedOut", seconds: timeoutSeconds });
        });
        open.set(id, (result) => {
          cancelTimer();
          signal.removeEventListener("abort", interrupt);
          resolve(result);
        });
        signal.addEventListener("abort", interrupt, { once: true });
        send({ kind: "call", id, input });
      });
    },
    async end() {
      lose("the server is closing");
      await worker.terminate();
    },
  };
}

function startWorker(file: string, path: string): Worker {
  const workerData: ModuleData = { path, maxAnswerBytes: MAX_STDOUT_BYTES };
  const worker = new Worker(file, {
    workerData,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  return worker;
}

function toResult(message: Exclude<FromModule, { kind: "cancelled" }>): ThreadResult {
  if (message.kind === "stale") return { kind: "stale" };
  if (message.kind === "failed") return { kind: "failed", message: message.message };
  const { text, isCut } = message;
  return { kind: "exited", exitCode: 0, stdout: text, stderr: "", isCut };
}

/** Also read so that a module which prints a lot does not fill the memory. */
function readOutput(stream: Readable, module: string, onPrinted: ThreadOptions["onPrinted"]): void {
  stream.on("data", (chunk: Buffer) => {
    onPrinted({ module, text: chunk.toString("utf8").slice(0, MAX_LOGGED) });
  });
}

/** What is thrown in a thread may be anything. */
function firstLineOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
