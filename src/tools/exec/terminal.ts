/**
 * One command that runs, or has run: its output as far as the model has not been told, its output for the item, and
 * the end of both. The item is completed once, when the process has ended and its output is drained.
 */
import { constants } from "node:os";
import type { Clock } from "../../base/clock.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import { createHeadTailBuffer, type HeadTailBuffer } from "../../process/output-buffer.ts";
import type { ProcessExit, RunningProcess } from "../../process/process-host.ts";
import { untilDrained } from "../../process/trailing-output.ts";
import type { CommandItem } from "../permission.ts";
import type { ItemLog } from "../tool.ts";
import { beginCommandItem, createDeltaWriter, endCommandItem } from "./command-item.ts";

/** Output that is kept of one command, head and tail together. */
export const MAX_OUTPUT_BYTES = 1 << 20;
/** The exit code that stands for a command that was ended from here. */
const ENDED_BY_US = -1;

export interface TerminalOptions {
  readonly processId: number;
  readonly threadId: string;
  readonly itemId: string;
  /** The model's own text. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly cwd: string;
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
  /** Resolves when the command has ended and its output is drained. */
  readonly ended: Promise<void>;
  /** Resolves when the item has been completed. */
  readonly completed: Promise<void>;
  lastUsed: number;
  /** A call waits for it, as from its start: it is not ended to make room. */
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
    this.#deltas = createDeltaWriter((delta) => options.items.outputDelta(options.itemId, delta));
  }

  /** Null while it runs. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** What the command has said so far, as its item shows it. */
  get output(): string {
    return this.#transcript.text();
  }

  /** Resolves when the command has ended, and no later than that. */
  async endsWithin(ms: number, signal: AbortSignal): Promise<boolean> {
    await untilFirst(this.ended, ms, signal, this.options.clock);
    return this.#exitCode !== null;
  }

  /** Output that came; before `begin` it is kept back, for an item must be known before its output. */
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
    // It was ended while the system was still starting it.
    if (this.#isEnding) process.release();
  }

  /** The command could not be started: the item begins and ends with the reason. */
  fail(reason: string): void {
    const item = this.#item(null);
    this.options.items.begin(item);
    this.options.items.complete(
      endCommandItem(item, { output: reason, exitCode: ENDED_BY_US, durationMs: 0 }),
    );
    this.#ended.resolve();
    this.#completed.resolve();
  }

  /** Waits for the end of the command, but no longer than that, and takes the output that came meanwhile. */
  async collect(waitMs: number, signal: AbortSignal): Promise<CollectedOutput> {
    this.isWatched = true;
    await untilFirst(this.ended, waitMs, signal, this.options.clock);
    this.isWatched = false;
    const fresh = this.#fresh;
    this.#fresh = createHeadTailBuffer(MAX_OUTPUT_BYTES);
    return { text: fresh.text(), totalBytes: fresh.total(), omittedBytes: fresh.omitted() };
  }

  /** Runs reads and writes one after the other; the item is not completed in the middle of one. */
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

  /** Ends the whole group at once. */
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
    // A poll that waits for this end is let go first, and reports before the item is completed.
    this.#ended.resolve();
    await this.interact(() => Promise.resolve(items.complete(endCommandItem(item, end))));
    this.#completed.resolve();
  }

  #item(processId: number | null): CommandItem {
    const { itemId, argv, cwd } = this.options;
    return beginCommandItem({ id: itemId, argv, cwd, source: "unifiedExecStartup", processId });
  }
}

/** The code as a shell reports it. A terminal hides which signal it was, so that every one is 1 there. */
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
