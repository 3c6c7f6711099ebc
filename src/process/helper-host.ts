/**
 * A host that starts children from a helper process. `spawn` stops Node's event loop for milliseconds, and longer
 * the more memory the process has; the helper is small and stays so. It is started on first use, shared, and
 * started anew when it has died.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createDeferred } from "../base/deferred.ts";
import { createFrameReader, FRAME, type Frame, frame, frameNumber } from "./frame.ts";
import { createLocalHost } from "./local-host.ts";
import { signalGroup } from "./process-group.ts";
import {
  type OutputListener,
  type ProcessExit,
  type ProcessHost,
  type ProcessSpec,
  type RunningProcess,
  type StartOutcome,
  TERMINATION_GRACE_MS,
} from "./process-host.ts";

interface HelperHostOptions {
  /** The bundle of `helper-main.ts`. */
  readonly file: string;
  readonly graceMs?: number;
}

export function openHelperHost(
  options: HelperHostOptions,
): ProcessHost & { readonly pid: () => number | null } {
  let helper: Helper | null = null;
  let local: ProcessHost | null = null;
  let isClosed = false;

  async function start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome> {
    if (isClosed) return failed("the host of processes is closed");
    if (local !== null) return local.start(spec, onOutput);
    if (helper === null || helper.isGone()) helper = startHelper(options);
    if (helper === null) return failed("too many open files");
    const asked = helper;
    const outcome = await asked.start(spec, onOutput);
    if (outcome.kind === "started" || asked.hasAnswered() || isClosed) return outcome;
    // A helper that cannot live here, as where this Node is part of another program: do without it.
    local ??= createLocalHost(options);
    return local.start(spec, onOutput);
  }

  return {
    pid: () => helper?.pid ?? null,
    start,
    async close() {
      isClosed = true;
      await Promise.all([helper?.close(), local?.close()]);
    },
  };
}

interface Helper {
  readonly pid: number | null;
  isGone(): boolean;
  /** Whether it has ever said anything. */
  hasAnswered(): boolean;
  start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome>;
  close(): Promise<void>;
}

/** Null while this process can open no more files. */
function startHelper({ file, graceMs = TERMINATION_GRACE_MS }: HelperHostOptions): Helper | null {
  const child = spawn(process.execPath, [file, String(graceMs)], {
    // Apart from our group and terminal, so that a Ctrl-C meant for us does not end it before its children.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    // Nothing that could change how Node starts, and nothing that costs it time.
    env: { PATH: process.env["PATH"] },
  });
  const stdio: ChildProcess["stdio"] | undefined = child.stdio;
  if (stdio === undefined) {
    child.once("error", () => {});
    return null;
  }
  const socket = stdio[3] as Socket;
  const remotes = new Map<number, Remote>();
  /** Idle, the helper does not keep this process alive; with children it does. */
  const hold = (): void => {
    const isBusy = remotes.size > 0;
    if (isBusy) child.ref();
    else child.unref();
    if (isBusy) socket.ref();
    else socket.unref();
  };
  const gone = createDeferred<void>();
  let isGone = false;
  let hasAnswered = false;
  let lastId = 0;

  function leave(): void {
    if (isGone) return;
    isGone = true;
    socket.destroy();
    for (const remote of remotes.values()) remote.abandon();
    remotes.clear();
    gone.resolve();
  }
  child.once("error", leave);
  child.once("exit", leave);
  socket.on("error", leave);
  socket.on(
    "data",
    createFrameReader(({ id, ...rest }) => {
      hasAnswered = true;
      remotes.get(id)?.take(rest);
    }),
  );

  return {
    pid: child.pid ?? null,
    isGone: () => isGone,
    hasAnswered: () => hasAnswered,
    start(spec, onOutput) {
      lastId += 1;
      const id = lastId;
      const remote = createRemote(id, socket, onOutput);
      remotes.set(id, remote);
      hold();
      void remote.finished.then(() => {
        remotes.delete(id);
        hold();
      });
      socket.write(frame(FRAME.start, id, JSON.stringify(spec)));
      return remote.outcome;
    },
    close() {
      child.ref();
      socket.end();
      return gone.promise;
    },
  };
}

function failed(message: string): StartOutcome {
  return { kind: "failed", error: new Error(message) };
}

interface Remote {
  readonly outcome: Promise<StartOutcome>;
  /** Nothing more will be asked of or told by the helper about it. */
  readonly finished: Promise<void>;
  take(frame: Omit<Frame, "id">): void;
  /** The helper has died. */
  abandon(): void;
}

function createRemote(id: number, socket: Socket, onOutput: OutputListener): Remote {
  const outcome = createDeferred<StartOutcome>();
  const exited = createDeferred<ProcessExit>();
  const closed = createDeferred<void>();
  const released = createDeferred<void>();
  const inlet = createInlet(onOutput, (bytes) => socket.write(frameNumber(FRAME.taken, id, bytes)));
  const tell = (kind: number, body?: Uint8Array | string): void => {
    if (!socket.destroyed) socket.write(frame(kind, id, body));
  };
  let pid: number | null = null;

  const handle = (): RunningProcess => ({
    pid: pid ?? 0,
    exited: exited.promise,
    closed: closed.promise,
    write: (bytes) => tell(FRAME.input, bytes),
    endInput: () => tell(FRAME.endInput),
    resize: (size) => tell(FRAME.resize, JSON.stringify(size)),
    signal: (name) => tell(FRAME.signal, name),
    terminate: () => tell(FRAME.terminate),
    pause: inlet.pause,
    resume: inlet.resume,
    release() {
      tell(FRAME.release);
      inlet.stop();
      released.resolve();
    },
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
      outcome.resolve(failed("the helper process ended"));
      exited.resolve({ code: null, signal: "SIGKILL" });
      inlet.stop();
      closed.resolve();
    },
  };
}

/** Hands output on as it comes and acknowledges it; while paused it is kept, which the window bounds. */
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
