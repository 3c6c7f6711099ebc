/** Requests through a proxy, or with additional trusted certificates, as the environment configures. */
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import { messageOf } from "../errors.ts";
import { readRegularFile } from "../read-regular-file.ts";
import type { ConnectCallbacks } from "./connector.ts";
import { closeIdle, type Dialer, NetworkRouteError, proxyAuthAdvice } from "./dialer.ts";
import type { CaFile, NetworkSettings, ProxyAddress } from "./network-settings.ts";

const CA_FILE = { maxBytes: 16 * 1024 * 1024, from: "own" } as const;
const CERTIFICATE = "-----BEGIN CERTIFICATE-----";
/** The timeout of the CONNECT request, and again of the TLS handshake behind it. */
const TUNNEL_TIMEOUT_MS = 60_000;
const TIMEOUT_MESSAGE = `no answer within ${TUNNEL_TIMEOUT_MS / 1000} s`;

/** Throws a NetworkRouteError if the environment names an unusable proxy or certificate file. */
export async function openRoutedDialer(
  url: URL,
  settings: NetworkSettings,
  agentOptions: http.AgentOptions,
): Promise<Dialer> {
  const { proxy, isSecure, trust } = await resolveRoute(url, settings);
  const options = { ...agentOptions, ...trust };

  if (proxy === null)
    return toDialer(isSecure ? https : http, isSecure ? new https.Agent(options) : new http.Agent(options));
  if (isSecure) return { ...toDialer(https, new TunnelAgent(options, proxy)), proxy: proxy.displayUrl };
  return toForwardingDialer(url, proxy, options);
}

interface NetworkRoute {
  /** Null for a direct connection. */
  readonly proxy: ProxyAddress | null;
  /** Whether the origin itself is reached by TLS. */
  readonly isSecure: boolean;
  /** The TLS options that add trusted certificates; empty without any. */
  readonly trust: { readonly secureContext?: tls.SecureContext };
}

/** Throws a NetworkRouteError if the environment names an unusable proxy or certificate file. */
export async function resolveRoute(url: URL, settings: NetworkSettings): Promise<NetworkRoute> {
  const choice = settings.routeTo(url);
  if (choice.kind === "fault") throw new NetworkRouteError(choice.message, true);
  const proxy = choice.kind === "proxy" ? choice.proxy : null;
  const isSecure = url.protocol === "https:";
  const usesTls = isSecure || proxy?.isSecure === true;
  const trust =
    usesTls && settings.caFile !== null ? { secureContext: await createCaContext(settings.caFile) } : {};
  return { proxy, isSecure, trust };
}

function toDialer(module: typeof http | typeof https, agent: http.Agent): Dialer {
  return {
    request: (options) => module.request({ ...options, agent }),
    proxy: null,
    close: () => closeIdle(agent),
  };
}

/** Plain HTTP requests carry the absolute URL, and the proxy forwards them. */
function toForwardingDialer(url: URL, proxy: ProxyAddress, options: https.AgentOptions): Dialer {
  const { hostname: host, port, authorization, isSecure, displayUrl } = proxy;
  const direct = isSecure
    ? toDialer(https, new https.Agent(options))
    : toDialer(http, new http.Agent(options));
  const login = authorization === null ? [] : ["proxy-authorization", authorization];
  return {
    ...direct,
    proxy: displayUrl,
    request: ({ path, headers, ...rest }) =>
      direct.request({
        ...rest,
        host,
        hostname: host,
        port,
        path: `${url.origin}${path ?? "/"}`,
        headers: [...headers, ...login],
      }),
  };
}

/** Opens a tunnel through the proxy with CONNECT and speaks TLS through it. */
class TunnelAgent extends https.Agent {
  readonly #proxy: ProxyAddress;

  constructor(options: https.AgentOptions, proxy: ProxyAddress) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: https.RequestOptions,
    onSocket: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    // The agent ignores the socket argument if there is an error.
    connectThroughTunnel(this.#proxy, options as tls.ConnectionOptions, {
      onSocket: (socket) => onSocket(null, socket),
      onError: onSocket as (error: Error) => void,
    });
  }
}

/** Calls one of the callbacks; the socket is connected. */
export function connectThroughTunnel(
  proxy: ProxyAddress,
  options: tls.ConnectionOptions,
  { onSocket, onError }: Pick<ConnectCallbacks, "onSocket" | "onError">,
): void {
  const { host, port } = options;
  openTunnel(proxy, `${toUrlHost(host ?? "")}:${port}`, options).then((socket) => {
    const secure = tls.connect({ ...options, socket });
    const onTimeout = () => void secure.destroy(new Error(TIMEOUT_MESSAGE));
    secure.setTimeout(TUNNEL_TIMEOUT_MS, onTimeout);
    secure.once("error", onError);
    secure.once("secureConnect", () => {
      secure.setTimeout(0);
      secure.off("timeout", onTimeout).off("error", onError);
      onSocket(secure);
    });
  }, onError);
}

function openTunnel(
  proxy: ProxyAddress,
  authority: string,
  { secureContext }: tls.ConnectionOptions,
): Promise<Socket> {
  const login = proxy.authorization === null ? {} : { "proxy-authorization": proxy.authorization };
  return new Promise((resolve, reject) => {
    const call = (proxy.isSecure ? https : http).request({
      host: proxy.hostname,
      port: proxy.port,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...login },
      agent: false,
      timeout: TUNNEL_TIMEOUT_MS,
      ...(secureContext && { secureContext }),
    });
    call.once("connect", (response, socket: Socket, rest) => {
      const { statusCode = 0 } = response;
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        reject(tunnelError(proxy, authority, response));
        return;
      }
      socket.setTimeout(0);
      if (rest.length > 0) socket.unshift(rest);
      resolve(socket);
    });
    call.once("timeout", () => call.destroy(new Error(TIMEOUT_MESSAGE)));
    call.once("error", reject);
    call.end();
  });
}

function tunnelError(
  { displayUrl }: ProxyAddress,
  authority: string,
  { statusCode = 0, statusMessage = "" }: http.IncomingMessage,
) {
  const status = `${statusCode} ${statusMessage}`.trim();
  const isPermanent = statusCode < 500 && statusCode !== 408 && statusCode !== 429;
  return new NetworkRouteError(
    `the proxy ${displayUrl} refused the way to ${authority}: ${status}${proxyAuthAdvice(statusCode)}`,
    isPermanent,
  );
}

function toUrlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

async function createCaContext({ path, variable, nodeExtra }: CaFile): Promise<tls.SecureContext> {
  const file = await readRegularFile(path, CA_FILE);
  if (file.kind === "refused") {
    throw new NetworkRouteError(`${variable} names ${path}, which cannot be read: ${file.message}`, true);
  }
  if (!file.bytes.includes(CERTIFICATE)) {
    throw new NetworkRouteError(`${variable} names ${path}, which holds no certificate in PEM form`, true);
  }
  // An unreadable NODE_EXTRA_CA_CERTS is skipped: Node has already warned about it at startup.
  const extra = nodeExtra === null || nodeExtra === path ? null : await readRegularFile(nodeExtra, CA_FILE);
  const more = extra?.kind === "read" ? [extra.bytes] : [];
  try {
    return tls.createSecureContext({ ca: [...tls.rootCertificates, file.bytes, ...more] });
  } catch (error) {
    throw new NetworkRouteError(`${variable} names ${path}, which cannot be used: ${messageOf(error)}`, true);
  }
}
