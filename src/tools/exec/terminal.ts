/**
 * One command that runs or has exited: the output not yet sent to the model, the output of its item, and
 * their completion. The item is completed once, after the process has exited and its output is drained.
 */
import { constants } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import { createHeadTailBuffer, type HeadTailBuffer } from "../../process/output-buffer.ts";
import type { ProcessExit, RunningProcess } from "../../process/process-host.ts";
import { untilDrained } from "../../process/trailing-output.ts";
import type { CommandItem } from "../permission.ts";
import type { ItemLog } from "../tool.ts";
import { createDeltaWriter, endCommandItem } from "./command-item.ts";

/** Retained output per command, head and tail together. */
export const MAX_OUTPUT_BYTES = 1 << 20;
/** The exit code of a command that the server killed. */
const ENDED_BY_US = -1;

export interface TerminalOptions {
  readonly processId: number;
  readonly threadId: string;
  /** The item of the requested command, as it was judged. */
  readonly item: CommandItem;
  /** The script as the model wrote it. */
  readonly script: string;
  readonly tty: boolean;
  readonly items: ItemLog;
  readonly clock: Clock;
}

export interface CollectedOutput {
  readonly text: string;
  readonly totalBytes: number;
  readonly omittedBytes: number;
}

export class Terminal {
  readonly options: TerminalOptions;
  /** Resolves when the command has exited and its output is drained. */
  readonly ended: Promise<void>;
  /** Resolves when the item has been completed. */
  readonly completed: Promise<void>;
  lastUsed: number;
  /** A call waits for it, initially the one that started it, so that it is not evicted. */
  isWatched = true;
  readonly #ended: Deferred<void> = createDeferred();
  readonly #completed: Deferred<void> = createDeferred();
  readonly #deltas: ReturnType<typeof createDeltaWriter>;
  readonly #transcript: HeadTailBuffer = createHeadTailBuffer(MAX_OUTPUT_BYTES);
  #fresh: HeadTailBuffer = createHeadTailBuffer(MAX_OUTPUT_BYTES);
  #early: Buffer[] | null = [];
  #process: RunningProcess | null = null;
  #exitCode: number | null = null;
  #isEnding = false;
  #interactions: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalOptions) {
    this.options = options;
    this.ended = this.#ended.promise;
    this.completed = this.#completed.promise;
    this.lastUsed = options.clock.monotonic();
    this.#deltas = createDeltaWriter((delta) => options.items.outputDelta(options.item.id, delta));
  }

  /** Null while it runs. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** The output so far, as shown in the item. */
  get output(): string {
    return this.#transcript.text();
  }

  /** Resolves when the command exits or the timeout passes. */
  async endsWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    await untilFirst(this.ended, ms, signal, this.options.clock);
    return this.#exitCode !== null;
  }

  /** Output before `begin` is buffered, because clients must know an item before its output. */
  receive(chunk: Buffer): void {
    this.#fresh.push(chunk);
    this.#transcript.push(chunk);
    if (this.#early === null) this.#deltas.write(chunk);
    else this.#early.push(chunk);
  }

  begin(process: RunningProcess): void {
    const { items, clock } = this.options;
    const item = this.#item(this.options.processId);
    const startedAt = clock.monotonic();
    items.begin(item);
    this.#process = process;
    for (const chunk of this.#early ?? []) this.#deltas.write(chunk);
    this.#early = null;
    void this.#finish(process, item, startedAt);
    // The command was killed while the system was still starting it.
    if (this.#isEnding) process.release();
  }

  /** The command could not be started: the item starts and completes with the reason. */
  fail(reason: string): void {
    const item = this.#item(null);
    this.options.items.begin(item);
    this.options.items.complete(
      endCommandItem(item, { output: reason, exitCode: ENDED_BY_US, durationMs: 0 }),
    );
    this.#ended.resolve();
    this.#completed.resolve();
  }

  /** Waits for the exit of the command, up to a timeout, and takes the output since the last call. */
  async collect(waitMs: number, signal: AbortSignal): Promise<CollectedOutput> {
    this.isWatched = true;
    await untilFirst(this.ended, waitMs, signal, this.options.clock);
    this.isWatched = false;
    const fresh = this.#fresh;
    this.#fresh = createHeadTailBuffer(MAX_OUTPUT_BYTES);
    return { text: fresh.text(), totalBytes: fresh.total(), omittedBytes: fresh.omitted() };
  }

  /** Serializes reads and writes; the item is not completed during one. */
  interact<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#interactions.then(work);
    this.#interactions = result.catch(() => {});
    return result;
  }

  write(text: string): void {
    this.#process?.write(Buffer.from(text));
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name);
  }

  /** Kills the process group. */
  async end(): Promise<void> {
    if (this.#exitCode !== null) return;
    this.#isEnding = true;
    this.#process?.release();
    await this.#process?.exited;
  }

  async #finish(process: RunningProcess, item: CommandItem, startedAt: number): Promise<void> {
    const { items, clock, tty } = this.options;
    const exit = await process.exited;
    await untilDrained(process, clock);
    process.release();
    this.#deltas.end();
    this.#exitCode = this.#isEnding ? ENDED_BY_US : exitCodeOf(exit, tty);
    const end = {
      output: this.#transcript.text(),
      exitCode: this.#exitCode,
      durationMs: clock.monotonic() - startedAt,
    };
    // A poll that waits for the exit resolves first, so that it reports before the item is completed.
    this.#ended.resolve();
    await this.interact(() => Promise.resolve(items.complete(endCommandItem(item, end))));
    this.#completed.resolve();
  }

  #item(processId: number | null): CommandItem {
    return {
      ...this.options.item,
      source: "unifiedExecStartup",
      processId: processId === null ? null : String(processId),
    };
  }
}

/**
 * The exit code as a shell reports it. A terminal hides which signal it was, so that any signal is 1 there.
 */
export function exitCodeOf({ code, signal }: ProcessExit, tty: boolean): number {
  if (code !== null) return code;
  if (tty || signal === null) return tty ? 1 : ENDED_BY_US;
  return 128 + constants.signals[signal];
}

function untilFirst(
  done: Promise<unknown>,
  waitMs: number,
  signal: AbortSignal | null,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(waitMs, finish);
    if (signal?.aborted === true) finish();
    signal?.addEventListener("abort", finish, { once: true });
    void done.then(finish);
  });
}
