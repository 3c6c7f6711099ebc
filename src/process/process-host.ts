/** The port for child processes, whether they are started from this process or from a helper. */
export interface ProcessHost {
  /**
   * Starts a child in a new session and process group. Never throws: a system error is an outcome. Output may arrive
   * before the promise resolves.
   */
  start(spec: ProcessSpec, onOutput: OutputListener): Promise<ProcessStartOutcome>;
  /** Ends the process groups of all remaining children, and then the host itself. */
  close(): Promise<void>;
}

export interface ProcessSpec {
  /** The program and its arguments; a program without a slash is looked up in the PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** With it, all standard streams are a pseudo-terminal of this size; without it they are pipes. */
  readonly terminal?: TerminalSize;
  /** Whether stdin is a pipe; defaults to `closed`. A terminal always accepts input. */
  readonly input?: "closed" | "pipe";
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export type ProcessStream = "stdout" | "stderr";
export type OutputListener = (chunk: Buffer, stream: ProcessStream) => void;

export type ProcessStartOutcome =
  | { readonly kind: "started"; readonly process: RunningProcess }
  | { readonly kind: "failed"; readonly error: Error };

export interface RunningProcess {
  readonly pid: number;
  /** Resolves when the child has been reaped; more output may follow. */
  readonly exited: Promise<ProcessExit>;
  /** Resolves when the output is closed, or after `release`; never before `exited`. */
  readonly closed: Promise<void>;
  write(bytes: Uint8Array): void;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** Sends a signal to the whole group. */
  signal(name: NodeJS.Signals): void;
  /** SIGTERM to the group, and SIGKILL to its remaining processes after the grace period. */
  terminate(): void;
  /** No output is delivered while paused; the child blocks once the buffers are full. */
  pause(): void;
  resume(): void;
  /**
   * Kills the remaining processes of the group and discards their output. Must be called for every process; until then
   * the group can be signalled, also after its leader has exited.
   */
  release(): void;
  /** Discards the output but leaves the remaining processes running. The last call, instead of `release`. */
  detach(): void;
}

export interface ProcessExit {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The grace period between SIGTERM and SIGKILL. */
export const TERMINATION_GRACE_MS = 2_000;

/** Sends a signal to a process group; false if the group does not exist. */
export function signalGroup(groupId: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM: the group exists, but its remaining processes belong to another user.
    if (code === "EPERM") return true;
    if (code === "ESRCH") return false;
    throw error;
  }
}

/** SIGTERM, then SIGKILL after the grace period; the returned function cancels the SIGKILL. */
export function terminateGroup(groupId: number, graceMs: number): () => void {
  if (!signalGroup(groupId, "SIGTERM")) return () => {};
  const timer = setTimeout(() => signalGroup(groupId, "SIGKILL"), graceMs);
  timer.unref();
  return () => clearTimeout(timer);
}
