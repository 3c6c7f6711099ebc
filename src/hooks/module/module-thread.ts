/**
 * The worker thread of one module: posts calls to it, collects the answers and forwards printed output to the
 * log.
 */
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { HandlerResult } from "../outcome.ts";
import { MAX_STDOUT_BYTES } from "../run/run-command.ts";

export interface ModuleThread {
  /** `stale` where the module's file has changed: the thread runs the old code, and a new one is needed. */
  call(call: ThreadCall): Promise<ThreadResult>;
  /** Accepts no more calls and ends after the last pending one; each call has its own timeout. */
  retire(): void;
  isRetired(): boolean;
  /** Terminates the thread; pending calls fail. */
  end(): Promise<void>;
}

interface ThreadCall {
  readonly input: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

type ThreadResult = HandlerResult | { readonly kind: "stale" };

interface ThreadOptions {
  /** The thread's entry file. */
  readonly file: string;
  readonly clock: Clock;
  readonly onPrinted: (printed: PrintedText) => void;
}

/** A chunk of a module's printed output. */
export interface PrintedText {
  readonly module: string;
  readonly text: string;
}

/** Messages from the server to the thread. */
export type ToModule =
  | { readonly kind: "call"; readonly id: number; readonly input: string }
  /** The caller no longer waits for the answer. */
  | { readonly kind: "cancel"; readonly id: number };

/** Messages from the thread to the server. */
export type FromModule =
  | { readonly kind: "answered"; readonly id: number; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  /** The file has changed since it was loaded. */
  | { readonly kind: "stale"; readonly id: number }
  /** Acknowledges a cancel. */
  | { readonly kind: "cancelled"; readonly id: number };

/** The worker data of a thread. */
export interface ModuleData {
  readonly path: string;
  /** A longer answer is truncated. */
  readonly maxAnswerBytes: number;
}

/** In megabytes; a module that exceeds it loses its thread, or with one large allocation its process. */
const MAX_HEAP_MB = 256;
/** A module that does not acknowledge a cancel within this time blocks its event loop. */
const HANG_MS = 1000;
/** Per chunk of printed output. */
const MAX_LOGGED = 1000;

export function startModuleThread(path: string, { file, clock, onPrinted }: ThreadOptions): ModuleThread {
  const worker = startWorker(file, path);
  for (const stream of [worker.stdout, worker.stderr]) readOutput(stream, path, onPrinted);
  const pending = new Map<number, (result: ThreadResult) => void>();
  /** Cancelled calls whose acknowledgement is pending, each with the cancel function of its hang timer. */
  const unacked = new Map<number, () => void>();
  let nextId = 0;
  let isRetired = false;
  let hasEnded = false;

  const send = (message: ToModule): void => worker.postMessage(message, []);

  function resolveCall(id: number, result: ThreadResult): void {
    const resolve = pending.get(id);
    pending.delete(id);
    resolve?.(result);
    if (isRetired) retire();
  }

  function retire(): void {
    isRetired = true;
    if (pending.size === 0) void worker.terminate();
  }

  function stop(id: number): void {
    if (unacked.has(id)) return;
    send({ kind: "cancel", id });
    unacked.set(
      id,
      clock.after(HANG_MS, () => void worker.terminate()),
    );
  }

  function acknowledge(id: number): void {
    unacked.get(id)?.();
    unacked.delete(id);
  }

  function failPending(reason: string): void {
    isRetired = true;
    hasEnded = true;
    for (const id of unacked.keys()) acknowledge(id);
    for (const id of pending.keys()) resolveCall(id, { kind: "failed", message: reason });
  }

  worker.on("message", (message: FromModule) => {
    if (message.kind === "cancelled") acknowledge(message.id);
    else resolveCall(message.id, toResult(message));
  });
  worker.on("error", (error) => failPending(`the module has ended its thread: ${firstLineOf(error)}`));
  worker.on("exit", () => failPending("the module's thread has ended"));

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
        // The call keeps running after an interrupt; one that exceeds its timeout as well costs the thread.
        const cancelTimer = clock.after(timeoutSeconds * 1000, () => {
          isRetired = true;
          stop(id);
          resolveCall(id, { kind: "timedOut", seconds: timeoutSeconds });
        });
        pending.set(id, (result) => {
          cancelTimer();
          signal.removeEventListener("abort", interrupt);
          resolve(result);
        });
        signal.addEventListener("abort", interrupt, { once: true });
        send({ kind: "call", id, input });
      });
    },
    async end() {
      failPending("the server is closing");
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

/** Reading is also required so that the output of a verbose module does not fill memory. */
function readOutput(stream: Readable, module: string, onPrinted: ThreadOptions["onPrinted"]): void {
  stream.on("data", (chunk: Buffer) => {
    onPrinted({ module, text: chunk.toString("utf8").slice(0, MAX_LOGGED) });
  });
}

/** A thread may throw any value. */
function firstLineOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
