/** A stub of the server around handlers that work for one connection. */
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { RequestContext } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

type Received = readonly [method: string, params: unknown];

/** A client that records the notifications that it receives. */
export interface RecordingClient {
  readonly connection: ClientConnection;
  readonly received: Received[];
  /** The context of its requests. `reply` runs the tasks that a handler has passed to `afterResponse`. */
  readonly context: RequestContext;
  reply(): void;
  /** Waits for a notification of this method; returns and clears everything received so far. */
  until(method: keyof ServerNotifications): Promise<Received[]>;
}

export function createClients() {
  const clients = new Map<ClientConnection, RecordingClient & { wake: () => void }>();
  const notifier: Notifier = {
    toAll: () => {},
    ofThread: () => {},
    to(connections, method, params) {
      for (const connection of connections) {
        const client = clients.get(connection);
        client?.received.push([method, params]);
        client?.wake();
      }
    },
  };

  function connect(id = clients.size, backlog = NO_BACKLOG): RecordingClient {
    // The handlers use only these members of a connection.
    const handshake = { phase: "ready", clientName: `client ${id}` };
    const connection = { id, handshake, backlog, accepts: () => true } as unknown as ClientConnection;
    const tasks: (() => void)[] = [];
    const client = {
      connection,
      received: [] as Received[],
      context: { connection, afterResponse: (task: () => void) => void tasks.push(task) },
      wake: () => {},
      reply: () => tasks.splice(0).forEach((task) => task()),
      async until(method: string) {
        while (!client.received.some(([name]) => name === method)) {
          await new Promise<void>((resolve) => void (client.wake = resolve));
        }
        return client.received.splice(0);
      },
    };
    clients.set(connection, client);
    return client;
  }
  return { notifier, connect };
}
