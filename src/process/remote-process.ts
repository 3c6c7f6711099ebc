/** One process that the helper has started: what is asked of it and what it says travel as frames. */
import { createDeferred } from "../base/tasks.ts";
import { FRAME, type Frame, type FrameSink } from "./frame.ts";
import {
  type OutputListener,
  type ProcessExit,
  type RunningProcess,
  type StartOutcome,
  signalGroup,
} from "./process-host.ts";

export interface RemoteProcess {
  readonly outcome: Promise<StartOutcome>;
  /** Nothing more will be asked of the helper about it, and nothing more will come. */
  readonly finished: Promise<void>;
  take(frame: Omit<Frame, "id">): void;
  /** The helper has died. */
  abandon(): void;
}

export function createRemoteProcess(id: number, sink: FrameSink, onOutput: OutputListener): RemoteProcess {
  const outcome = createDeferred<StartOutcome>();
  const exited = createDeferred<ProcessExit>();
  const closed = createDeferred<void>();
  const released = createDeferred<void>();
  const inlet = createInlet(onOutput, (bytes) => sink.sendNumber(FRAME.taken, id, bytes));
  const send = (kind: number, body?: Uint8Array | string): void => sink.send(kind, id, body);
  const letGo = (kind: number): void => {
    send(kind);
    inlet.stop();
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
    pause: inlet.pause,
    resume: inlet.resume,
    release: () => letGo(FRAME.release),
    detach: () => letGo(FRAME.detach),
  });

  function take({ kind, body }: Omit<Frame, "id">): void {
    if (kind === FRAME.stdout) inlet.take(body, "stdout");
    else if (kind === FRAME.stderr) inlet.take(body, "stderr");
    else if (kind === FRAME.started) {
      pid = body.readUInt32LE(0);
      outcome.resolve({ kind: "started", process: handle() });
    } else if (kind === FRAME.failed) {
      const { message, ...rest } = JSON.parse(body.toString()) as { message: string };
      outcome.resolve({ kind: "failed", error: Object.assign(new Error(message), rest) });
      released.resolve();
      closed.resolve();
    } else if (kind === FRAME.exited) exited.resolve(JSON.parse(body.toString()) as ProcessExit);
    else if (kind === FRAME.closed) void inlet.drained().then(closed.resolve);
  }

  return {
    outcome: outcome.promise,
    finished: Promise.all([released.promise, closed.promise]).then(() => {}),
    take,
    abandon() {
      // The helper ends its children when it can; one that was killed could not.
      if (pid !== null) signalGroup(pid, "SIGKILL");
      outcome.resolve({ kind: "failed", error: new Error("the helper process ended") });
      exited.resolve({ code: null, signal: "SIGKILL" });
      inlet.stop();
      closed.resolve();
    },
  };
}

/** Hands output on as it comes and acknowledges it; while paused it is kept, which the window limits. */
function createInlet(onOutput: OutputListener, acknowledge: (bytes: number) => void) {
  let kept: (() => void)[] = [];
  let isPaused = false;
  let isStopped = false;
  let onDrained = (): void => {};

  function resume(): void {
    isPaused = false;
    const waiting = kept;
    kept = [];
    // Taking one may pause again; the rest then waits as before.
    for (const hand of waiting) {
      if (isPaused) kept.push(hand);
      else hand();
    }
    if (kept.length === 0) onDrained();
  }

  return {
    take(chunk: Buffer, stream: "stdout" | "stderr"): void {
      const hand = (): void => {
        acknowledge(chunk.length);
        if (!isStopped) onOutput(chunk, stream);
      };
      if (isPaused) kept.push(hand);
      else hand();
    },
    pause(): void {
      isPaused = true;
    },
    resume,
    stop(): void {
      isStopped = true;
      resume();
      kept = [];
    },
    drained: () =>
      kept.length === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            onDrained = resolve;
          }),
  };
}
