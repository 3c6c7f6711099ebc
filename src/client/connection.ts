/**
 * A connection to a server that outlives the transports it runs over. When one breaks, another is opened, after a pause
 * that grows; whoever asks meanwhile waits. A request that was on its way is sent again where that can do no harm, and
 * fails where nobody can know whether it was carried out.
 */
import { messageOf } from "../base/errors.ts";
import { createDeferred } from "../base/tasks.ts";
import { RpcError } from "../jsonrpc/rpc-error.ts";
import type { InitializeResponse } from "../protocol/generated/types.ts";
import { abortable, pause } from "./abortable.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Link, type LinkOptions, openLink } from "./link.ts";
import { isRepeatable } from "./repeatable.ts";

export interface Connection {
  /** What the server said of itself, last. */
  readonly serverInfo: InitializeResponse;
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
  /** Resolves when it has ended for good, from whichever side. */
  readonly closed: Promise<void>;
}

export interface ReconnectOptions {
  /** How long to try, from the loss on; a minute unless said otherwise. */
  readonly forMs?: number;
  /** The first pause; each is twice as long as the one before, up to ten seconds. */
  readonly firstDelayMs?: number;
}

export interface ConnectionOptions extends LinkOptions {
  /** Null ends the connection with its first transport. */
  readonly reconnect: ReconnectOptions | null;
  /** Called on a new link before anybody else may ask anything. */
  readonly onReconnected: (link: Link) => Promise<void>;
  readonly onStateChange: (state: ConnectionState) => void;
}

export type ConnectionState =
  | { readonly kind: "connected" | "closed" }
  | { readonly kind: "reconnecting"; readonly reason: string };

const FOR_MS = 60_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { reconnect, onStateChange } = options;
  const closed = createDeferred<void>();
  const closing = new AbortController();
  /** Why there is no connection any more. */
  let ended: ConnectionError | null = null;
  let link: Link = await openLink(options, onLost);
  /** The next link, while there is none. */
  let next: Promise<Link> | null = null;

  function onLost(reason: string): void {
    if (closing.signal.aborted) return end(new ConnectionError("closed", CLOSED));
    if (reconnect === null) return end(new ConnectionError("lost", reason));
    if (next !== null) return;
    onStateChange({ kind: "reconnecting", reason });
    next = openNext(reason, reconnect);
    // Whoever asks hears of it; where nobody does, `closed` tells.
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
      link = await openAgain(options, policy, onLost, closing.signal);
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

  /** Errors are made here and not where they are noticed, so that their stacks lead to the caller. */
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
      // Whoever is asked for the next one may take long.
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

/** Tries until it works, the server refuses, the time is over or nobody wants it any more. */
async function openAgain(
  options: ConnectionOptions,
  { forMs = FOR_MS, firstDelayMs = FIRST_DELAY_MS }: ReconnectOptions,
  onLost: (reason: string) => void,
  signal: AbortSignal,
): Promise<Link> {
  const deadline = performance.now() + forMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(MAX_DELAY_MS, 2 * delayMs)) {
    // Clients of one server that has gone do not all come back in the same moment.
    await pause(delayMs * (0.5 + Math.random() / 2), signal);
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

/** A server that has thought about it will not think otherwise; a proxy speaks for one that may come back. */
function isFinal(error: unknown): boolean {
  const status = error instanceof ConnectionError ? error.status : null;
  return status !== null && status < 500 && status !== 429;
}
