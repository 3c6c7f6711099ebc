/**
 * The app-server connection of the MCP tools. It uses the first protocol generation and opts out of almost
 * all other notifications.
 */
import type { Logger } from "../../base/logger.ts";
import type { NotificationMessage, RequestMessage } from "../../jsonrpc/message.ts";
import { createPeer, type Responder } from "../../jsonrpc/peer.ts";
import { notificationRows } from "../../protocol/generated/table.ts";
import type { ClientRequests } from "../../protocol/generated/types.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { OutboundBacklog, Transport } from "../../transport/transport.ts";

export interface AppServerClient {
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]>;
  /** Sends an encoded message unchanged. */
  relay(text: string): void;
  close(): void;
}

export interface AppServerClientOptions {
  readonly connect: (transport: Transport) => void;
  /** The backlog of the MCP client, to which this connection's messages are forwarded. */
  readonly backlog: OutboundBacklog | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly log: Logger;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly onRequest: (request: RequestMessage, reply: Responder) => void;
}

/** All other notifications arrive as events of the first generation. */
const NEEDED = ["turn/completed", "serverRequest/resolved"];

export async function openAppServerClient(options: AppServerClientOptions): Promise<AppServerClient> {
  const [theirs, ours] = createMemoryTransports(options.backlog);
  const peer = createPeer({
    send: (text) => ours.send(text, "response"),
    onNotification: options.onNotification,
    onRequest: options.onRequest,
    log: options.log,
  });
  ours.start({
    message: (text) => peer.receive(text),
    closed: () => peer.close("the connection was closed"),
  });
  options.connect(theirs);
  await peer.request("initialize", {
    clientInfo: { ...options.clientInfo, title: null },
    capabilities: {
      experimentalApi: true,
      legacyApprovals: true,
      optOutNotificationMethods: Object.keys(notificationRows).filter((method) => !NEEDED.includes(method)),
    },
  });
  return {
    // The row of the method guarantees the type of the result.
    request: async <M extends keyof ClientRequests>(method: M, params: ClientRequests[M]["params"]) =>
      (await peer.request(method, params)) as ClientRequests[M]["result"],
    relay: (text) => ours.send(text, "response"),
    close: () => ours.close(),
  };
}
