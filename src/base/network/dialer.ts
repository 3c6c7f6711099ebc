/** Sends requests to one origin over connections that are kept for the next one. */
import type { Agent, AgentOptions, ClientRequest, RequestOptions } from "node:http";
import type { NetworkSettings } from "./network-settings.ts";

export interface Dialer {
  /** As `request` of `node:http`. */
  request(options: DialOptions): ClientRequest;
  /** Which event of a new socket says that the other side can be spoken to. */
  readonly ready: "connect" | "secureConnect";
  /** The proxy on the way, without its password. */
  readonly proxy: string | null;
  /** Closes the connections that wait for a next request; those in use close when they are done. */
  close(): void;
}

export interface DialOptions extends Omit<RequestOptions, "headers"> {
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Why no connection comes about, in words for the user. */
export class RouteError extends Error {
  override readonly name = "RouteError";
  /** Whether another try would end in the same way. */
  readonly isLasting: boolean;

  constructor(message: string, isLasting: boolean) {
    super(message);
    this.isLasting = isLasting;
  }
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/**
 * Whatever is imported is so on the first request: each module costs more to load than a request takes. Throws a
 * RouteError where the environment names what cannot be used.
 */
export async function openDialer(
  url: URL,
  settings: NetworkSettings | null,
  options: AgentOptions,
): Promise<Dialer> {
  if (settings !== null && needsRoute(url, settings)) {
    const { openRoutedDialer } = await import("./routed-dialer.ts");
    return openRoutedDialer(url, settings, options);
  }
  const isSecure = url.protocol === "https:";
  const { Agent, request } = isSecure ? await import("node:https") : await import("node:http");
  const agent = new Agent(options);
  return {
    request: (own) => request({ ...own, agent }),
    ready: isSecure ? "secureConnect" : "connect",
    proxy: null,
    close: () => closeIdle(agent),
  };
}

/** Whether the environment has a say in how an address is reached. */
export function needsRoute(url: URL, { routeTo, caFile }: NetworkSettings): boolean {
  return routeTo(url).kind !== "direct" || (url.protocol === "https:" && caFile !== null);
}

export function closeIdle(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** A plain request is answered by the proxy itself when it wants to know its user; nobody else says so. */
export function refusalBy(proxy: string | null, status: number | undefined): RouteError | null {
  if (proxy === null || status !== PROXY_AUTHENTICATION_REQUIRED) return null;
  return new RouteError(`the proxy ${proxy} refused the request: 407${adviceFor(status)}`, true);
}

export function adviceFor(status: number): string {
  if (status !== PROXY_AUTHENTICATION_REQUIRED) return "";
  return "; put a user and a password that it accepts into the variable that names it";
}
