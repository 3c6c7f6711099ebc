/** Opens connections to one origin, directly or as the environment configures. */
import type { Socket, TcpSocketConnectOpts } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { needsRoute } from "./dialer.ts";
import type { NetworkSettings } from "./network-settings.ts";

export interface Connector {
  /** Calls one of the callbacks, once. The socket may still be connecting; what is written to it meanwhile waits. */
  connect(callbacks: ConnectCallbacks): void;
  /** The event after which a new socket is connected. */
  readonly ready: "connect" | "secureConnect";
  /** The URL of the proxy, without its password. */
  readonly proxy: string | null;
  /** Precedes the path of a request: the origin, for a proxy that forwards requests. */
  readonly pathPrefix: string;
  /** The headers for such a proxy. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ConnectCallbacks {
  readonly onSocket: (socket: Socket) => void;
  readonly onError: (error: Error) => void;
  /** Called with the bytes that arrive. They are only valid during the call, and may be changed. */
  readonly onBytes: (bytes: Buffer) => void;
}

/** As long as what Node reads at once. */
const READ_BYTES = 64 * 1024;
/** As the agents of Node do it. */
const SOCKET = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 } as const;

/**
 * Modules are imported on the first request, because each takes longer to load than a request does. Throws a
 * NetworkRouteError if the environment names an unusable proxy or certificate file.
 */
export async function openConnector(url: URL, settings: NetworkSettings | null): Promise<Connector> {
  if (settings !== null && needsRoute(url, settings)) {
    const { openRoutedConnector } = await import("./routed-connector.ts");
    return openRoutedConnector(url, settings);
  }
  return openDirectConnector({ ...addressOf(url), isSecure: url.protocol === "https:" });
}

export interface ConnectAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

export function addressOf(url: URL): Omit<ConnectAddress, "isSecure"> {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/u, "$1"), port };
}

export async function openDirectConnector(
  { host, port, isSecure }: ConnectAddress,
  own: ConnectionOptions = {},
): Promise<Connector> {
  const connect = isSecure ? await secureConnect({ ...own, host, port }) : await plainConnect({ host, port });
  const ready = isSecure ? "secureConnect" : "connect";
  return { connect, ready, proxy: null, pathPrefix: "", headers: {} };
}

/** Reads into one buffer per connection: a stream of buffers took 30 µs more for each request. */
async function plainConnect(address: TcpSocketConnectOpts): Promise<Connector["connect"]> {
  const net = await import("node:net");
  return ({ onSocket, onBytes }) => {
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback(length: number, buffer: Uint8Array) {
        onBytes((buffer as Buffer).subarray(0, length));
        return true;
      },
    };
    onSocket(net.connect({ ...SOCKET, ...address, onread }));
  };
}

async function secureConnect(options: ConnectionOptions): Promise<Connector["connect"]> {
  const tls = await import("node:tls");
  const withName = { ALPNProtocols: ["http/1.1"], ...(await serverName(options.host)), ...options };
  let session: Buffer | undefined;
  return ({ onSocket, onBytes }) => {
    const socket = tls.connect({ ...SOCKET, ...withName, ...(session && { session }) });
    socket.on("session", (latest: Buffer) => {
      session = latest;
    });
    // A session that the server no longer accepts must not fail the next connection as well.
    socket.once("error", () => {
      session = undefined;
    });
    socket.on("data", onBytes);
    onSocket(socket);
  };
}

/** An IP address is no valid name for a server; its certificate is checked by the address. */
export async function serverName(host = ""): Promise<{ servername: string }> {
  const { isIP } = await import("node:net");
  return { servername: isIP(host) === 0 ? host : "" };
}
