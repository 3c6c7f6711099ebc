/** A child with piped standard streams, through Node's `spawn`, and the interface of spawned children. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { createCork } from "./cork.ts";
import type { Pipe, PipeEnds, Pipes } from "./pipes.ts";
import type { OutputListener, ProcessExit, ProcessSpec, TerminalSize } from "./process-host.ts";

/** A spawned child, without process group handling and grace period. */
export interface ChildSource {
  readonly pid: number;
  /** Returns how many bytes were queued before, as far as that is known. */
  write(bytes: Uint8Array): number;
  endInput(): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** Discards unread output. */
  discard(): void;
}

export interface ChildListener {
  readonly onOutput: OutputListener;
  readonly onExit: (exit: ProcessExit) => void;
  /** All output streams have ended. May be called before or after `onExit`. */
  readonly onEnd: () => void;
}

export async function openPipeChild(
  spec: ProcessSpec,
  listener: ChildListener,
  pipes: Pipes,
): Promise<ChildSource> {
  const streams = openStreams(spec.input === "pipe", await pipes.take(spec.input === "pipe" ? 3 : 2));
  return new Promise((resolve, reject) => {
    const [program = "", ...args] = spec.argv;
    const child = streams.spawnWith(() =>
      spawn(program, args, {
        cwd: spec.cwd,
        env: spec.env,
        // A new session: no access to our terminal, and a process group that can be signalled.
        detached: true,
        stdio: streams.stdio,
      }),
    );
    const { stdin, stdout, stderr } = streams.of(child);
    const corkInput = stdin === null ? () => {} : createCork(stdin);
    child.once("error", (error) => {
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      reject(error);
    });
    // Missing if the process is out of file descriptors; the error event reports that.
    if (!stdout || !stderr) return;
    let open = 2;
    child.once("exit", (code, signal) => {
      const exit = { code, signal };
      // Deferred, so that output which has already arrived is read before the exit.
      if (open === 0) listener.onExit(exit);
      else setImmediate(() => listener.onExit(exit));
    });
    // A child may exit without reading its input, which causes EPIPE.
    stdin?.on("error", () => {});
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
          corkInput();
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

type OurStreams = Pick<ChildProcess, "stdin" | "stdout" | "stderr">;

interface StandardStreams {
  /** The `stdio` option of `spawn`. */
  readonly stdio: StdioOptions;
  /** Spawns the child and then closes our copies of its descriptors. */
  spawnWith(start: () => ChildProcess): ChildProcess;
  of(child: ChildProcess): OurStreams;
}

function openStreams(hasInput: boolean, pipes: readonly Pipe[] | null): StandardStreams {
  if (pipes === null) {
    const stdio: StdioOptions = [hasInput ? "pipe" : "ignore", "pipe", "pipe"];
    return { stdio, spawnWith: (start) => start(), of: (child) => child };
  }
  const [output, error, input] = openEnds(pipes);
  const reading = (ends: PipeEnds | undefined) =>
    ends === undefined ? null : new Socket({ fd: ends.ours, readable: true, writable: false });
  const ours: OurStreams = {
    stdin: input === undefined ? null : new Socket({ fd: input.ours, readable: false, writable: true }),
    stdout: reading(output),
    stderr: reading(error),
  };
  return {
    stdio: [input?.childs ?? "ignore", output?.childs, error?.childs],
    spawnWith(start) {
      try {
        return start();
      } catch (fault) {
        for (const stream of [ours.stdin, ours.stdout, ours.stderr]) stream?.destroy();
        throw fault;
      } finally {
        for (const ends of [input, output, error]) if (ends !== undefined) closeSync(ends.childs);
      }
    },
    of: () => ours,
  };
}

/** The ends of stdout, stderr and stdin; if one cannot be opened, all are closed. */
function openEnds(pipes: readonly Pipe[]): readonly PipeEnds[] {
  const opened: PipeEnds[] = [];
  let failure: Error | null = null;
  for (const [at, pipe] of pipes.entries()) {
    try {
      opened.push(pipe.open(at === 2 ? "toChild" : "fromChild"));
    } catch (error) {
      failure ??= error as Error;
    }
  }
  if (failure === null) return opened;
  for (const { ours, childs } of opened) for (const end of [ours, childs]) closeSync(end);
  throw failure;
}
