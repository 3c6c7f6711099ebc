/** A `fetch` that uses the proxies and certificates of the environment. */
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Environment } from "../environment.ts";
import { type Dialer, needsRoute, proxyAuthError } from "./dialer.ts";
import { type NetworkSettings, readNetworkSettings } from "./network-settings.ts";

/** Redirects are returned, not followed, if `redirect` is `manual`; through a proxy they are never followed. */
export type NetworkFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const AGENT = { keepAlive: true, timeout: 90_000 } as const;
/** More than the origins of an MCP server and its OAuth servers; the oldest dialer is evicted. */
const MAX_DIALERS = 16;
/** Statuses whose responses may have no body. */
const BODILESS = new Set([204, 205, 304]);

/** Uses Node's own `fetch` for every URL that needs neither a proxy nor extra certificates. */
export function createNetworkFetch(env: Environment): NetworkFetch {
  const settings = readNetworkSettings(env);
  if (settings === null) return (url, init) => fetch(url, init);
  const dialers = new Map<string, Promise<Dialer>>();
  return (url, init) => {
    const target = new URL(url);
    if (!needsRoute(target, settings)) return fetch(url, init);
    return send(new Request(url, init), () => dialerTo(target, settings, dialers));
  };
}

function dialerTo(
  url: URL,
  settings: NetworkSettings,
  dialers: Map<string, Promise<Dialer>>,
): Promise<Dialer> {
  const existing = dialers.get(url.origin);
  if (existing !== undefined) return existing;
  const opened = import("./routed-dialer.ts").then(({ openRoutedDialer }) =>
    openRoutedDialer(url, settings, AGENT),
  );
  const [oldest] = dialers;
  if (dialers.size >= MAX_DIALERS && oldest !== undefined) {
    dialers.delete(oldest[0]);
    void oldest[1].then((dialer) => dialer.close());
  }
  dialers.set(url.origin, opened);
  // Not cached after a failure, because a broken certificate file may be fixed while the server runs.
  opened.catch(() => dialers.delete(url.origin));
  return opened;
}

/** Rejects with a TypeError, like `fetch`. */
async function send(request: Request, open: () => Promise<Dialer>): Promise<Response> {
  const { signal, method } = request;
  try {
    const dialer = await open();
    const body = Buffer.from(await request.arrayBuffer());
    signal.throwIfAborted();
    const url = new URL(request.url);
    const call = dialer.request({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method,
      headers: toHeaderList(request, url.host, body.length),
    });
    const message = await sendAndAwaitResponse(call, body, signal);
    const refusal = proxyAuthError(dialer.proxy, message.statusCode);
    if (refusal === null) return await toResponse(message, request.url);
    call.destroy();
    throw refusal;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new TypeError("fetch failed", { cause: error });
  }
}

function sendAndAwaitResponse(
  call: ClientRequest,
  body: Buffer,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A request that waits for its tunnel has no socket yet, so destroying it emits no error.
    const stop = () => {
      call.destroy();
      reject(new Error("aborted"));
    };
    signal.addEventListener("abort", stop, { once: true });
    call.once("close", () => signal.removeEventListener("abort", stop));
    call.once("response", resolve);
    call.on("error", reject);
    call.end(body);
  });
}

function toHeaderList({ headers, method }: Request, host: string, length: number): string[] {
  const list = ["host", host, ...[...headers].flat()];
  if (!headers.has("accept")) list.push("accept", "*/*");
  return length > 0 || method === "POST" ? [...list, "content-length", String(length)] : list;
}

async function toResponse(message: IncomingMessage, url: string): Promise<Response> {
  const { Readable } = await import("node:stream");
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const isEmpty = BODILESS.has(status);
  if (isEmpty) message.resume();
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  const response = new Response(body, { status, statusText: message.statusMessage ?? "", headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}
