/** Sends requests to one origin over keep-alive connections. */
import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { NetworkSettings } from "./network-settings.ts";

export interface Dialer {
  /** Like `request` of `node:http`. */
  request(options: DialOptions): ClientRequest;
  /** The URL of the proxy, without its password. */
  readonly proxy: string | null;
  /** Closes idle connections; those in use close after their request. */
  close(): void;
}

export interface DialOptions extends Omit<RequestOptions, "headers"> {
  /** Alternating names and values. */
  readonly headers: readonly string[];
}

/** A connection could not be established because of the proxy or the certificates; the message is for the user. */
export class NetworkRouteError extends Error {
  override readonly name = "RouteError";
  /** Whether a retry would fail in the same way. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** Whether the environment configures a proxy or certificates for this URL. */
export function needsRoute(url: URL, { routeTo, caFile }: NetworkSettings): boolean {
  return routeTo(url).kind !== "direct" || (url.protocol === "https:" && caFile !== null);
}

export function closeIdle(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** For a plain HTTP request, a 407 comes from the proxy itself: an origin server does not send it. */
export function proxyAuthError(proxy: string | null, status: number | undefined): NetworkRouteError | null {
  if (proxy === null || status !== PROXY_AUTHENTICATION_REQUIRED) return null;
  return new NetworkRouteError(`the proxy ${proxy} refused the request: 407${proxyAuthAdvice(status)}`, true);
}

export function proxyAuthAdvice(status: number): string {
  if (status !== PROXY_AUTHENTICATION_REQUIRED) return "";
  return "; put a user and a password that it accepts into the variable that names it";
}
