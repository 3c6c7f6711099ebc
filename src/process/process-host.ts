/** The port through which children are started, wherever that happens: in this process or in a helper. */
export interface ProcessHost {
  /**
   * Starts a child in a session and process group of its own. Never throws: what the system refuses is the
   * outcome. Output may arrive before the promise resolves.
   */
  start(spec: ProcessSpec, onOutput: OutputListener): Promise<StartOutcome>;
  /** Ends every child that is left, whole groups, and then the host itself. */
  close(): Promise<void>;
}

export interface ProcessSpec {
  /** The program and its arguments; a program without a slash is looked for in the PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All of the child's environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** A terminal of this size stands for all three standard streams; without it they are pipes. */
  readonly terminal?: TerminalSize;
  /** Whether the standard input is a pipe; closed from the start by default. A terminal always takes input. */
  readonly input?: "closed" | "pipe";
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export type OutputStream = "stdout" | "stderr";
export type OutputListener = (chunk: Buffer, stream: OutputStream) => void;

export type StartOutcome =
  | { readonly kind: "started"; readonly process: RunningProcess }
  | { readonly kind: "failed"; readonly error: Error };

export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the child has been reaped; its output may go on. */
  readonly exited: Promise<ProcessExit>;
  /** Resolves when nothing holds the output any more, or after `release`; never before `exited`. */
  readonly closed: Promise<void>;
  write(bytes: Uint8Array): void;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** Sends a signal to the whole group. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM to the group, and SIGKILL to whatever is left of it after the grace. */
  terminate(): void;
  /** No output is delivered while paused; the child waits once the buffers on the way are full. */
  pause(): void;
  resume(): void;
  /**
   * Ends what is left of the group at once and forgets its output. Whoever started a process calls it in the end;
   * until then the group can be signalled, also after its first process has exited.
   */
  release(): void;
  /** Forgets its output, and lets what it has left running be. The last call, in place of `release`. */
  detach(): void;
}

export interface ProcessExit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a group may take to end after SIGTERM. */
export const TERMINATION_GRACE_MS = 2_000;

/** Sends a signal to every process of a group, and says whether there was one to take it. */
export function signalGroup(groupId: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM: the group is there, but what is left of it belongs to another user.
    if (code === "EPERM") return true;
    if (code === "ESRCH") return false;
    throw error;
  }
}

/** SIGTERM, then SIGKILL when something of the group is left after the grace; the function takes the second back. */
export function terminateGroup(groupId: number, graceMs: number): () => void {
  if (!signalGroup(groupId, "SIGTERM")) return () => {};
  const timer = setTimeout(() => signalGroup(groupId, "SIGKILL"), graceMs);
  timer.unref();
  return () => clearTimeout(timer);
}
