/**
 * A child process in its own process group, so that stopping it also stops its descendants. Output is kept up
 * to a limit; a child never outlives the process that started it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { within } from "./within.ts";

const MAX_KEPT_OUTPUT = 1_000_000;

export type ChildOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export class Child {
  readonly exit: Promise<Exit>;
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #stdoutListeners: ((text: string) => void)[] = [];
  readonly #stderrListeners = new Set<() => void>();
  #stdout = "";
  #stderr = "";
  #exited = false;

  constructor(options: ChildOptions) {
    this.#process = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    this.pid = this.#process.pid ?? 0;
    const kill = (): void => this.#killGroup();
    process.once("exit", kill);
    this.exit = new Promise<Exit>((resolve) => {
      this.#process.once("error", (error) => {
        this.#stderr += error.message;
        resolve({ code: null, signal: null });
      });
      this.#process.once("close", (code, signal) => resolve({ code, signal }));
    }).then((exit) => {
      this.#exited = true;
      process.off("exit", kill);
      for (const listener of this.#stderrListeners) listener();
      return exit;
    });
    this.#listen();
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get exited(): boolean {
    return this.#exited;
  }

  onStdout(listener: (text: string) => void): void {
    this.#stdoutListeners.push(listener);
  }

  write(text: string): void {
    this.#process.stdin?.write(text);
  }

  endInput(): void {
    this.#process.stdin?.end();
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Waits until stderr matches. Fails with the stderr if the child exits first. */
  async stderrMatch(pattern: RegExp, milliseconds: number): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this.#stderr);
        if (match === null && !this.#exited) return;
        this.#stderrListeners.delete(look);
        if (match === null) reject(new Error(`the server exited early: ${this.#stderr.trim()}`));
        else resolve(match);
      };
      this.#stderrListeners.add(look);
      look();
    });
    return await within(found, milliseconds, `stderr matching ${pattern.source}`);
  }

  async stop(): Promise<Exit> {
    this.#killGroup();
    return await within(this.exit, 15_000, "the end of a killed process");
  }

  #killGroup(): void {
    if (this.pid === 0) return;
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // The group is already gone.
    }
  }

  #listen(): void {
    const out = new StringDecoder("utf8");
    this.#process.stdout?.on("data", (chunk: Buffer) => {
      const text = out.write(chunk);
      if (this.#stdoutListeners.length === 0) this.#stdout = (this.#stdout + text).slice(-MAX_KEPT_OUTPUT);
      for (const listener of this.#stdoutListeners) listener(text);
    });
    const err = new StringDecoder("utf8");
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + err.write(chunk)).slice(-MAX_KEPT_OUTPUT);
      for (const listener of this.#stderrListeners) listener();
    });
    // Writing to a server that exits fails the pipe; the exit is reported separately.
    this.#process.stdin?.on("error", () => undefined);
  }
}
