/** Opens the listeners of a server, on the addresses of the command line or on sockets of a service manager. */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../base/clock.ts";
import { AppError, osErrorText } from "../../base/errors.ts";
import { statOf } from "../../base/file-system.ts";
import type { Logger } from "../../base/logger.ts";
import type { Heddle } from "../../server/heddle.ts";
import { createRouteTable, type Route } from "../../server/http/route-table.ts";
import { type ServerRoutesOptions, serverRoutes } from "../../server/http/server-routes.ts";
import type { HttpRoutes } from "../../transport/http-routes.ts";
import {
  formatSocketAddress,
  isLoopback,
  type ListenAddress,
  socketFolder,
} from "../../transport/listen-address.ts";
import { findSocketFile } from "../../transport/socket-file.ts";
import { createTickets, type Tickets } from "../../transport/tickets.ts";
import type { Sessions } from "../../transport/token-holder.ts";
import { controlSocketPath, openUnixListener } from "../../transport/unix-socket.ts";
import type { JudgeUpgrade } from "../../transport/websocket-auth.ts";
import { type Listener, openWebSocketListener } from "../../transport/websocket-listener.ts";
import { createCallerCheck } from "./caller-check.ts";
import type { ListenerSettings } from "./listener-options.ts";
import { createRefusalLog } from "./refusal-log.ts";

export interface ListenOptions extends ListenerSettings, Omit<ServerRoutesOptions, "tickets"> {
  readonly judgeUpgrade: JudgeUpgrade | null;
  readonly log: Logger;
  /** Routes besides those that every listener has. */
  readonly routes?: readonly Route[];
  /** The sessions of the console; absent without one. */
  readonly sessions?: Sessions | undefined;
}

/** The settings of a listener for programs on this machine, or for holders of a token. */
export const LOCAL_LISTENER: ListenerSettings = {
  names: { hosts: [], origins: [] },
  trustedProxies: null,
  tls: null,
};

type SocketAddress = Extract<ListenAddress, { kind: "websocket" | "unix" }>;

/** Opens a listener. The URL and the banner contain the actual port. */
export async function listenOn(
  heddle: Heddle,
  address: SocketAddress,
  options: ListenOptions,
): Promise<{ readonly url: string; readonly banner: string }> {
  if (address.kind === "unix") {
    const path = address.path ?? controlSocketPath(heddle.home);
    const limits = await heddle.readLimits();
    const { log } = options;
    const onConnection = heddle.connect;
    const folder = socketFolder(process.env);
    const listening = { limits, log, onConnection, routes: createRoutes(options, null), folder };
    const listener = await openUnixListener(path, listening);
    heddle.onClose(() => listener.close());
    return { url: `unix://${path}`, banner: "" };
  }
  const { host, port } = address;
  refuseOpen(host, port, options);
  const listener = await openListener(heddle, (server) => server.listen(port, host), options).catch(
    (error: unknown) => {
      const message = `${formatSocketAddress(host, port)}: ${osErrorText(error)}`;
      throw new AppError("transport.address", message, { cause: error });
    },
  );
  // The address of a TCP listener is never a path.
  const { port: boundPort } = listener.address as AddressInfo;
  heddle.registerListener(boundPort);
  const url = urlOf(host, boundPort, options);
  return { url, banner: renderBanner(url, isLoopback(host)) };
}

/** Listens on a socket that a service manager has opened, and returns its URL. */
export async function listenOnDescriptor(
  heddle: Heddle,
  { fd, name }: { readonly fd: number; readonly name: string },
  options: ListenOptions,
): Promise<string> {
  const listener = await openListener(heddle, (server) => server.listen({ fd }), options).catch(
    (error: unknown) => {
      const message = `file ${fd} (${JSON.stringify(name)}) of the service manager is no socket to listen on: ${osErrorText(error)}. Name TCP and unix stream sockets in the socket unit, without Accept=yes.`;
      throw new AppError("transport.address", message, { cause: error });
    },
  );
  // Node reports the address of TCP sockets only.
  const tcp = listener.address as AddressInfo | null;
  const path = tcp === null ? findSocketFile(fd) : null;
  try {
    if (tcp === null) refuseOpenFile(path, options);
    else refuseOpen(tcp.address, tcp.port, options);
  } catch (error) {
    // No connection has been accepted yet, because that needs another turn of the event loop.
    await listener.close();
    throw error;
  }
  if (tcp !== null) heddle.registerListener(tcp.port);
  else if (path !== null) heddle.registerListener(path);
  return tcp === null ? `unix://${path ?? ""}` : urlOf(tcp.address, tcp.port, options);
}

async function openListener(
  heddle: Heddle,
  listen: (server: Server) => void,
  options: ListenOptions,
): Promise<Listener> {
  const { judgeUpgrade, log, names, trustedProxies, tls, sessions } = options;
  const hasToken = judgeUpgrade !== null;
  const tickets = hasToken ? createTickets({ now: () => systemClock.monotonic(), randomBytes }) : null;
  const refuseTcpCaller = createCallerCheck({ hasToken });
  const logRefused = createRefusalLog({ log, clock: systemClock });
  const listener = await openWebSocketListener({
    listen,
    names,
    trustedProxies,
    tls,
    judgeUpgrade,
    tickets,
    sessions,
    routes: createRoutes(options, tickets),
    // Access to a socket file is controlled by its mode, and sandboxes hide the file.
    refuseCaller: async (socket) => (listener.address === null ? null : refuseTcpCaller(socket)),
    onRefused(refused) {
      heddle.onRefusedRequest(refused);
      logRefused(refused);
    },
    limits: await heddle.readLimits(),
    log,
    onConnection: heddle.connect,
  });
  heddle.onClose(() => listener.close());
  return listener;
}

function createRoutes(options: ListenOptions, tickets: Tickets | null): HttpRoutes {
  const { unreadiness, metrics, routes = [] } = options;
  return createRouteTable([...serverRoutes({ unreadiness, metrics, tickets }), ...routes]);
}

/** Rejects an address beyond this machine without authentication. */
function refuseOpen(host: string, port: number, { judgeUpgrade }: ListenOptions): void {
  if (isLoopback(host) || judgeUpgrade !== null) return;
  throw new AppError(
    "transport.auth",
    `refusing to start non-loopback websocket listener ${formatSocketAddress(host, port)} without auth; configure \`--ws-auth capability-token\` or \`--ws-auth signed-bearer-token\``,
  );
}

const OTHERS = 0o077;

/**
 * Rejects a socket without authentication that other users, or sandboxed commands, may reach; a socket without a file
 * cannot be hidden from a sandbox.
 */
function refuseOpenFile(path: string | null, { judgeUpgrade, tls }: ListenOptions): void {
  const refuse = (reason: string): never => {
    throw new AppError(
      "transport.auth",
      `refusing to listen on unix socket ${path ?? "without a file"}: ${reason}`,
    );
  };
  if (tls !== null) refuse("a certificate is for sockets with a port; leave --tls-cert out");
  if (judgeUpgrade !== null) return;
  const mode = path === null ? undefined : statOf(path)?.mode;
  if (mode === undefined) refuse("its mode is unknown; add --ws-auth");
  else if ((mode & OTHERS) !== 0) refuse("others may call; set SocketMode=0600, or add --ws-auth");
}

function urlOf(host: string, port: number, { tls }: ListenOptions): string {
  return `${tls === null ? "ws" : "wss"}://${formatSocketAddress(host, port)}`;
}

function renderBanner(url: string, loopback: boolean): string {
  const probed = url.replace(/^ws/, "http");
  const lines = [
    "heddle app-server (WebSockets)",
    `  listening on: ${url}`,
    `  readyz: ${probed}/readyz`,
    `  healthz: ${probed}/healthz`,
  ];
  if (loopback) lines.push("  note: binds localhost only (use SSH port-forwarding for remote access)");
  return `${lines.join("\n")}\n`;
}
