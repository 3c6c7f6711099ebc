/**
 * A connection to a server that outlives its transports. When one breaks, another is opened with exponential
 * backoff; requests wait meanwhile. A pending request is resent if it is idempotent, and fails if it may have
 * been executed.
 */
import { messageOf } from "../base/errors.ts";
import { createDeferred } from "../base/tasks.ts";
import { RpcError } from "../jsonrpc/rpc-error.ts";
import type { InitializeResponse } from "../protocol/generated/types.ts";
import { abortable, abortablePause } from "./abortable.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Link, type LinkOptions, openLink } from "./link.ts";
import { isRepeatable } from "./repeatable.ts";

export interface ReconnectingConnection {
  /** The server's latest response to `initialize`. */
  readonly serverInfo: InitializeResponse;
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
  /** Resolves when it has ended permanently, from either side. */
  readonly closed: Promise<void>;
}

export interface ReconnectOptions {
  /** How long to retry after a loss. Defaults to a minute. */
  readonly forMs?: number;
  /** The first delay; each is twice as long as the one before, up to ten seconds. */
  readonly firstDelayMs?: number;
}

export interface ReconnectingConnectionOptions extends LinkOptions {
  /** Null ends the connection with its first transport. */
  readonly reconnect: ReconnectOptions | null;
  /** Called on a new link before other requests may be sent. */
  readonly onReconnected: (link: Link) => Promise<void>;
  readonly onStateChange: (state: ConnectionState) => void;
}

export type ConnectionState =
  | { readonly kind: "connected" | "closed" }
  | { readonly kind: "reconnecting"; readonly reason: string };

const FOR_MS = 60_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

export async function openReconnectingConnection(
  options: ReconnectingConnectionOptions,
): Promise<ReconnectingConnection> {
  const { reconnect, onStateChange } = options;
  const closed = createDeferred<void>();
  const closing = new AbortController();
  /** Why the connection has ended permanently. */
  let ended: ConnectionError | null = null;
  let link: Link = await openLink(options, onLost);
  /** The pending link, while there is none. */
  let next: Promise<Link> | null = null;

  function onLost(reason: string): void {
    if (closing.signal.aborted) return end(new ConnectionError("closed", CLOSED));
    if (reconnect === null) return end(new ConnectionError("lost", reason));
    if (next !== null) return;
    onStateChange({ kind: "reconnecting", reason });
    next = openNext(reason, reconnect);
    // Requests report the error; without any, `closed` does.
    next.catch(() => {});
  }

  function end(error: ConnectionError): void {
    if (ended !== null) return;
    ended = error;
    onStateChange({ kind: "closed" });
    closed.resolve();
  }

  async function openNext(reason: string, policy: ReconnectOptions): Promise<Link> {
    try {
      link = await reopenLink(options, policy, onLost, closing.signal);
    } catch (error) {
      const { status = null } = error instanceof ConnectionError ? error : {};
      end(
        closing.signal.aborted
          ? new ConnectionError("closed", CLOSED)
          : new ConnectionError("lost", `${reason}, and could not be opened again: ${messageOf(error)}`, {
              status,
              cause: error,
            }),
      );
      throw error;
    }
    next = null;
    onStateChange({ kind: "connected" });
    return link;
  }

  /** Errors are created here and not where they are detected, so that their stacks lead to the caller. */
  async function request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    for (;;) {
      const current = next === null ? link : await abortable(next, signal).catch(() => null);
      signal?.throwIfAborted();
      if (ended !== null || current === null) throw cannotSend(method, ended);
      const outcome = await current.ask(method, params, signal);
      signal?.throwIfAborted();
      if (outcome.kind === "answered") return outcome.result;
      if (outcome.kind === "refused")
        throw new RpcError(outcome.error.code, outcome.error.message, outcome.error.data);
      if (reconnect === null || closing.signal.aborted || !isRepeatable(method, params))
        throw new ConnectionError("lost", `${outcome.reason} before ${method} was answered`, {
          mayBeDone: !isRepeatable(method, params),
        });
    }
  }

  return {
    get serverInfo() {
      return link.serverInfo;
    },
    request,
    close() {
      closing.abort();
      link.transport.close();
      // Opening the next link may take long.
      if (next !== null) end(new ConnectionError("closed", CLOSED));
      return closed.promise;
    },
    closed: closed.promise,
  };
}

const CLOSED = "the connection was closed";

function cannotSend(method: string, ended: ConnectionError | null): ConnectionError {
  const { kind = "lost", message = "there is no connection", status = null } = ended ?? {};
  return new ConnectionError(kind, `cannot send ${method}: ${message}`, { status });
}

/** Retries until it succeeds, the server refuses, the time is over or the signal aborts. */
async function reopenLink(
  options: ReconnectingConnectionOptions,
  { forMs = FOR_MS, firstDelayMs = FIRST_DELAY_MS }: ReconnectOptions,
  onLost: (reason: string) => void,
  signal: AbortSignal,
): Promise<Link> {
  const deadline = performance.now() + forMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
    // Jitter: clients of a restarted server should not reconnect simultaneously.
    await abortablePause(delayMs * (0.5 + Math.random() / 2), signal);
    signal.throwIfAborted();
    try {
      let lost: string | null = null;
      let isTaken = false;
      const link = await openLink(options, (reason) => {
        lost = reason;
        if (isTaken) onLost(reason);
      });
      if (!signal.aborted) await options.onReconnected(link);
      if (signal.aborted) link.transport.close();
      signal.throwIfAborted();
      if (lost !== null) throw new ConnectionError("lost", lost);
      isTaken = true;
      return link;
    } catch (error) {
      if (isFinal(error) || signal.aborted || performance.now() >= deadline) throw error;
    }
  }
}

/** A refusal of the server itself is final; a proxy answers for a server that may come back. */
function isFinal(error: unknown): boolean {
  const status = error instanceof ConnectionError ? error.status : null;
  return status !== null && status < 500 && status !== 429;
}
