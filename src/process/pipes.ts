/**
 * Kernel pipes for the standard streams of children. Node's own "pipes" are sockets, which cannot be reopened by name, as
 * `echo x > /dev/stderr` and `cat /dev/stdin` do. Node cannot call pipe(2), but bash creates one for a short here-string
 * without starting another process, and both ends can be opened through the descriptor that the shell holds. The pipes
 * have no path that another process could open.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface Pipes {
  /** Takes `count` pipes; null if none can be created, so that sockets have to be used. */
  take(count: number): Promise<readonly Pipe[] | null>;
  /** Closes the pipes that were not taken. */
  close(): void;
}

export interface Pipe {
  /** Opens both ends, once only: the child's end is blocking, ours is non-blocking. */
  open(direction: "toChild" | "fromChild"): PipeEnds;
}

export interface PipeEnds {
  readonly ours: number;
  readonly childs: number;
}

const SHELL = "/bin/bash";
/** Enough for ten commands. A shell that creates them takes about as long as two that do nothing. */
const BATCH_SIZE = 30;
const REFILL_BELOW = 6;
const CONTENT = "x";
const CREATE_SCRIPT = `for ((at = 0; at < ${BATCH_SIZE}; at++)); do exec {pipe}<<<${CONTENT}; echo "$pipe"; done; read`;

export function createPipes(): Pipes {
  /** Opened for reading and writing, so that no pipe reports EOF before it is used. */
  const ready: number[] = [];
  let creating: Promise<boolean> | null = null;
  let isClosed = false;

  function createBatch(): Promise<boolean> {
    creating ??= createPipeDescriptors()
      .then((created) => {
        ready.push(...created);
        if (isClosed) closeReady();
        return true;
      })
      .catch(() => false)
      .finally(() => {
        creating = null;
      });
    return creating;
  }

  function closeReady(): void {
    for (const file of ready.splice(0)) closeSync(file);
  }

  return {
    async take(count) {
      while (ready.length < count) if (isClosed || !(await createBatch())) return null;
      const taken = ready.splice(0, count).map(toPipe);
      if (ready.length < REFILL_BELOW) void createBatch();
      return taken;
    },
    close() {
      isClosed = true;
      closeReady();
    },
  };
}

function toPipe(file: number): Pipe {
  return {
    open(direction) {
      const path = `/proc/self/fd/${file}`;
      const [ourMode, childMode] =
        direction === "toChild"
          ? [constants.O_WRONLY, constants.O_RDONLY]
          : [constants.O_RDONLY, constants.O_WRONLY];
      let ours: number | null = null;
      try {
        ours = openSync(path, ourMode | constants.O_NONBLOCK);
        return { ours, childs: openSync(path, childMode) };
      } catch (error) {
        if (ours !== null) closeSync(ours);
        throw error;
      } finally {
        closeSync(file);
      }
    },
  };
}

async function createPipeDescriptors(): Promise<number[]> {
  if (process.platform !== "linux") throw new Error("only Linux has /proc");
  // No startup files and no environment, so that the shell runs nothing else.
  const shell = spawn(SHELL, ["--noprofile", "--norc", "-c", CREATE_SCRIPT], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const numbers = await readNumbers(shell);
    const created: number[] = [];
    try {
      for (const number of numbers) created.push(openCreatedPipe(`/proc/${shell.pid}/fd/${number}`));
    } catch (error) {
      for (const file of created) closeSync(file);
      throw error;
    }
    return created;
  } finally {
    shell.stdin?.on("error", () => {}).end();
  }
}

function readNumbers(shell: ChildProcess): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let output = "";
    shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const lines = output.split("\n");
      if (lines.length > BATCH_SIZE) resolve(lines.slice(0, BATCH_SIZE));
    });
    shell.once("error", reject);
    shell.once("close", () => reject(new Error("the shell exited before it created the pipes")));
  });
}

function openCreatedPipe(path: string): number {
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  if (!fstatSync(file).isFIFO()) {
    closeSync(file);
    throw new Error("this shell writes here-strings to a file instead of a pipe");
  }
  readSync(file, Buffer.alloc(CONTENT.length + 1));
  return file;
}
