/**
 * Pipes of the system for the standard streams of children. Those of Node are sockets, which cannot be opened once more
 * by name, as `echo x > /dev/stderr` and `cat /dev/stdin` do. Node cannot call pipe(2), but a shell makes one for a short
 * here-string without starting anything else, and both of its ends can be opened from the one that the shell keeps. They
 * have no name that anybody else could open.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface Pipes {
  /** So many of them; null where the system has none to offer, and sockets have to do. */
  take(count: number): Promise<readonly Pipe[] | null>;
  /** Closes those that were not taken. */
  close(): void;
}

export interface Pipe {
  /** Opens both ends, and may be called once: the child's waits for the other side, ours does not. */
  open(direction: "toChild" | "fromChild"): PipeEnds;
}

export interface PipeEnds {
  readonly ours: number;
  readonly childs: number;
}

const SHELL = "/bin/bash";
/** Of ten commands. A shell that makes them takes about as long as two that do nothing. */
const MADE_AT_ONCE = 30;
const MADE_AGAIN_AT = 6;
const CONTENT = "x";
const MAKE = `for ((at = 0; at < ${MADE_AT_ONCE}; at++)); do exec {pipe}<<<${CONTENT}; echo "$pipe"; done; read`;

export function createPipes(): Pipes {
  /** Opened to read and to write, so that none ends before it is used. */
  const ready: number[] = [];
  let making: Promise<boolean> | null = null;
  let isClosed = false;

  function make(): Promise<boolean> {
    making ??= makePipes()
      .then((made) => {
        ready.push(...made);
        if (isClosed) closeReady();
        return true;
      })
      .catch(() => false)
      .finally(() => {
        making = null;
      });
    return making;
  }

  function closeReady(): void {
    for (const file of ready.splice(0)) closeSync(file);
  }

  return {
    async take(count) {
      while (ready.length < count) if (isClosed || !(await make())) return null;
      const taken = ready.splice(0, count).map(toPipe);
      if (ready.length < MADE_AGAIN_AT) void make();
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

async function makePipes(): Promise<number[]> {
  if (process.platform !== "linux") throw new Error("only Linux has /proc");
  // With nothing that could make the shell run anything else.
  const shell = spawn(SHELL, ["--noprofile", "--norc", "-c", MAKE], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const numbers = await readNumbers(shell);
    const made: number[] = [];
    try {
      for (const number of numbers) made.push(openMade(`/proc/${shell.pid}/fd/${number}`));
    } catch (error) {
      for (const file of made) closeSync(file);
      throw error;
    }
    return made;
  } finally {
    shell.stdin?.on("error", () => {}).end();
  }
}

function readNumbers(shell: ChildProcess): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let said = "";
    shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const lines = said.split("\n");
      if (lines.length > MADE_AT_ONCE) resolve(lines.slice(0, MADE_AT_ONCE));
    });
    shell.once("error", reject);
    shell.once("close", () => reject(new Error("the shell has ended before it made the pipes")));
  });
}

function openMade(path: string): number {
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  if (!fstatSync(file).isFIFO()) {
    closeSync(file);
    throw new Error("this shell puts a here-string into a file");
  }
  readSync(file, Buffer.alloc(CONTENT.length + 1));
  return file;
}
