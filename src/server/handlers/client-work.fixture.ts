/** Stands in for the server around the handlers that work for one connection. */
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { RequestContext } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

type Heard = readonly [method: string, params: unknown];

/** A client that keeps what it is told. */
export interface HearingClient {
  readonly connection: ClientConnection;
  readonly heard: Heard[];
  /** What a handler is given; what it leaves for after the reply is done by `reply`. */
  readonly context: RequestContext;
  reply(): void;
  /** Waits until it was told this, and gives all of it so far. */
  until(method: keyof ServerNotifications): Promise<Heard[]>;
}

export function createClients() {
  const clients = new Map<ClientConnection, HearingClient & { wake: () => void }>();
  const notifier: Notifier = {
    toAll: () => {},
    ofThread: () => {},
    to(connections, method, params) {
      for (const connection of connections) {
        const client = clients.get(connection);
        client?.heard.push([method, params]);
        client?.wake();
      }
    },
  };

  function connect(id = clients.size, backlog = NO_BACKLOG): HearingClient {
    // The handlers know a connection by its identity, and ask who it is and how far behind.
    const handshake = { phase: "ready", clientName: `client ${id}` };
    const connection = { id, handshake, backlog, accepts: () => true } as unknown as ClientConnection;
    const tasks: (() => void)[] = [];
    const client = {
      connection,
      heard: [] as Heard[],
      context: { connection, afterResponse: (task: () => void) => void tasks.push(task) },
      wake: () => {},
      reply: () => tasks.splice(0).forEach((task) => task()),
      async until(method: string) {
        while (!client.heard.some(([name]) => name === method)) {
          await new Promise<void>((resolve) => void (client.wake = resolve));
        }
        return client.heard.splice(0);
      },
    };
    clients.set(connection, client);
    return client;
  }
  return { notifier, connect };
}
