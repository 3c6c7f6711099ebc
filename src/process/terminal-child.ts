/** A child on a pseudo-terminal, through the first of two optional packages that is available. */
import { closeSync, constants, openSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../base/errors.ts";
import type { ChildListener, ChildSource } from "./pipe-child.ts";
import type { ProcessSpec, TerminalSize } from "./process-host.ts";

export type TerminalLibrary = (size: TerminalSize, spec: ProcessSpec, listener: ChildListener) => ChildSource;

/** Loads the first package that is installed. */
export function loadTerminalLibrary(names: readonly string[] = LIBRARIES): TerminalLibrary {
  const require = createRequire(import.meta.url);
  for (const name of names) {
    const loaded = load(require, name);
    if (loaded !== null) return loaded;
  }
  throw new AppError(
    "process.terminal",
    "terminals need the optional package @replit/ruspty or @lydell/node-pty",
  );
}

const LIBRARIES = ["@replit/ruspty", "@lydell/node-pty"];

function load(require: NodeJS.Require, name: string): TerminalLibrary | null {
  try {
    const library: unknown = require(name);
    return name === "@replit/ruspty"
      ? (size, spec, listener) => openRusptyChild(library as Ruspty, size, spec, listener)
      : (size, spec, listener) => openNodePtyChild(library as NodePty, size, spec, listener);
  } catch {
    // Not installed, or without a binary for this platform: try the next one.
    return null;
  }
}

/** Checks cwd and program first, because the packages report these errors in their own terms or not at all. */
export async function openTerminalChild(
  library: TerminalLibrary,
  size: TerminalSize,
  spec: ProcessSpec,
  listener: ChildListener,
): Promise<ChildSource> {
  await stat(spec.cwd);
  const program = await findProgram(spec.argv[0] ?? "", spec.cwd, spec.env["PATH"]);
  return library(size, { ...spec, argv: [program, ...spec.argv.slice(1)] }, listener);
}

/** Resolves a program in PATH, or throws the error that executing it would give. */
async function findProgram(name: string, cwd: string, path: string | undefined): Promise<string> {
  const direct = isAbsolute(name) || name.includes("/");
  const candidates = direct
    ? [resolve(cwd, name)]
    : (path ?? "").split(delimiter).map((folder) => join(folder, name));
  let refusal: unknown = missing(name);
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES" || direct) refusal = error;
    }
  }
  throw refusal;
}

function missing(name: string): Error {
  return Object.assign(new Error(`no such program: ${name}`), { code: "ENOENT", errno: -2 });
}

/** The used part of the package's API, declared here because the package may be missing. */
interface Ruspty {
  Pty: new (options: {
    command: string;
    args: string[];
    envs: Record<string, string>;
    dir: string;
    size: TerminalSize;
    onExit: (error: Error | null, code: number) => void;
  }) => RusptyTerminal;
}

interface RusptyTerminal {
  readonly pid: number;
  readonly read: Readable;
  readonly write: Writable;
  resize(size: TerminalSize): void;
  close(): void;
}

/** This package delivers all output before the exit. */
function openRusptyChild(
  { Pty }: Ruspty,
  size: TerminalSize,
  spec: ProcessSpec,
  listener: ChildListener,
): ChildSource {
  const [command = "", ...args] = spec.argv;
  const terminal = new Pty({
    command,
    args,
    envs: { ...spec.env },
    dir: spec.cwd,
    size,
    // The package reports any signal as -1.
    onExit: (_error, code) => {
      listener.onExit(code < 0 ? { code: null, signal: "SIGKILL" } : { code, signal: null });
      listener.onEnd();
    },
  });
  terminal.read.on("data", (chunk: Buffer) => listener.onOutput(chunk, "stdout"));
  terminal.read.on("error", () => {});
  return {
    pid: terminal.pid,
    write(bytes) {
      const waiting = terminal.write.writableLength;
      terminal.write.write(bytes);
      return waiting;
    },
    // Ctrl-D ends the input of a terminal.
    endInput: () => void terminal.write.write("\u0004"),
    resize: (next) => terminal.resize(next),
    pause: () => void terminal.read.pause(),
    resume: () => void terminal.read.resume(),
    discard: () => terminal.close(),
  };
}

interface NodePty {
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
  /** The path of the terminal device; absent on Windows. */
  readonly ptsName?: string;
  onData(listener: (chunk: Buffer) => void): unknown;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  write(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(signal?: string): void;
}

/** How often the child is polled for its exit, and how long the output must then have been silent. */
const POLL_INTERVAL_MS = 5;

/**
 * For platforms without a ruspty binary. On its own this package loses the last output of an exited child, so the
 * terminal is held open here until it is drained.
 */
function openNodePtyChild(
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
  const holder = holdOpen(terminal);
  terminal.onData((chunk) => {
    holder.noteOutput();
    listener.onOutput(chunk, "stdout");
  });
  terminal.onExit(({ exitCode, signal }) => {
    holder.stop();
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
    discard: () => holder.stop(),
  };
}

function holdOpen({ pid, ptsName }: NodePtyTerminal) {
  const held = ptsName === undefined ? null : openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  let quiet = 0;
  const timer = setInterval(() => {
    quiet += 1;
    if (quiet > 1 && !isRunning(pid)) stop();
  }, POLL_INTERVAL_MS);
  let open = true;
  function stop(): void {
    if (!open) return;
    open = false;
    clearInterval(timer);
    if (held !== null) closeSync(held);
  }
  return {
    noteOutput() {
      quiet = 0;
    },
    stop,
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
