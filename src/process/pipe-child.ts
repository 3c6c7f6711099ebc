/** What a started child offers, and a child with pipes, through Node's own `spawn`. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { OutputListener, ProcessExit, ProcessSpec, TerminalSize } from "./process-host.ts";

/** A child as the system gave it to us, before anything is known of groups and grace. */
export interface ChildSource {
  readonly pid: number;
  /** Returns how many bytes were waiting to be read already, as far as that can be told. */
  write(bytes: Uint8Array): number;
  endInput(): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** Forgets the output that has not been read. */
  discard(): void;
}

export interface ChildListener {
  readonly onOutput: OutputListener;
  readonly onExit: (exit: ProcessExit) => void;
  /** Nothing will be read any more. May come before or after the exit. */
  readonly onEnd: () => void;
}

export function openPipeChild(spec: ProcessSpec, listener: ChildListener): Promise<ChildSource> {
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = spec.argv;
    const child = spawn(program, args, {
      cwd: spec.cwd,
      env: spec.env,
      // A session of its own: no terminal of ours, and a group that can be signalled as a whole.
      detached: true,
      stdio: [spec.input === "pipe" ? "pipe" : "ignore", "pipe", "pipe"],
    });
    child.once("error", reject);
    // What it wrote is read first, as far as it is there.
    child.once("exit", (code, signal) => setImmediate(() => listener.onExit({ code, signal })));
    const { stdout, stderr, stdin } = child;
    // Not there where no more files can be opened, which the error then says.
    if (!stdout || !stderr) return;
    // A child that ends without reading its input breaks the pipe, which is its right.
    stdin?.on("error", () => {});
    let open = 2;
    const follow = (stream: Readable, name: "stdout" | "stderr"): void => {
      stream.on("data", (chunk: Buffer) => listener.onOutput(chunk, name));
      stream.on("error", () => {});
      stream.once("close", () => {
        open -= 1;
        if (open === 0) listener.onEnd();
      });
    };
    follow(stdout, "stdout");
    follow(stderr, "stderr");
    child.once("spawn", () => {
      resolve({
        pid: child.pid ?? 0,
        write(bytes) {
          const waiting = stdin?.writableLength ?? 0;
          stdin?.write(bytes);
          return waiting;
        },
        endInput: () => void stdin?.end(),
        resize() {},
        pause: () => void (stdout.pause(), stderr.pause()),
        resume: () => void (stdout.resume(), stderr.resume()),
        discard: () => void (stdout.destroy(), stderr.destroy(), stdin?.destroy()),
      });
    });
  });
}
