/** Starts children from this very process. The helper process is built of this, and it serves where there is none. */
import { createDeferred } from "../base/tasks.ts";
import { type ChildSource, openPipeChild } from "./pipe-child.ts";
import { createPipes } from "./pipes.ts";
import {
  type OutputListener,
  type ProcessExit,
  type ProcessHost,
  type ProcessSpec,
  type RunningProcess,
  type StartOutcome,
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

  async function start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome> {
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
      const left = [...running];
      for (const process of left) process.terminate();
      await Promise.all(left.map((process) => process.exited.then(() => process.release())));
      pipes.close();
    },
  };
}

/**
 * Input that may wait for a child that does not read, when more comes. What comes at once is written at once, however
 * much it is: a hook must hear all of what it judges.
 */
const MAX_WAITING_INPUT = 16 << 20;

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

  /** After the exit the number of the group may belong to others, so it is used until the release and not after. */
  function letGo(ending: "kill" | "leave"): void {
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
      // It would have to be kept for a child that perhaps never reads it.
      if (!hasExited && child.write(bytes) > MAX_WAITING_INPUT) signalGroup(child.pid, "SIGKILL");
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
    release: () => letGo("kill"),
    detach: () => letGo("leave"),
  };
}
