/** One process that a client runs: its output sent on or kept, both to a limit, and its group ended with it. */
import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import { decodeOutput } from "../../process/output-buffer.ts";
import type {
  OutputStream,
  ProcessHost,
  ProcessSpec,
  RunningProcess,
  TerminalSize,
} from "../../process/process-host.ts";
import { exitCodeOf } from "../../tools/exec/terminal.ts";
import type { OutboundBacklog } from "../../transport/transport.ts";

export interface ClientProcessSpec extends ProcessSpec {
  /** Whether output goes to the client as it comes; otherwise it is kept for the end. */
  readonly streams: boolean;
  /** Null lets it take as long as it wants. */
  readonly timeoutMs: number | null;
  /** The bytes that are taken of each stream, from its beginning; null takes all. */
  readonly maxBytes: number | null;
}

export interface OutputDelta {
  readonly stream: OutputStream;
  readonly deltaBase64: string;
  readonly capReached: boolean;
}

export interface ClientProcess {
  readonly takesInput: boolean;
  readonly hasTerminal: boolean;
  /** Resolves when it has exited and nothing holds its output any more, or that has taken too long. */
  readonly ended: Promise<ClientProcessEnd>;
  /**
   * Output and end are held back until this is called, for what comes with the start is told first. While the reader
   * is behind, no more output is taken, and the process waits.
   */
  begin(onDelta: (delta: OutputDelta) => void, backlog: OutboundBacklog): void;
  /** False when the input was closed before. */
  write(bytes: Uint8Array): boolean;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** Ends the whole group; what it wrote before is still delivered. */
  kill(): void;
  /** Ends the whole group and forgets its output. */
  abandon(): void;
}

export interface ClientProcessEnd {
  readonly exitCode: number;
  /** Something that the process left behind still held the output, and was ended. */
  readonly isDrainTimedOut: boolean;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

export interface KeptOutput {
  readonly text: string;
  readonly capReached: boolean;
}

/** What holds where a client names no limits. */
export const DEFAULT_TIMEOUT_MS = 10_000;
export const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
export const DEFAULT_TERMINAL: TerminalSize = { rows: 24, cols: 80 };

/** What is kept of each stream for the end, whatever the client asks for: six times as much of both is still a text. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** How long output is awaited after the exit. */
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
  const brake = createBrake(process);
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

/** Takes no output while the reader is behind. */
function createBrake({ pause, resume }: RunningProcess) {
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
    /** Null while output is taken. */
    released: (): Promise<void> | null => held,
  };
}

async function untilEnd(
  process: RunningProcess,
  spec: ClientProcessSpec,
  clock: Clock,
  { released }: ReturnType<typeof createBrake>,
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
      // Output that waits for its reader is held by nobody else.
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
  const taken = { stdout: createTaken(bound), stderr: createTaken(bound) };
  let early: [Buffer, OutputStream][] | null = [];
  let emit: (delta: OutputDelta) => void = () => {};
  const begun = createDeferred<void>();

  function deliver(chunk: Buffer, stream: OutputStream): void {
    const one = taken[stream];
    if (one.isFull()) return;
    const bytes = one.cut(chunk);
    if (!streams) one.keep(bytes);
    else emit({ stream, deltaBase64: bytes.toString("base64"), capReached: one.isFull() });
  }

  return {
    take(chunk: Buffer, stream: OutputStream): void {
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

/** The limit is reached as soon as so many bytes came, also when there are no more. */
function createTaken(maxBytes: number | null) {
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
    // A copy: the chunk may be a small view on a large buffer.
    keep: (bytes: Buffer): void => void chunks.push(Buffer.from(bytes)),
    result: (): KeptOutput => ({
      text: decodeOutput(Buffer.concat(chunks)),
      capReached: hasAny && left === 0,
    }),
  };
}
