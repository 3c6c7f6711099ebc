/** An MCP server as a child process: one JSON message per line on its pipes, stderr goes to the log. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../base/clock.ts";
import { osErrorText } from "../../base/errors.ts";
import { createDeferred } from "../../base/tasks.ts";
import { signalGroup } from "../../process/process-host.ts";
import { type BadLineKind, createLineSplitter } from "../../transport/line-splitter.ts";

export interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly clock: Clock;
  /** Receives output that is not a message. */
  readonly onNoise: (stream: "stdout" | "stderr", line: string) => void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** The largest message that is buffered. A larger one closes the connection. */
export const MAX_STDIO_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Time for an orderly exit before the server is killed. */
const GRACE_MS = 1_000;
const POLL_MS = 20;
const MAX_STDERR_LINE = 64 * 1024;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioTransportOptions;
  #child: Child | null = null;
  #closed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#closed) throw new Error("closed before it was started");
    const { command, args, env, cwd } = this.#options;
    const child: Child = spawn(command, [...args], {
      cwd,
      env: { ...env },
      // A separate process group, so that its child processes are killed with it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new Error(osErrorText(error), { cause: error })));
    });
    this.#child = child;
    // A server that exits without reading breaks the pipe; its exit is handled below.
    child.stdin.on("error", () => {});
    this.#read(child.stdout, "stdout", (line) => this.#receive(line));
    this.#read(child.stderr, "stderr", (line) => this.#options.onNoise("stderr", line));
    child.once("close", () => this.#ended());
    child.once("exit", () => this.#killGroup());
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { promise, resolve, reject } = createDeferred<void>();
    const child = this.#child;
    if (child === null || this.#closed) reject(new Error("Not connected"));
    else child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  async close(): Promise<void> {
    const child = this.#child;
    const group = child?.pid;
    if (child === null || group === undefined) return this.#ended();
    child.stdin.end();
    if (signalGroup(group, "SIGTERM")) await this.#whenGone(group);
    signalGroup(group, "SIGKILL");
    // Pipes inherited by another process would keep the child from closing.
    child.stdout.destroy();
    child.stderr.destroy();
    this.#ended();
  }

  #read(stream: Readable, name: "stdout" | "stderr", onLine: (line: string) => void): void {
    const limit = name === "stdout" ? MAX_STDIO_MESSAGE_BYTES : MAX_STDERR_LINE;
    const splitter = createLineSplitter({
      maxLineBytes: () => limit,
      onLine,
      onBadLine: (reason, fault) => this.#badLine(name, reason, fault),
    });
    stream.on("data", (chunk: Buffer) => splitter.push(chunk));
    stream.on("error", () => {});
  }

  #receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#options.onNoise("stdout", line);
      return;
    }
    if (typeof message !== "object" || message === null) this.#options.onNoise("stdout", line);
    // The client validates messages; their type begins here.
    else this.onmessage?.(message as JSONRPCMessage);
  }

  /** The response on an oversized line is lost, so that the pending request must be failed. */
  #badLine(name: "stdout" | "stderr", reason: string, fault: BadLineKind): void {
    this.#options.onNoise(name, reason);
    if (name === "stdout" && fault === "tooLong") void this.close();
  }

  #killGroup(): void {
    const group = this.#child?.pid;
    if (group !== undefined) signalGroup(group, "SIGKILL");
  }

  async #whenGone(group: number): Promise<void> {
    for (let waited = 0; waited < GRACE_MS && signalGroup(group, 0); waited += POLL_MS) {
      await new Promise<void>((resolve) => this.#options.clock.after(POLL_MS, resolve));
    }
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
