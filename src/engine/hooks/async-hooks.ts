/**
 * Hooks that nobody waits for. A few run at once and the others wait in line; they go on when their turn is over, and
 * end with the thread. What they have to say is held until it can be told without breaking into anything.
 */
export interface AsyncHooks {
  /** Runs it when there is room, and takes what it says. Where even the line is full, it is refused. */
  add(run: AsyncRun): void;
  /** What has been said since it was last asked for, in the order in which the hooks have ended. */
  take(): readonly AsyncHookOutput[];
  /** Ends all that run or wait; resolves when they have ended. */
  close(): Promise<void>;
}

/** One run, from its beginning to its end. Refused, it ends as failed for this reason. Never rejects. */
export type AsyncRun = (signal: AbortSignal, refusal: string | null) => Promise<AsyncHookOutput>;

/** What a hook has to say after its moment has passed. */
export interface AsyncHookOutput {
  /** For the model, no longer than it may be told. */
  readonly contexts: readonly string[];
  /** For the user. */
  readonly warnings: readonly string[];
}

export const MAX_ASYNC_RUNNING = 8;
export const MAX_ASYNC_WAITING = 256;
const REFUSAL = `hook was not run: ${MAX_ASYNC_WAITING} others of this thread are waiting to run`;

export function createAsyncHooks(): AsyncHooks {
  const abort = new AbortController();
  const waiting: AsyncRun[] = [];
  const running = new Set<Promise<void>>();
  let said: AsyncHookOutput[] = [];

  function start(run: AsyncRun, refusal: string | null): void {
    const task: Promise<void> = run(abort.signal, refusal).then((words) => {
      if (words.contexts.length + words.warnings.length > 0) said.push(words);
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
      const words = said;
      said = [];
      return words;
    },
    async close() {
      abort.abort();
      // What waits begins as one ends, and ends at once.
      while (running.size > 0) await Promise.all(running);
    },
  };
}
