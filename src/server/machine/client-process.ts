/**
 * A process of a client: its output is streamed or collected up to a limit, and its process group ends with
 * it.
 */
import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import { decodeOutput } from "../../process/output-buffer.ts";
import type {
  ProcessHost,
  ProcessSpec,
  ProcessStream,
  RunningProcess,
  TerminalSize,
} from "../../process/process-host.ts";
import { exitCodeOf } from "../../tools/exec/terminal.ts";
import type { OutboundBacklog } from "../../transport/transport.ts";

export interface ClientProcessSpec extends ProcessSpec {
  /** Streams output to the client; otherwise it is collected for the result. */
  readonly streams: boolean;
  /** Null for no timeout. */
  readonly timeoutMs: number | null;
  /** The limit of each output stream; bytes beyond it are dropped. Null for no limit. */
  readonly maxBytes: number | null;
}

export interface OutputDelta {
  readonly stream: ProcessStream;
  readonly deltaBase64: string;
  readonly capReached: boolean;
}

export interface ClientProcess {
  readonly takesInput: boolean;
  readonly hasTerminal: boolean;
  /** Resolves after the exit, when the output is closed or has been drained for too long. */
  readonly ended: Promise<ClientProcessEnd>;
  /**
   * Output and exit are buffered until this is called, because the response to the start goes first. While
   * the client is behind, the process is paused.
   */
  begin(onDelta: (delta: OutputDelta) => void, backlog: OutboundBacklog): void;
  /** False if the input was already closed. */
  write(bytes: Uint8Array): boolean;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** Kills the process group; output written before is still delivered. */
  kill(): void;
  /** Kills the process group and discards its output. */
  abandon(): void;
}

export interface ClientProcessEnd {
  readonly exitCode: number;
  /** A descendant still held the output open after the exit, and was killed. */
  readonly isDrainTimedOut: boolean;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

export interface KeptOutput {
  readonly text: string;
  readonly capReached: boolean;
}

/** Defaults for requests without limits. */
export const DEFAULT_TIMEOUT_MS = 10_000;
export const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
export const DEFAULT_TERMINAL: TerminalSize = { rows: 24, cols: 80 };

/**
 * The limit of each collected stream. Both together, escaped six times as long in JSON, still fit into a
 * string.
 */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** The timeout for output that remains after the exit. */
const DRAIN_MS = 2_000;
const TIMED_OUT = 124;

export type ClientProcessStart =
  | { readonly kind: "started"; readonly process: ClientProcess }
  | { readonly kind: "failed"; readonly error: Error };

export async function startClientProcess(
  { host, clock }: { readonly host: ProcessHost; readonly clock: Clock },
  spec: ClientProcessSpec,
): Promise<ClientProcessStart> {
  const output = createOutput(spec);
  const outcome = await host.start(spec, output.take);
  if (outcome.kind === "failed") return outcome;
  const { process } = outcome;
  const brake = createBackPressure(process);
  let isInputOpen = spec.terminal !== undefined || spec.input === "pipe";
  return {
    kind: "started",
    process: {
      takesInput: isInputOpen,
      hasTerminal: spec.terminal !== undefined,
      ended: Promise.all([untilEnd(process, spec, clock, brake), output.begun]).then(([end]) => ({
        ...end,
        ...output.result(),
      })),
      begin: (onDelta, backlog) =>
        output.begin((delta) => {
          onDelta(delta);
          brake.follow(backlog);
        }),
      write(bytes) {
        if (isInputOpen && bytes.length > 0) process.write(bytes);
        return isInputOpen || bytes.length === 0;
      },
      endInput() {
        isInputOpen = false;
        process.endInput();
      },
      resize: process.resize,
      kill: () => process.signal("SIGKILL"),
      abandon() {
        process.release();
        output.begin(() => {});
      },
    },
  };
}

/** Back-pressure: pauses the process while the client is behind. */
function createBackPressure({ pause, resume }: RunningProcess) {
  let held: Promise<void> | null = null;
  return {
    follow(backlog: OutboundBacklog): void {
      if (held !== null || !backlog.isBehind()) return;
      pause();
      held = backlog.whenCaughtUp().then(() => {
        held = null;
        resume();
      });
    },
    /** Resolves when the process is resumed; null if it is not paused. */
    released: (): Promise<void> | null => held,
  };
}

async function untilEnd(
  process: RunningProcess,
  spec: ClientProcessSpec,
  clock: Clock,
  { released }: ReturnType<typeof createBackPressure>,
) {
  let isTimedOut = false;
  let isDrainTimedOut = false;
  const cancelTimeout =
    spec.timeoutMs === null
      ? () => {}
      : clock.after(spec.timeoutMs, () => {
          isTimedOut = true;
          process.signal("SIGKILL");
        });
  const exit = await process.exited;
  cancelTimeout();
  let cancelDrain = () => {};
  const awaitOutput = () => {
    cancelDrain = clock.after(DRAIN_MS, () => {
      const held = released();
      // The output is paused for the client, so the drain timeout starts again.
      if (held !== null) return void held.then(awaitOutput);
      isDrainTimedOut = true;
      process.release();
    });
  };
  awaitOutput();
  await process.closed;
  cancelDrain();
  process.release();
  return {
    exitCode: isTimedOut ? TIMED_OUT : exitCodeOf(exit, spec.terminal !== undefined),
    isDrainTimedOut,
  };
}

function createOutput({ streams, maxBytes }: ClientProcessSpec) {
  const bound = streams ? maxBytes : Math.min(maxBytes ?? MAX_KEPT_BYTES, MAX_KEPT_BYTES);
  const taken = { stdout: createLimitedOutput(bound), stderr: createLimitedOutput(bound) };
  let early: [Buffer, ProcessStream][] | null = [];
  let emit: (delta: OutputDelta) => void = () => {};
  const begun = createDeferred<void>();

  function deliver(chunk: Buffer, stream: ProcessStream): void {
    const one = taken[stream];
    if (one.isFull()) return;
    const bytes = one.cut(chunk);
    if (!streams) one.keep(bytes);
    else emit({ stream, deltaBase64: bytes.toString("base64"), capReached: one.isFull() });
  }

  return {
    take(chunk: Buffer, stream: ProcessStream): void {
      if (early === null) deliver(chunk, stream);
      else early.push([Buffer.from(chunk), stream]);
    },
    begin(onDelta: (delta: OutputDelta) => void): void {
      emit = onDelta;
      const held = early ?? [];
      early = null;
      for (const [chunk, stream] of held) deliver(chunk, stream);
      begun.resolve();
    },
    begun: begun.promise,
    result: () => ({ stdout: taken.stdout.result(), stderr: taken.stderr.result() }),
  };
}

/** Counts bytes up to the limit. A stream counts as capped when it reaches the limit exactly. */
function createLimitedOutput(maxBytes: number | null) {
  const chunks: Buffer[] = [];
  let left = maxBytes ?? Number.POSITIVE_INFINITY;
  let hasAny = false;
  return {
    isFull: () => hasAny && left === 0,
    cut(chunk: Buffer): Buffer {
      const bytes = chunk.length <= left ? chunk : chunk.subarray(0, left);
      left -= bytes.length;
      hasAny = true;
      return bytes;
    },
    // Copied, because the chunk may be a small view of a large buffer.
    keep: (bytes: Buffer): void => void chunks.push(Buffer.from(bytes)),
    result: (): KeptOutput => ({
      text: decodeOutput(Buffer.concat(chunks)),
      capReached: hasAny && left === 0,
    }),
  };
}
