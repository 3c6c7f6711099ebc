/** The pending calls of an MCP server: their deadlines, and the routing of elicitations. */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import type { ElicitationAnswer, ElicitationParams, McpClient } from "./mcp-client.ts";
import type { McpOutcome } from "./server/server-failure.ts";

/** Answers the elicitations that a server sends during a call. */
export interface Elicit {
  readonly threadId: string;
  answer(params: ElicitationParams, signal: AbortSignal): Promise<ElicitationAnswer>;
}

interface RunningCall {
  readonly elicit: Elicit;
  readonly deadline: CallDeadline;
}

export interface McpCallOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
  /** Answers elicitations while this call is pending. */
  readonly elicit?: Elicit;
}

/**
 * The pending calls of one server. A server does not say which call an elicitation belongs to, so that it is
 * forwarded only where all pending calls are of one thread: other threads must not see it.
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
    { timeoutMs, signal, onProgress, elicit }: McpCallOptions,
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
    // Time spent waiting for the user does not count against the server.
    for (const { deadline } of calls) deadline.pause();
    try {
      return await call.elicit.answer(params, signal);
    } finally {
      for (const { deadline } of calls) deadline.resume();
    }
  }
}

/** A deadline that can be paused. */
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

/** In whole seconds, or milliseconds below one second; the elapsed time may be slightly below the limit. */
function roundTime(limitMs: number): string {
  const left = limitMs - 0.01;
  return left < 1000 ? `${Math.round(left)}ms` : `${Math.round(left / 1000)}s`;
}
