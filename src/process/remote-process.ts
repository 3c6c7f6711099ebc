/** The server's handle of a process in the helper; calls and events are exchanged as frames. */
import { createDeferred } from "../base/tasks.ts";
import { ACK_BYTES, FRAME, type Frame, type FrameSink } from "./frame.ts";
import {
  type OutputListener,
  type ProcessExit,
  type ProcessStartOutcome,
  type RunningProcess,
  signalGroup,
} from "./process-host.ts";

export interface RemoteProcess {
  readonly outcome: Promise<ProcessStartOutcome>;
  /** Resolves when the process is released and closed, so that no more frames are exchanged. */
  readonly finished: Promise<void>;
  take(frame: Omit<Frame, "id">): void;
  /** The helper has died. */
  abandon(): void;
}

export function createRemoteProcess(id: number, sink: FrameSink, onOutput: OutputListener): RemoteProcess {
  const outcome = createDeferred<ProcessStartOutcome>();
  const exited = createDeferred<ProcessExit>();
  const closed = createDeferred<void>();
  const released = createDeferred<void>();
  let unacknowledged = 0;
  const outputQueue = createOutputQueue(onOutput, (bytes) => {
    unacknowledged += bytes;
    if (unacknowledged < ACK_BYTES) return;
    sink.sendNumber(FRAME.ack, id, unacknowledged);
    unacknowledged = 0;
  });
  const send = (kind: number, body?: Uint8Array | string): void => sink.send(kind, id, body);
  const release = (kind: number): void => {
    send(kind);
    outputQueue.stop();
    released.resolve();
  };
  let pid: number | null = null;

  const handle = (): RunningProcess => ({
    pid: pid ?? 0,
    exited: exited.promise,
    closed: closed.promise,
    write: (bytes) => send(FRAME.input, bytes),
    endInput: () => send(FRAME.endInput),
    resize: (size) => send(FRAME.resize, JSON.stringify(size)),
    signal: (name) => send(FRAME.signal, name),
    terminate: () => send(FRAME.terminate),
    pause: outputQueue.pause,
    resume: outputQueue.resume,
    release: () => release(FRAME.release),
    detach: () => release(FRAME.detach),
  });

  function take({ kind, body }: Omit<Frame, "id">): void {
    if (kind === FRAME.stdout) outputQueue.take(body, "stdout");
    else if (kind === FRAME.stderr) outputQueue.take(body, "stderr");
    else if (kind === FRAME.started) {
      pid = body.readUInt32LE(0);
      outcome.resolve({ kind: "started", process: handle() });
    } else if (kind === FRAME.failed) {
      const { message, ...rest } = JSON.parse(body.toString()) as { message: string };
      outcome.resolve({ kind: "failed", error: Object.assign(new Error(message), rest) });
      released.resolve();
      closed.resolve();
    } else if (kind === FRAME.exited) exited.resolve(JSON.parse(body.toString()) as ProcessExit);
    else if (kind === FRAME.closed) void outputQueue.drained().then(closed.resolve);
  }

  return {
    outcome: outcome.promise,
    finished: Promise.all([released.promise, closed.promise]).then(() => {}),
    take,
    abandon() {
      // A helper that was killed could not end its children.
      if (pid !== null) signalGroup(pid, "SIGKILL");
      outcome.resolve({ kind: "failed", error: new Error("the helper process ended") });
      exited.resolve({ code: null, signal: "SIGKILL" });
      outputQueue.stop();
      closed.resolve();
    },
  };
}

/** Delivers and acknowledges output; while paused it is queued, which the flow control window bounds. */
function createOutputQueue(onOutput: OutputListener, acknowledge: (bytes: number) => void) {
  let queued: (() => void)[] = [];
  let isPaused = false;
  let isStopped = false;
  let onDrained = (): void => {};

  function resume(): void {
    isPaused = false;
    const deliveries = queued;
    queued = [];
    // A delivery may pause again; the remaining ones are then queued again.
    for (const deliver of deliveries) {
      if (isPaused) queued.push(deliver);
      else deliver();
    }
    if (queued.length === 0) onDrained();
  }

  return {
    take(chunk: Buffer, stream: "stdout" | "stderr"): void {
      const deliver = (): void => {
        acknowledge(chunk.length);
        if (!isStopped) onOutput(chunk, stream);
      };
      if (isPaused) queued.push(deliver);
      else deliver();
    },
    pause(): void {
      isPaused = true;
    },
    resume,
    stop(): void {
      isStopped = true;
      resume();
      queued = [];
    },
    drained: () =>
      queued.length === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            onDrained = resolve;
          }),
  };
}
