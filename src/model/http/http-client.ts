/**
 * HTTP requests over keep-alive connections. Independent of models; errors are distinguished only as far as retries need.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { urlToHttpOptions } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { connectionErrorText, messageOf } from "../../base/errors.ts";
import { type Dialer, NetworkRouteError, openDialer, proxyAuthError } from "../../base/network/dialer.ts";
import { readNetworkSettings } from "../../base/network/network-settings.ts";
import { createHttpResponse, type HttpResponse, type StatusNames } from "./http-response.ts";

/** A request URL, preprocessed once. */
export interface HttpTarget {
  readonly url: URL;
  readonly origin: string;
  readonly href: string;
  /** The URL as request options of `node:http`. */
  readonly options: Omit<RequestOptions, "headers">;
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
/** The keep-alive timeout of idle connections. */
const IDLE_CONNECTION_MS = 90_000;

const AGENT = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" } as const;

interface OriginClient {
  readonly dialer: Dialer;
  readonly statusNames: StatusNames;
}

/** Proxies and certificates come from the environment. */
export function createHttpClient(clock: Clock, env: Environment): HttpClient {
  const settings = readNetworkSettings(env);
  const clients = new Map<string, OriginClient>();

  async function openClient(url: URL): Promise<OriginClient> {
    const dialer = await openDialer(url, settings, AGENT);
    const { STATUS_CODES: statusNames } = await import("node:http");
    // Concurrent first requests share the client that was opened first.
    const client = clients.get(url.origin) ?? { dialer, statusNames };
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
      return sendWithReconnect({ ...client, request, signal, clock });
    },
    close() {
      for (const { dialer } of clients.values()) dialer.close();
      clients.clear();
    },
  };
}

export function toTarget(url: URL): HttpTarget {
  const options = urlToHttpOptions(url);
  const login = options.auth
    ? { authorization: `Basic ${Buffer.from(options.auth).toString("base64")}` }
    : {};
  const { origin, href, host } = url;
  return { url, origin, href, options, headers: { host, ...login } };
}

/** Node sends a list unchanged; it would validate and copy an object member by member, which takes longer than the rest. */
function toHeaderList({ target, headers, body }: HttpRequest): string[] {
  const length = String(body.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0));
  return Object.entries({ ...target.headers, ...headers, "content-length": length }).flat();
}

interface SendContext extends OriginClient {
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

function sendOnce({ dialer, statusNames, request, signal, clock }: SendContext) {
  return new Promise<{ outcome: HttpOutcome; reused: boolean }>((resolve) => {
    let connected = false;
    let timedOut = false;
    let call: ClientRequest;
    try {
      call = dialer.request({
        ...request.target.options,
        method: request.method ?? "POST",
        headers: toHeaderList(request),
      });
    } catch (error) {
      resolve({
        outcome: { kind: "unreachable", cause: connectionErrorText(error), route: null },
        reused: false,
      });
      return;
    }
    // A request that waits for its tunnel has no socket yet, so destroying it emits no error.
    const stop = () => {
      call.destroy();
      resolve({ outcome: { kind: timedOut ? "timedOut" : "aborted" }, reused: false });
    };
    signal.addEventListener("abort", stop, { once: true });
    const cancelTimeout = clock.after(HEAD_TIMEOUT_MS, () => {
      timedOut = true;
      stop();
    });

    call.on("socket", (socket) => {
      if (!socket.connecting) connected = true;
      else {
        socket.once(dialer.ready, () => {
          connected = true;
        });
      }
    });
    call.on("response", (message: IncomingMessage) => {
      cancelTimeout();
      const refusal = proxyAuthError(dialer.proxy, message.statusCode);
      if (refusal !== null) {
        resolve({ outcome: outcomeOf(refusal), reused: false });
        call.destroy();
        return;
      }
      const { href } = request.target;
      const response = createHttpResponse({ message, call, clock, url: href, statusNames });
      resolve({ outcome: { kind: "answered", response }, reused: call.reusedSocket });
    });
    call.on("error", (error) => resolve({ outcome: outcomeOf(error), reused: call.reusedSocket }));
    call.on("close", () => {
      cancelTimeout();
      signal.removeEventListener("abort", stop);
    });
    for (const piece of request.body) call.write(piece);
    call.end();

    function outcomeOf(error: Error): HttpOutcome {
      if (signal.aborted) return { kind: "aborted" };
      if (timedOut) return { kind: "timedOut" };
      const cause = connectionErrorText(error);
      if (error instanceof NetworkRouteError && error.isPermanent)
        return { kind: "misrouted", message: cause };
      if (connected) return { kind: "broken", cause };
      const proxyCause =
        dialer.proxy === null ? null : `no connection through the proxy ${dialer.proxy}: ${cause}`;
      return { kind: "unreachable", cause, route: error instanceof NetworkRouteError ? cause : proxyCause };
    }
  });
}
