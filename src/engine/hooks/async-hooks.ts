/**
 * The asynchronous hooks of a thread. A few run concurrently and the others are queued; they outlive their turn, and
 * are aborted with the thread. Their output is buffered until it can be recorded between two steps.
 */
export interface AsyncHooks {
  /** Runs the hook when a slot is free, and buffers its output. Where the queue is full, the run is refused. */
  add(run: AsyncRun): void;
  /** Removes and returns the buffered output, in the order in which the hooks ended. */
  take(): readonly AsyncHookOutput[];
  /** Aborts running and queued hooks; resolves when they have ended. */
  close(): Promise<void>;
}

/** One hook run. With a refusal, it fails with that reason instead of running. Never rejects. */
export type AsyncRun = (signal: AbortSignal, refusal: string | null) => Promise<AsyncHookOutput>;

/** The output of a hook that ended after its event. */
export interface AsyncHookOutput {
  /** Texts for the model, already shortened to its limit. */
  readonly contexts: readonly string[];
  /** Texts for the user. */
  readonly warnings: readonly string[];
}

export const MAX_ASYNC_RUNNING = 8;
export const MAX_ASYNC_WAITING = 256;
const REFUSAL = `hook was not run: ${MAX_ASYNC_WAITING} others of this thread are waiting to run`;

export function createAsyncHooks(): AsyncHooks {
  const abort = new AbortController();
  const waiting: AsyncRun[] = [];
  const running = new Set<Promise<void>>();
  let outputs: AsyncHookOutput[] = [];

  function start(run: AsyncRun, refusal: string | null): void {
    const task: Promise<void> = run(abort.signal, refusal).then((output) => {
      if (output.contexts.length + output.warnings.length > 0) outputs.push(output);
      running.delete(task);
      const next = waiting.shift();
      if (next !== undefined) start(next, null);
    });
    running.add(task);
  }

  return {
    add(run) {
      if (running.size < MAX_ASYNC_RUNNING) start(run, null);
      else if (waiting.length < MAX_ASYNC_WAITING) waiting.push(run);
      else void run(abort.signal, REFUSAL);
    },
    take() {
      const taken = outputs;
      outputs = [];
      return taken;
    },
    async close() {
      abort.abort();
      // A queued run starts when another one ends; with the aborted signal it ends at once.
      while (running.size > 0) await Promise.all(running);
    },
  };
}
