/**
 * Notifications about the latest state of things that change often, for connections that asked for them. A change is
 * sent after a short while, so that several of one thing become one. A client that reads slowly receives the state of
 * when it has caught up. Nothing is observed without such a connection.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { ClientConnection } from "./client-connection.ts";

export interface CoalescedNotices {
  add(connection: ClientConnection): void;
  remove(connection: ClientConnection): void;
  /** The thing with this key has changed. */
  touch(key: string): void;
}

export interface CoalescedNoticesOptions<S> {
  /** Reads the state that is sent; null for a thing that is gone. */
  readonly read: (key: string) => Promise<S | null>;
  readonly send: (connections: readonly ClientConnection[], state: S) => void;
  /** Starts to observe changes; returns the function that ends it. */
  readonly observe: (touch: (key: string) => void) => () => void;
  readonly clock: Pick<Clock, "after">;
  readonly log: Logger;
}

/** At most one notification of a thing in this time. */
export const NOTICE_EVERY_MS = 250;

export function createCoalescedNotices<S>(options: CoalescedNoticesOptions<S>): CoalescedNotices {
  const { read, send, observe, clock, log } = options;
  /** The changes that each connection has not been sent. */
  const waiting = new Map<ClientConnection, Set<string>>();
  let stop: (() => void) | null = null;
  let cancel: (() => void) | null = null;
  let isSending = false;

  function touch(key: string): void {
    for (const keys of waiting.values()) keys.add(key);
    schedule();
  }

  function schedule(): void {
    if (cancel !== null || isSending || waiting.size === 0) return;
    cancel = clock.after(NOTICE_EVERY_MS, flush, { keepsAlive: false });
  }

  function flush(): void {
    cancel = null;
    isSending = true;
    const sent = sendAll().finally(() => {
      isSending = false;
      if ([...waiting.values()].some(({ size }) => size > 0)) schedule();
    });
    inBackground(log, "sending what has changed", sent);
  }

  async function sendAll(): Promise<void> {
    const ready = [...waiting].filter(([{ backlog }, keys]) => keys.size > 0 && !backlog.isBehind());
    const taken = ready.map(([connection, keys]) => {
      const own = new Set(keys);
      keys.clear();
      return { connection, own };
    });
    for (const key of new Set(taken.flatMap(({ own }) => [...own]))) {
      const state = await read(key);
      const receivers = taken.filter(({ connection, own }) => own.has(key) && waiting.has(connection));
      if (state !== null && receivers.length > 0)
        send(
          receivers.map(({ connection }) => connection),
          state,
        );
    }
  }

  return {
    add(connection) {
      if (!waiting.has(connection)) waiting.set(connection, new Set());
      stop ??= observe(touch);
    },
    remove(connection) {
      waiting.delete(connection);
      if (waiting.size > 0) return;
      cancel?.();
      cancel = null;
      stop?.();
      stop = null;
    },
    touch,
  };
}
