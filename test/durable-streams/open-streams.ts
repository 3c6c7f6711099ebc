import type { AddressInfo } from "node:net";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import type { EventLogs } from "../../src/server/http/durable-stream/event-log.ts";
import {
  defaultStreamLimits,
  type StreamLimits,
} from "../../src/server/http/durable-stream/stream-limits.ts";
import { createRouteTable, type Route } from "../../src/server/http/route-table.ts";
import { streamRoutes, threadEventRoutes } from "../../src/server/http/stream-routes.ts";
import { defaultTransportLimits } from "../../src/transport/transport.ts";
import {
  openWebSocketListener,
  type WebSocketListenerOptions,
} from "../../src/transport/websocket-listener.ts";

/** The web page that may read the streams; the conformance suite asks as this one. */
export const ALLOWED_ORIGIN = "https://example.com";

export interface StreamsOptions
  extends Partial<Pick<WebSocketListenerOptions, "judgeUpgrade" | "refuseCaller" | "handshakeMs">> {
  readonly logs: EventLogs;
  /** Defaults to that of threads. */
  readonly path?: string;
  /** Other routes, such as those that write. */
  readonly routes?: readonly Route[];
  readonly limits?: Partial<StreamLimits>;
  readonly stallMs?: number;
  readonly port?: number;
}

export interface Streams {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves streams as a server does, on a listener of their own. */
export async function openStreams({
  logs,
  path,
  routes = [],
  limits,
  stallMs = defaultTransportLimits.stallMs,
  port: wantedPort = 0,
  judgeUpgrade = null,
  ...checks
}: StreamsOptions): Promise<Streams> {
  const ports = { logs, clock: systemClock, random: Math.random };
  const options = { ...ports, limits: { ...defaultStreamLimits, ...limits } };
  const reading = path === undefined ? threadEventRoutes(options) : streamRoutes(path, options);
  const listener = await openWebSocketListener({
    ...checks,
    listen: (server) => server.listen(wantedPort, "127.0.0.1"),
    names: { hosts: [], origins: [ALLOWED_ORIGIN] },
    tickets: null,
    judgeUpgrade,
    routes: createRouteTable([...reading, ...routes]),
    limits: { ...defaultTransportLimits, stallMs },
    log: silentLogger,
    onConnection: (transport) => transport.close(),
  });
  const { port } = listener.address as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, close: () => listener.close() };
}
