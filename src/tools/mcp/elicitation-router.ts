import type { Logger } from "../../base/logger.ts";
import type { CallDeadline } from "./call-deadline.ts";
import type { ElicitationAnswer, ElicitationParams } from "./mcp-client.ts";

/** How the questions of a server are answered that it asks during a call. */
export interface Elicit {
  readonly threadId: string;
  answer(params: ElicitationParams, signal: AbortSignal): Promise<ElicitationAnswer>;
}

interface Running {
  readonly elicit: Elicit;
  readonly deadline: CallDeadline;
}

/**
 * Finds out whom a question of an MCP server is for. A server does not say which call it asks for, so that a
 * question is put only where all running calls are of one thread: others must not see it.
 */
export class ElicitationRouter {
  readonly #server: string;
  readonly #log: Logger;
  readonly #running = new Set<Running>();

  constructor(server: string, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** Notes a call that runs; the function returned notes its end. */
  enter(elicit: Elicit, deadline: CallDeadline): () => void {
    const running = { elicit, deadline };
    this.#running.add(running);
    return () => this.#running.delete(running);
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
