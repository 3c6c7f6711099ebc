/** `fetch` for authorization servers, bounded in time and size, because the servers are untrusted. */
import type { Clock } from "../../../base/clock.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import { chainOf } from "../server/server-failure.ts";

export interface OAuthFetchOptions {
  readonly clock: Clock;
  /** Defaults to Node's `fetch`. */
  readonly send?: NetworkFetch;
  readonly timeoutMs: number;
  /** Aborts pending requests. */
  readonly signal?: AbortSignal;
  /** The MCP server; its configured headers are sent to its origin only. */
  readonly serverUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const MAX_ANSWER_BYTES = 1024 * 1024;
/** Statuses whose responses have no body. */
const BODILESS = new Set([204, 205, 304]);

export function createOAuthFetch({
  clock,
  send = (url, init) => fetch(url, init),
  timeoutMs,
  signal,
  serverUrl,
  headers,
}: OAuthFetchOptions): NetworkFetch {
  const { origin } = new URL(serverUrl);
  return async (url, init = {}) => {
    const aborter = new AbortController();
    const onAbort = () => aborter.abort(signal?.reason);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const late = new Error(`no answer within ${timeoutMs / 1000} s`);
    const cancel = clock.after(timeoutMs, () => aborter.abort(late));
    try {
      const response = await send(url, {
        ...init,
        headers: withOwn(new Headers(init.headers), new URL(url).origin === origin ? headers : {}),
        redirect: "manual",
        signal: aborter.signal,
      });
      return await readWhole(response, url);
    } catch (error) {
      // The SDK recognizes network failures by this type.
      throw new TypeError(`${new URL(url).origin}: ${chainOf(error)}`, { cause: error });
    } finally {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    }
  };
}

function withOwn(given: Headers, own: Readonly<Record<string, string>>): Headers {
  for (const [name, value] of Object.entries(own)) if (!given.has(name)) given.set(name, value);
  return given;
}

/** Reads the whole body; event streams never end and are not read. */
async function readWhole(response: Response, url: string | URL): Promise<Response> {
  const { status, statusText, headers } = response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isStream) await response.body?.cancel();
  for await (const chunk of (isStream ? null : response.body) ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    }
  }
  const whole = new Response(BODILESS.has(status) ? null : Buffer.concat(chunks), {
    status,
    statusText,
    headers,
  });
  Object.defineProperty(whole, "url", { value: String(url) });
  return whole;
}
