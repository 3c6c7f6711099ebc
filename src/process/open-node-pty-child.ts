/**
 * A child in a terminal, through `@lydell/node-pty`, for platforms that ruspty has no binary for. On its own that
 * package loses the last output of a child that has ended, so the terminal is held open here until it is drained.
 */
import { closeSync, constants, openSync } from "node:fs";
import type { ChildListener, ChildSource } from "./child-source.ts";
import type { ProcessSpec, TerminalSize } from "./process-host.ts";

export interface NodePty {
  spawn(
    file: string,
    args: string[],
    options: {
      cols: number;
      rows: number;
      cwd: string;
      env: Record<string, string>;
      encoding: null;
      name: string;
    },
  ): NodePtyTerminal;
}

interface NodePtyTerminal {
  readonly pid: number;
  /** The path of the terminal's device; not there on Windows. */
  readonly ptsName?: string;
  onData(listener: (chunk: Buffer) => void): unknown;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  write(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
}

/** How often it is seen whether the child has ended, and how long it must then be quiet. */
const LOOK_EVERY_MS = 5;

export function openNodePtyChild(
  library: NodePty,
  size: TerminalSize,
  spec: ProcessSpec,
  listener: ChildListener,
): ChildSource {
  const [file = "", ...args] = spec.argv;
  const terminal = library.spawn(file, args, {
    ...size,
    cwd: spec.cwd,
    env: { ...spec.env },
    encoding: null,
    name: spec.env["TERM"] ?? "xterm",
  });
  const drained = holdOpen(terminal);
  terminal.onData((chunk) => {
    drained.heard();
    listener.onOutput(chunk, "stdout");
  });
  terminal.onExit(({ exitCode, signal }) => {
    drained.stop();
    const ended = signal !== undefined && signal !== 0;
    listener.onExit(ended ? { code: null, signal: "SIGKILL" } : { code: exitCode, signal: null });
    listener.onEnd();
  });
  return {
    pid: terminal.pid,
    write(bytes) {
      terminal.write(Buffer.from(bytes));
      return 0;
    },
    endInput: () => terminal.write(Buffer.from([4])),
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    discard: () => drained.stop(),
  };
}

function holdOpen({ pid, ptsName }: NodePtyTerminal) {
  const held = ptsName === undefined ? null : openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  let quiet = 0;
  const timer = setInterval(() => {
    quiet += 1;
    if (quiet > 1 && !isAlive(pid)) stop();
  }, LOOK_EVERY_MS);
  let open = true;
  function stop(): void {
    if (!open) return;
    open = false;
    clearInterval(timer);
    if (held !== null) closeSync(held);
  }
  return {
    heard() {
      quiet = 0;
    },
    stop,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
