/**
 * One HTTP request to an endpoint. Redirects are not followed, and of the response only the head counts. Proxies and
 * certificates are those of the environment; where a proxy is used, it resolves the name and decides which addresses it
 * connects to.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { version } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { type DialOptions, needsRoute, proxyAuthError } from "../../base/network/dialer.ts";
import { type NetworkSettings, readNetworkSettings } from "../../base/network/network-settings.ts";
import {
  createPublicLookup,
  PrivateAddressError,
  refusePrivateHost,
} from "../../base/network/public-address.ts";

export interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowsPrivate: boolean;
}

export type WebhookResponse =
  | { readonly kind: "answered"; readonly status: number; readonly retryAfter: string | null }
  /** There was no response; the message contains neither credentials nor the path of the URL. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "aborted" };

/** Never rejects. */
export type PostWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookResponse>;

export interface PostOptions {
  readonly env: Environment;
  readonly clock: Pick<Clock, "after">;
  /** Replaces the look-up of the system. */
  readonly lookup?: Parameters<typeof createPublicLookup>[0];
}

/** From the look-up of the name to the head of the response. */
export const ATTEMPT_TIMEOUT_MS = 20_000;
/** A longer body is not read; a shorter one is, so that the receiver sees no broken connection. */
export const MAX_RESPONSE_BYTES = 16 * 1024;
/** A body that takes longer is not read to its end. */
const DRAIN_MS = 2000;

export function createPostWebhook({ env, clock, lookup }: PostOptions): PostWebhook {
  const settings = readNetworkSettings(env);
  const publicLookup = createPublicLookup(lookup);
  return async (request, signal) => {
    if (signal.aborted) return { kind: "aborted" };
    const refused = request.allowsPrivate ? null : refusePrivateHost(request.url.hostname);
    if (refused !== null) return { kind: "failed", message: refused.message };
    const timeout = new AbortController();
    const cancel = clock.after(ATTEMPT_TIMEOUT_MS, () => timeout.abort());
    try {
      const open = await openRequest(request, settings, request.allowsPrivate ? lookup : publicLookup);
      return await send(open, request.body, { clock, signal: AbortSignal.any([signal, timeout.signal]) });
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      if (timeout.signal.aborted)
        return { kind: "failed", message: `no response within ${ATTEMPT_TIMEOUT_MS / 1000} s` };
      return { kind: "failed", message: describeFailure(error) };
    } finally {
      cancel();
    }
  };
}

interface OpenRequest {
  readonly call: ClientRequest;
  /** The proxy that the request goes through; null without one. */
  readonly proxy: string | null;
}

async function openRequest(
  { url, headers, body }: WebhookRequest,
  settings: NetworkSettings | null,
  lookup: PostOptions["lookup"],
): Promise<OpenRequest> {
  const isDirect = settings === null || settings.routeTo(url).kind === "direct";
  const wanted: DialOptions = {
    host: url.hostname.replace(/^\[(.*)\]$/u, "$1"),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    method: "POST",
    headers: toHeaderList(url, headers, body),
    // A proxy is where its operator has put it.
    ...(isDirect && lookup !== undefined && { lookup }),
  };
  if (settings === null || !needsRoute(url, settings)) {
    const { request } = url.protocol === "https:" ? https : http;
    return { call: request({ ...wanted, agent: false }), proxy: null };
  }
  const { openRoutedDialer } = await import("../../base/network/routed-dialer.ts");
  const dialer = await openRoutedDialer(url, settings, { keepAlive: false });
  return { call: dialer.request(wanted), proxy: dialer.proxy };
}

function toHeaderList(url: URL, headers: WebhookRequest["headers"], body: string): readonly string[] {
  const list = ["host", url.host, "user-agent", `Heddle/${version}`, "content-type", "application/json"];
  if (url.username !== "" || url.password !== "") {
    const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    list.push("authorization", `Basic ${Buffer.from(login).toString("base64")}`);
  }
  return [...list, "content-length", String(Buffer.byteLength(body)), ...Object.entries(headers).flat()];
}

interface Sending extends Pick<PostOptions, "clock"> {
  readonly signal: AbortSignal;
}

function send(
  { call, proxy }: OpenRequest,
  body: string,
  { clock, signal }: Sending,
): Promise<WebhookResponse> {
  return new Promise((resolve, reject) => {
    // A request that waits for its tunnel has no socket yet, so that destroying it emits no error.
    const stop = (): void => {
      call.destroy();
      reject(new Error("aborted"));
    };
    call.on("error", reject);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener("abort", stop, { once: true });
    call.once("close", () => signal.removeEventListener("abort", stop));
    call.once("response", (response) => {
      drain(call, response, clock);
      const { statusCode: status = 0, headers } = response;
      const refusal = proxyAuthError(proxy, status);
      if (refusal !== null) reject(refusal);
      else resolve({ kind: "answered", status, retryAfter: headers["retry-after"] ?? null });
    });
    call.end(body);
  });
}

function drain(call: ClientRequest, response: IncomingMessage, clock: PostOptions["clock"]): void {
  let length = 0;
  const cancel = clock.after(DRAIN_MS, () => call.destroy(), { keepsAlive: false });
  call.once("close", cancel);
  response.on("error", () => {});
  response.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) call.destroy();
  });
}

/** Messages of Node name the host and the port, and nothing else of the URL. */
function describeFailure(error: unknown): string {
  if (error instanceof PrivateAddressError) return `${error.message}: it needs \`allow_private = true\``;
  return messageOf(error);
}
