/** A child in a terminal, through whichever of two optional packages this platform has. */
import { closeSync, constants, openSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../base/errors.ts";
import type { ChildListener, ChildSource } from "./pipe-child.ts";
import type { ProcessSpec, TerminalSize } from "./process-host.ts";

export type TerminalLibrary = (size: TerminalSize, spec: ProcessSpec, listener: ChildListener) => ChildSource;

/** Opens children with the first of the packages that loads. */
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
    // Absent, or without a binary for this platform: the next one may do.
    return null;
  }
}

/** Checks first what the packages report only in their own words, or not at all. */
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

/** The file that a program's name stands for, or the error that running it would give. */
async function findProgram(name: string, cwd: string, path: string | undefined): Promise<string> {
  const direct = isAbsolute(name) || name.includes("/");
  const places = direct
    ? [resolve(cwd, name)]
    : (path ?? "").split(delimiter).map((folder) => join(folder, name));
  let refusal: unknown = missing(name);
  for (const place of places) {
    try {
      await access(place, constants.X_OK);
      return place;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EACCES" || direct) refusal = error;
    }
  }
  throw refusal;
}

function missing(name: string): Error {
  return Object.assign(new Error(`no such program: ${name}`), { code: "ENOENT", errno: -2 });
}

/** The part of the package that is used, declared here because the package may be absent. */
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

/** This package loses nothing of the last output. */
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
    // A signal shows as -1; which one is not told.
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
    // What a person at a terminal does to end the input.
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

/**
 * For platforms that ruspty has no binary for. On its own this package loses the last output of a child that has ended,
 * so the terminal is held open here until it is drained.
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
  const drained = holdOpen(terminal);
  terminal.onData((chunk) => {
    drained.noteOutput();
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
    if (quiet > 1 && !isRunning(pid)) stop();
  }, LOOK_EVERY_MS);
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
