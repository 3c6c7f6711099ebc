/** Starts children from the current process. Used inside the helper process, and as a fallback without one. */
import { createDeferred } from "../base/tasks.ts";
import { type ChildSource, openPipeChild } from "./pipe-child.ts";
import { createPipes } from "./pipes.ts";
import {
  type OutputListener,
  type ProcessExit,
  type ProcessHost,
  type ProcessSpec,
  type ProcessStartOutcome,
  type RunningProcess,
  signalGroup,
  TERMINATION_GRACE_MS,
  terminateGroup,
} from "./process-host.ts";
import { loadTerminalLibrary, openTerminalChild, type TerminalLibrary } from "./terminal-child.ts";

interface LocalHostOptions {
  readonly graceMs?: number;
  /** The packages to open terminals with, in order of preference. */
  readonly terminals?: readonly string[];
}

export function createLocalHost(options: LocalHostOptions = {}): ProcessHost {
  const graceMs = options.graceMs ?? TERMINATION_GRACE_MS;
  const running = new Set<RunningProcess>();
  const pipes = createPipes();
  let terminals: TerminalLibrary | null = null;
  let isClosed = false;

  async function start(spec: ProcessSpec, onOutput: OutputListener): Promise<ProcessStartOutcome> {
    if (isClosed) return { kind: "failed", error: new Error("the host of processes is closed") };
    const exit = createDeferred<ProcessExit>();
    const end = createDeferred<void>();
    const listener = { onOutput, onExit: exit.resolve, onEnd: end.resolve };
    let child: ChildSource;
    try {
      if (spec.terminal === undefined) child = await openPipeChild(spec, listener, pipes);
      else {
        terminals ??= loadTerminalLibrary(options.terminals);
        child = await openTerminalChild(terminals, spec.terminal, spec, listener);
      }
    } catch (error) {
      return { kind: "failed", error: error instanceof Error ? error : new Error(String(error)) };
    }
    const onRelease = (): void => void running.delete(process);
    const process = manageChild(child, { exited: exit.promise, ended: end, graceMs, onRelease });
    running.add(process);
    if (isClosed) process.release();
    return { kind: "started", process };
  }

  return {
    start,
    async close() {
      isClosed = true;
      const remaining = [...running];
      for (const process of remaining) process.terminate();
      await Promise.all(remaining.map((process) => process.exited.then(() => process.release())));
      pipes.close();
    },
  };
}

/**
 * A child that does not read its input is killed if this much is already queued when more arrives. A single write may be
 * of any size: a hook must receive its whole input.
 */
const MAX_QUEUED_INPUT_BYTES = 16 << 20;

interface Lifetime {
  readonly exited: Promise<ProcessExit>;
  readonly ended: { readonly promise: Promise<void>; resolve(): void };
  readonly graceMs: number;
  readonly onRelease: () => void;
}

function manageChild(child: ChildSource, { exited, ended, graceMs, onRelease }: Lifetime): RunningProcess {
  let hasExited = false;
  let isReleased = false;
  let cancelKill = (): void => {};
  void exited.then(() => {
    hasExited = true;
  });

  /** After the exit the process group id may be reused by others, so the group is signalled only until the release. */
  function release(ending: "kill" | "leave"): void {
    if (isReleased) return;
    isReleased = true;
    cancelKill();
    if (ending === "kill") signalGroup(child.pid, "SIGKILL");
    child.discard();
    ended.resolve();
    onRelease();
  }

  return {
    pid: child.pid,
    exited,
    closed: Promise.all([exited, ended.promise]).then(() => {}),
    write(bytes) {
      // The input would have to be buffered for a child that perhaps never reads it.
      if (!hasExited && child.write(bytes) > MAX_QUEUED_INPUT_BYTES) signalGroup(child.pid, "SIGKILL");
    },
    endInput: () => child.endInput(),
    resize: (size) => !hasExited && child.resize(size),
    signal: (name) => !isReleased && signalGroup(child.pid, name),
    terminate() {
      if (isReleased) return;
      cancelKill();
      cancelKill = terminateGroup(child.pid, graceMs);
    },
    pause: () => child.pause(),
    resume: () => child.resume(),
    release: () => release("kill"),
    detach: () => release("leave"),
  };
}
