/**
 * POST over connections that are kept for the next request. It knows nothing of models; what may go wrong is told
 * apart only as far as a retry must know.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { urlToHttpOptions } from "node:url";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { createHttpResponse, type HttpResponse, type StatusNames } from "./http-response.ts";

/** Where a request goes. */
export interface HttpTarget {
  readonly href: string;
  readonly protocol: string;
  /** The same for the module that sends the request. */
  readonly options: RequestOptions;
  /** What the address itself says in the head of a request. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpRequest {
  readonly target: HttpTarget;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type HttpOutcome =
  | { readonly kind: "answered"; readonly response: HttpResponse }
  /** No connection came about. */
  | { readonly kind: "unreachable"; readonly cause: string }
  /** The connection ended before an answer began. */
  | { readonly kind: "broken"; readonly cause: string }
  | { readonly kind: "timedOut" }
  | { readonly kind: "aborted" };

export interface HttpClient {
  /** Resolves with the head of the answer; never rejects. An abort closes the connection at once. */
  post(request: HttpRequest, signal: AbortSignal): Promise<HttpOutcome>;
  /** Closes the connections that wait for a next request; those in use close when they are done. */
  close(): void;
}

/** A provider that has accepted a request and says nothing at all for so long is taken for dead. */
export const HEAD_TIMEOUT_MS = 600_000;
/** A connection that waits for its next request is closed after this. */
const IDLE_CONNECTION_MS = 90_000;

interface Dialer {
  readonly statusNames: StatusNames;
  request(options: RequestOptions): ClientRequest;
  close(): void;
}

export function createHttpClient(clock: Clock): HttpClient {
  const dialers = new Map<string, Dialer>();

  async function dialerFor(protocol: string): Promise<Dialer> {
    const opened = await openDialer(protocol);
    // Two first requests at once share what the faster one made.
    const dialer = dialers.get(protocol) ?? opened;
    dialers.set(protocol, dialer);
    return dialer;
  }

  return {
    async post(request, signal) {
      const { protocol } = request.target;
      const dialer = dialers.get(protocol) ?? (await dialerFor(protocol));
      if (signal.aborted) return { kind: "aborted" };
      return send({ dialer, request, signal, clock });
    },
    close() {
      for (const dialer of dialers.values()) dialer.close();
      dialers.clear();
    },
  };
}

const AGENT = { keepAlive: true, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" } as const;

/** Imported when first needed: either module costs more to load than a request takes. */
async function openDialer(protocol: string): Promise<Dialer> {
  const { STATUS_CODES: statusNames, ...plain } = await import("node:http");
  const { Agent, request } = protocol === "https:" ? await import("node:https") : plain;
  const agent = new Agent(AGENT);
  return {
    statusNames,
    request: (options) => request({ ...options, agent }),
    close() {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    },
  };
}

export function toTarget(url: URL): HttpTarget {
  const { href, protocol, host } = url;
  const options = urlToHttpOptions(url);
  const login = options.auth
    ? { authorization: `Basic ${Buffer.from(options.auth).toString("base64")}` }
    : {};
  return { href, protocol, options, headers: { host, ...login } };
}

/** A list goes out as it is; an object would be checked and copied member by member, which takes longer than the rest. */
function toHeaderList({ target, headers, body }: HttpRequest): string[] {
  const length = String(Buffer.byteLength(body));
  return Object.entries({ ...target.headers, ...headers, "content-length": length }).flat();
}

interface Sending {
  readonly dialer: Dialer;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

async function send(sending: Sending): Promise<HttpOutcome> {
  for (;;) {
    const { outcome, reused } = await sendOnce(sending);
    // The other side may close a kept connection in the very moment in which it is used again. That says nothing
    // about the provider, and each such failure uses up one kept connection, so this ends.
    if (!reused || outcome.kind !== "broken") return outcome;
  }
}

function sendOnce({ dialer, request, signal, clock }: Sending) {
  return new Promise<{ outcome: HttpOutcome; reused: boolean }>((resolve) => {
    let connected = false;
    let timedOut = false;
    let call: ClientRequest;
    try {
      call = dialer.request({ ...request.target.options, method: "POST", headers: toHeaderList(request) });
    } catch (error) {
      resolve({ outcome: { kind: "unreachable", cause: messageOf(error) }, reused: false });
      return;
    }
    const stop = () => call.destroy();
    signal.addEventListener("abort", stop, { once: true });
    const cancelTimeout = clock.after(HEAD_TIMEOUT_MS, () => {
      timedOut = true;
      call.destroy();
    });

    call.on("socket", (socket) => {
      if (!socket.connecting) connected = true;
      else {
        const ready = request.target.protocol === "https:" ? "secureConnect" : "connect";
        socket.once(ready, () => {
          connected = true;
        });
      }
    });
    call.on("response", (message: IncomingMessage) => {
      cancelTimeout();
      const { statusNames } = dialer;
      const response = createHttpResponse({ message, call, clock, url: request.target.href, statusNames });
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
      return { kind: connected ? "broken" : "unreachable", cause: messageOf(error) };
    }
  });
}
