/** Runs a process to its end: its output kept to a limit, its time too, and its group ended with it. */
import type { Clock } from "../base/clock.ts";
import type {
  OutputListener,
  OutputStream,
  ProcessExit,
  ProcessHost,
  ProcessSpec,
  RunningProcess,
} from "./process-host.ts";

export interface CaptureOptions {
  readonly clock: Clock;
  /** Null lets it take as long as it wants. */
  readonly timeoutMs: number | null;
  /** The bytes that are kept of each stream, from its beginning; null keeps all. */
  readonly maxBytes: number | null;
  readonly signal?: AbortSignal;
  /** Is given what is within the limit, as it comes. */
  readonly onOutput?: OutputListener;
  /** Is given the process as soon as there is one, to type into it or to end it. */
  readonly onStart?: (process: RunningProcess) => void;
}

export interface CapturedStream {
  readonly bytes: Buffer;
  /** There was more. */
  readonly isCapped: boolean;
}

export type CaptureOutcome =
  | { readonly kind: "failed"; readonly error: Error }
  | {
      readonly kind: "ended";
      readonly exit: ProcessExit;
      readonly isTimedOut: boolean;
      /** Something that the process left behind still held the output, and was ended. */
      readonly isDrainTimedOut: boolean;
      readonly stdout: CapturedStream;
      readonly stderr: CapturedStream;
    };

/** How long output is awaited after the exit. */
const DRAIN_MS = 2_000;

export async function captureProcess(
  host: ProcessHost,
  spec: ProcessSpec,
  options: CaptureOptions,
): Promise<CaptureOutcome> {
  const streams = { stdout: createCapture(options.maxBytes), stderr: createCapture(options.maxBytes) };
  const outcome = await host.start(spec, (chunk, stream: OutputStream) => {
    const taken = streams[stream].take(chunk);
    if (taken.length > 0) options.onOutput?.(taken, stream);
  });
  if (outcome.kind === "failed") return outcome;
  const { process } = outcome;
  options.onStart?.(process);
  const end = await untilEnd(process, options);
  return { kind: "ended", ...end, stdout: streams.stdout.result(), stderr: streams.stderr.result() };
}

async function untilEnd(process: RunningProcess, { clock, timeoutMs, signal }: CaptureOptions) {
  let isTimedOut = false;
  let isDrainTimedOut = false;
  const abort = (): void => process.release();
  const cancelTimeout =
    timeoutMs === null
      ? () => {}
      : clock.after(timeoutMs, () => {
          isTimedOut = true;
          abort();
        });
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const exit = await process.exited;
  cancelTimeout();
  const cancelDrain = clock.after(DRAIN_MS, () => {
    isDrainTimedOut = true;
    abort();
  });
  await process.closed;
  cancelDrain();
  signal?.removeEventListener("abort", abort);
  process.release();
  return { exit, isTimedOut, isDrainTimedOut };
}

function createCapture(maxBytes: number | null) {
  const chunks: Buffer[] = [];
  let left = maxBytes ?? Number.POSITIVE_INFINITY;
  let isCapped = false;
  return {
    take(chunk: Buffer): Buffer {
      const taken = chunk.length <= left ? chunk : chunk.subarray(0, left);
      isCapped ||= taken.length < chunk.length;
      left -= taken.length;
      // A copy: the chunk may be a small view on a large buffer.
      if (taken.length > 0) chunks.push(Buffer.from(taken));
      return taken;
    },
    result: (): CapturedStream => ({ bytes: Buffer.concat(chunks), isCapped }),
  };
}
