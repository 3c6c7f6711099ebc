/**
 * Requests over connections that are kept for the next one. It knows nothing of models; what may go wrong is told
 * apart only as far as a retry must know.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { urlToHttpOptions } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { connectionErrorText, messageOf } from "../../base/errors.ts";
import { type Dialer, NetworkRouteError, openDialer, proxyAuthError } from "../../base/network/dialer.ts";
import { readNetworkSettings } from "../../base/network/network-settings.ts";
import { createHttpResponse, type HttpResponse, type StatusNames } from "./http-response.ts";

/** Where a request goes. */
export interface HttpTarget {
  readonly url: URL;
  readonly origin: string;
  readonly href: string;
  /** The same for the module that sends the request. */
  readonly options: Omit<RequestOptions, "headers">;
  /** What the address itself says in the head of a request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpRequest {
  readonly target: HttpTarget;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** POST where it is not named. */
  readonly method?: "GET";
}

export type HttpOutcome =
  | { readonly kind: "answered"; readonly response: HttpResponse }
  /** No connection came about; the route has a part in it where it is named. */
  | { readonly kind: "unreachable"; readonly cause: string; readonly route: string | null }
  /** The way that the environment names leads nowhere, and will not by trying again. */
  | { readonly kind: "misrouted"; readonly message: string }
  /** The connection ended before an answer began. */
  | { readonly kind: "broken"; readonly cause: string }
  | { readonly kind: "timedOut" }
  | { readonly kind: "aborted" };

export interface HttpClient {
  /** Resolves with the head of the answer; never rejects. An abort closes the connection at once. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpOutcome>;
  /** Closes the connections that wait for a next request; those in use close when they are done. */
  close(): void;
}

/** A provider that has accepted a request and says nothing at all for so long is taken for dead. */
export const HEAD_TIMEOUT_MS = 600_000;
/** A connection that waits for its next request is closed after this. */
const IDLE_CONNECTION_MS = 90_000;

const AGENT = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" } as const;

interface Line {
  readonly dialer: Dialer;
  readonly statusNames: StatusNames;
}

/** The environment says which proxies and which certificates are used, if any. */
export function createHttpClient(clock: Clock, env: Environment): HttpClient {
  const settings = readNetworkSettings(env);
  const lines = new Map<string, Line>();

  async function lineTo(url: URL): Promise<Line> {
    const dialer = await openDialer(url, settings, AGENT);
    const { STATUS_CODES: statusNames } = await import("node:http");
    // Two first requests at once share what the faster one made.
    const line = lines.get(url.origin) ?? { dialer, statusNames };
    lines.set(url.origin, line);
    return line;
  }

  return {
    async send(request, signal) {
      const { url, origin } = request.target;
      let line = lines.get(origin);
      try {
        line ??= await lineTo(url);
      } catch (error) {
        return { kind: "misrouted", message: messageOf(error) };
      }
      if (signal.aborted) return { kind: "aborted" };
      return sendAgain({ ...line, request, signal, clock });
    },
    close() {
      for (const { dialer } of lines.values()) dialer.close();
      lines.clear();
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

/** A list goes out as it is; an object would be checked and copied member by member, which takes longer than the rest. */
function toHeaderList({ target, headers, body }: HttpRequest): string[] {
  const length = String(Buffer.byteLength(body));
  return Object.entries({ ...target.headers, ...headers, "content-length": length }).flat();
}

interface Sending extends Line {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function sendAgain(sending: Sending): Promise<HttpOutcome> {
  for (;;) {
    const { outcome, reused } = await sendOnce(sending);
    // The other side may close a kept connection in the very moment in which it is used again. That says nothing
    // about the provider, and each such failure uses up one kept connection, so this ends.
    if (!reused || outcome.kind !== "broken") return outcome;
  }
}

function sendOnce({ dialer, statusNames, request, signal, clock }: Sending) {
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
    // A request that waits for its tunnel has no socket yet whose end it would hear of.
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
    call.end(request.body);

    function outcomeOf(error: Error): HttpOutcome {
      if (signal.aborted) return { kind: "aborted" };
      if (timedOut) return { kind: "timedOut" };
      const cause = connectionErrorText(error);
      if (error instanceof NetworkRouteError && error.isPermanent)
        return { kind: "misrouted", message: cause };
      if (connected) return { kind: "broken", cause };
      const through =
        dialer.proxy === null ? null : `no connection through the proxy ${dialer.proxy}: ${cause}`;
      return { kind: "unreachable", cause, route: error instanceof NetworkRouteError ? cause : through };
    }
  });
}
