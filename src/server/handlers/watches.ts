import { normalize } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import { openPathWatch, type PathWatch } from "../machine/path-watch.ts";

export interface WatchHandlersOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly notifier: Notifier;
  /** Adds a listener that is called with each connection that closes. */
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
  readonly maxWatches?: number;
}

/** Watched paths per connection. */
export const MAX_WATCHES_PER_CONNECTION = 1024;

/** File watches of clients. Each connection is notified of changes under its own watch ids. */
export function createWatchHandlers({
  clock,
  log,
  notifier,
  onDisconnect,
  maxWatches = MAX_WATCHES_PER_CONNECTION,
}: WatchHandlersOptions): Handlers<"fs/watch" | "fs/unwatch"> {
  const owners = new Map<ClientConnection, Map<string, Promise<PathWatch>>>();

  async function end(watch: Promise<PathWatch> | undefined): Promise<void> {
    (await watch)?.close();
  }

  onDisconnect((connection) => {
    const watches = owners.get(connection);
    owners.delete(connection);
    for (const watch of watches?.values() ?? []) void end(watch);
  });

  return {
    async "fs/watch"({ watchId, path: given }, { connection }) {
      const watches = owners.get(connection) ?? new Map<string, Promise<PathWatch>>();
      if (watches.has(watchId)) throw invalidRequest(`watchId already exists: ${watchId}`);
      if (watches.size >= maxWatches) throw invalidRequest("too many paths are watched on this connection");
      owners.set(connection, watches);
      const path = withoutEndingSlash(normalize(given));
      const onChange = (changedPaths: string[]): void =>
        notifier.to([connection], "fs/changed", { watchId, changedPaths });
      const watch = openPathWatch({ path, clock, log, onChange });
      watches.set(watchId, watch);
      await watch;
      return { path };
    },

    async "fs/unwatch"({ watchId }, { connection }) {
      const watches = owners.get(connection);
      const watch = watches?.get(watchId);
      watches?.delete(watchId);
      await end(watch);
      return {};
    },
  };
}

function withoutEndingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
