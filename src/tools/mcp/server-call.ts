/** The calls of an MCP server that are running: how long they may take, and whom the server's questions are for. */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import type { ElicitationAnswer, ElicitationParams, McpClient } from "./mcp-client.ts";
import type { McpOutcome } from "./server/server-failure.ts";

/** How the questions of a server are answered that it asks during a call. */
export interface Elicit {
  readonly threadId: string;
  answer(params: ElicitationParams, signal: AbortSignal): Promise<ElicitationAnswer>;
}

interface RunningCall {
  readonly elicit: Elicit;
  readonly deadline: CallDeadline;
}

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
  /** Answers what the server asks while this call runs. */
  readonly elicit?: Elicit;
}

/**
 * The calls of one server that are running. A server does not say which call it asks a question for, so that a
 * question is put only where all running calls are of one thread: others must not see it.
 */
export class RunningCalls {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Set<RunningCall>();

  constructor(server: string, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#server = server;
    this.#clock = clock;
    this.#log = log;
  }

  async request(
    client: McpClient,
    method: string,
    params: JsonObject,
    { timeoutMs, signal, onProgress, elicit }: CallOptions,
  ): Promise<McpOutcome<JsonObject>> {
    const aborter = new AbortController();
    const onAbort = () => aborter.abort("the turn has ended");
    if (signal.aborted) return { kind: "cancelled" };
    signal.addEventListener("abort", onAbort, { once: true });
    const deadline = startDeadline(this.#clock, timeoutMs, () => aborter.abort("timed out"));
    const running = elicit === undefined ? null : { elicit, deadline };
    if (running !== null) this.#running.add(running);
    try {
      const outcome = await client.request(method, params, {
        signal: aborter.signal,
        ...(onProgress && { onProgress }),
      });
      if (outcome.kind !== "cancelled" || signal.aborted) return outcome;
      return { kind: "failed", message: `timed out awaiting ${method} after ${roundTime(timeoutMs)}` };
    } finally {
      deadline.stop();
      if (running !== null) this.#running.delete(running);
      signal.removeEventListener("abort", onAbort);
    }
  }

  async elicit(params: ElicitationParams, signal: AbortSignal): Promise<ElicitationAnswer> {
    const calls = [...this.#running];
    const call = calls.at(-1);
    const threads = new Set(calls.map(({ elicit }) => elicit.threadId));
    if (call === undefined || threads.size > 1) {
      const reason = call === undefined ? "no call is running" : "calls of several threads are running";
      this.#log.warn("a question of an MCP server was declined", { server: this.#server, reason });
      return { action: "decline" };
    }
    // The user's time to think is not the server's.
    for (const { deadline } of calls) deadline.pause();
    try {
      return await call.elicit.answer(params, signal);
    } finally {
      for (const { deadline } of calls) deadline.resume();
    }
  }
}

/** A time limit that stands still while somebody else is waited for. */
interface CallDeadline {
  pause(): void;
  resume(): void;
  stop(): void;
}

function startDeadline(clock: Clock, limitMs: number, onPassed: () => void): CallDeadline {
  let left = limitMs;
  let pauses = 0;
  let stopped = false;
  let since = clock.monotonic();
  let cancel = clock.after(left, onPassed);
  return {
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      cancel();
      left = Math.max(0, left - (clock.monotonic() - since));
    },
    resume() {
      pauses -= 1;
      if (pauses > 0 || stopped) return;
      since = clock.monotonic();
      cancel = clock.after(left, onPassed);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** In whole seconds, below one second in milliseconds; a limit is a hair shorter by the time that it is kept. */
function roundTime(limitMs: number): string {
  const left = limitMs - 0.01;
  return left < 1000 ? `${Math.round(left)}ms` : `${Math.round(left / 1000)}s`;
}
