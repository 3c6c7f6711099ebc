/** The running processes of clients, by connection and by the id that the client chose. */

import type { ClientConnection } from "../connections/client-connection.ts";
import type { ClientProcess } from "./client-process.ts";

export interface ClientProcesses {
  /** Reserves the name at once, and frees it when the process has ended. */
  start(
    connection: ClientConnection,
    name: string | null,
    launch: () => Promise<ClientProcess>,
  ): StartedProcess;
  /** Waits for a start in progress; null if there is no process of that name. */
  find(connection: ClientConnection, name: string): Promise<ClientProcess | null>;
  /** Kills all processes of a connection. */
  drop(connection: ClientConnection): void;
}

export type StartedProcess =
  | { readonly kind: "started"; readonly process: Promise<ClientProcess> }
  | { readonly kind: "duplicate" }
  | { readonly kind: "full" };

/** Running processes per connection. */
export const MAX_PROCESSES_PER_CONNECTION = 256;

interface Owned {
  readonly named: Map<string, Promise<ClientProcess>>;
  readonly all: Set<Promise<ClientProcess>>;
}

export function createClientProcesses(limit = MAX_PROCESSES_PER_CONNECTION): ClientProcesses {
  const owners = new Map<ClientConnection, Owned>();

  function ownedBy(connection: ClientConnection): Owned {
    const owned = owners.get(connection) ?? { named: new Map(), all: new Set() };
    owners.set(connection, owned);
    return owned;
  }

  async function follow(connection: ClientConnection, name: string | null, process: Promise<ClientProcess>) {
    const started = await process.catch(() => null);
    // The client may have disconnected while the process was starting.
    if (owners.get(connection)?.all.has(process) !== true) started?.abandon();
    await started?.ended;
    const owned = owners.get(connection);
    owned?.all.delete(process);
    if (name !== null && owned?.named.get(name) === process) owned.named.delete(name);
    if (owned?.all.size === 0) owners.delete(connection);
  }

  return {
    start(connection, name, launch) {
      const owned = owners.get(connection);
      if (name !== null && owned?.named.has(name) === true) return { kind: "duplicate" };
      if ((owned?.all.size ?? 0) >= limit) return { kind: "full" };
      const process = launch();
      ownedBy(connection).all.add(process);
      if (name !== null) ownedBy(connection).named.set(name, process);
      void follow(connection, name, process);
      return { kind: "started", process };
    },

    async find(connection, name) {
      const process = owners.get(connection)?.named.get(name);
      return process === undefined ? null : await process.catch(() => null);
    },

    drop(connection) {
      const owned = owners.get(connection);
      owners.delete(connection);
      for (const process of owned?.all ?? [])
        void process.then(
          (started) => started.abandon(),
          () => {},
        );
    },
  };
}
