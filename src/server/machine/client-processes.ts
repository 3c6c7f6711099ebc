/** The processes that clients run, by connection and by the name that the client gave. */

import type { ClientConnection } from "../connections/client-connection.ts";
import type { ClientProcess } from "./client-process.ts";

export interface ClientProcesses {
  /** Takes the name at once, then launches; the name is free again when the process has ended. */
  start(
    connection: ClientConnection,
    name: string | null,
    launch: () => Promise<ClientProcess>,
  ): StartedProcess;
  /** Waits for a start that is under way; null when there is none of that name. */
  find(connection: ClientConnection, name: string): Promise<ClientProcess | null>;
  /** Ends everything that a connection has left. */
  drop(connection: ClientConnection): void;
}

export type StartedProcess =
  | { readonly kind: "started"; readonly process: Promise<ClientProcess> }
  | { readonly kind: "duplicate" }
  | { readonly kind: "full" };

/** How many processes one connection may have running. */
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
    // The client may have gone while the system was starting it.
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
