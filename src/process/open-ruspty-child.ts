/** A child in a terminal, through `@replit/ruspty`, which loses nothing of the last output. */
import type { Readable, Writable } from "node:stream";
import type { ChildListener, ChildSource } from "./child-source.ts";
import type { ProcessSpec, TerminalSize } from "./process-host.ts";

/** The part of the package that is used, declared here because the package may be absent. */
export interface Ruspty {
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

export function openRusptyChild(
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
      terminal.write.write(bytes);
      return terminal.write.writableLength;
    },
    // What a person at a terminal does to end the input.
    endInput: () => void terminal.write.write("\u0004"),
    resize: (next) => terminal.resize(next),
    pause: () => void terminal.read.pause(),
    resume: () => void terminal.read.resume(),
    discard: () => terminal.close(),
  };
}
