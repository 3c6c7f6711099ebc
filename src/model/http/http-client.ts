/**
 * HTTP requests over keep-alive connections. Independent of models; errors are distinguished only as far as retries need.
 * A client of our own over sockets, because one request through `node:http` took 120 µs more of the main thread once
 * warm, and 250 µs more in the first turns; and because `node:http` need not be loaded for the first turn.
 */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { connectionErrorText, messageOf } from "../../base/errors.ts";
import { type Connector, openConnector } from "../../base/network/connector.ts";
import { NetworkRouteError, proxyAuthError } from "../../base/network/dialer.ts";
import { readNetworkSettings } from "../../base/network/network-settings.ts";
import { type HttpConnection, openHttpConnection } from "./http-connection.ts";
import { createHttpResponse, type HttpResponse, type ReceivedBody } from "./http-response.ts";
import { requestHead } from "./request-head.ts";

/** A request URL, preprocessed once. */
export interface HttpTarget {
  readonly url: URL;
  readonly origin: string;
  readonly href: string;
  /** The path with the query. */
  readonly path: string;
  /** The headers that follow from the URL: host and login. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The pieces of a body, which are sent in one write. */
export type HttpBody = readonly (string | Buffer)[];

export interface HttpRequest {
  readonly target: HttpTarget;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: HttpBody;
  /** Defaults to POST. */
  readonly method?: "GET";
}

export type HttpOutcome =
  | { readonly kind: "answered"; readonly response: HttpResponse }
  /** The connection failed; `route` is set if a proxy was involved. */
  | { readonly kind: "unreachable"; readonly cause: string; readonly route: string | null }
  /** The proxy or certificate configuration of the environment is unusable; a retry would fail again. */
  | { readonly kind: "misrouted"; readonly message: string }
  /** The connection closed before the response headers. */
  | { readonly kind: "broken"; readonly cause: string }
  | { readonly kind: "timedOut" }
  | { readonly kind: "aborted" };

export interface HttpClient {
  /** Resolves with the response headers; never rejects. An abort closes the connection immediately. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpOutcome>;
  /** Closes idle connections; those in use close after their request. */
  close(): void;
}

/** The timeout for the response headers. */
export const HEAD_TIMEOUT_MS = 600_000;
/** The connections to one origin. */
interface OriginClient {
  readonly connector: Connector;
  /** The one that was used last is the last. */
  readonly idle: HttpConnection[];
  isClosed: boolean;
}

/** Proxies and certificates come from the environment. */
export function createHttpClient(clock: Clock, env: Environment): HttpClient {
  const settings = readNetworkSettings(env);
  const clients = new Map<string, OriginClient>();

  async function openClient(url: URL): Promise<OriginClient> {
    const connector = await openConnector(url, settings);
    // Concurrent first requests share the client that was opened first.
    const client = clients.get(url.origin) ?? { connector, idle: [], isClosed: false };
    clients.set(url.origin, client);
    return client;
  }

  return {
    async send(request, signal) {
      const { url, origin } = request.target;
      let client = clients.get(origin);
      try {
        client ??= await openClient(url);
      } catch (error) {
        return { kind: "misrouted", message: messageOf(error) };
      }
      if (signal.aborted) return { kind: "aborted" };
      return sendWithReconnect({ client, request, signal, clock });
    },
    close() {
      for (const client of clients.values()) {
        client.isClosed = true;
        for (const connection of client.idle.splice(0)) connection.destroy(new Error("closed"));
      }
      clients.clear();
    },
  };
}

/** The idle connection that was used last, or else a new one. */
function takeConnection(client: OriginClient): HttpConnection {
  const { connector, idle } = client;
  return (
    idle.pop() ??
    openHttpConnection(connector, {
      onIdle(connection) {
        if (client.isClosed) connection.destroy(new Error("closed"));
        else idle.push(connection);
      },
      onClosed(connection) {
        const at = idle.indexOf(connection);
        if (at !== -1) idle.splice(at, 1);
      },
    })
  );
}

export function toTarget(url: URL): HttpTarget {
  const { origin, href, host, pathname, search, username, password } = url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers =
    login === ":" ? { host } : { host, authorization: `Basic ${Buffer.from(login).toString("base64")}` };
  return { url, origin, href, path: `${pathname}${search}`, headers };
}

interface SendContext {
  readonly client: OriginClient;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function sendWithReconnect(context: SendContext): Promise<HttpOutcome> {
  for (;;) {
    const { outcome, reused } = await sendOnce(context);
    // The server may close an idle connection at the moment it is reused. That is no failure of the provider, and each
    // such attempt uses up one idle connection, so the loop ends.
    if (!reused || outcome.kind !== "broken") return outcome;
  }
}

function sendOnce({ client, request, signal, clock }: SendContext) {
  return new Promise<{ outcome: HttpOutcome; reused: boolean }>((resolve) => {
    const { connector } = client;
    let timedOut = false;
    let response: (HttpResponse & ReceivedBody) | null = null;
    let head: string;
    try {
      head = requestHead(request, connector);
    } catch (error) {
      resolve({
        outcome: { kind: "unreachable", cause: connectionErrorText(error), route: null },
        reused: false,
      });
      return;
    }
    const connection = takeConnection(client);
    const reused = connection.isReused;
    const stop = () => connection.destroy(new Error("aborted"));
    signal.addEventListener("abort", stop, { once: true });
    const cancelTimeout = clock.after(HEAD_TIMEOUT_MS, () => {
      timedOut = true;
      stop();
    });

    connection.send(head, request.body, {
      onHead(received) {
        cancelTimeout();
        const refusal = proxyAuthError(connector.proxy, received.status);
        if (refusal !== null) return connection.destroy(refusal);
        response = createHttpResponse({ head: received, connection, clock, url: request.target.href });
        resolve({ outcome: { kind: "answered", response }, reused });
      },
      onBody: (bytes) => response?.push(bytes),
      onEnd(error) {
        cancelTimeout();
        signal.removeEventListener("abort", stop);
        if (response !== null) response.end(error);
        else resolve({ outcome: outcomeOf(error ?? new Error("no response")), reused });
      },
    });

    function outcomeOf(error: Error): HttpOutcome {
      if (signal.aborted) return { kind: "aborted" };
      if (timedOut) return { kind: "timedOut" };
      const cause = connectionErrorText(error);
      if (error instanceof NetworkRouteError && error.isPermanent)
        return { kind: "misrouted", message: cause };
      if (connection.isConnected) return { kind: "broken", cause };
      const { proxy } = connector;
      const proxyCause = proxy === null ? null : `no connection through the proxy ${proxy}: ${cause}`;
      return { kind: "unreachable", cause, route: error instanceof NetworkRouteError ? cause : proxyCause };
    }
  });
}
