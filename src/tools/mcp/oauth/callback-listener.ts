/** The redirect target of an OAuth login: a loopback listener that serves one callback. */
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { osErrorText } from "../../../base/errors.ts";

/** The parsed redirect of the authorization server. */
export type Callback =
  | { readonly kind: "code"; readonly code: string; readonly state: string; readonly issuer: string | null }
  | { readonly kind: "refused"; readonly reason: string };

export interface CallbackListener {
  /** The URL for the authorization request. */
  readonly redirectUrl: string;
  /** Handles the first valid callback; the returned page is shown to the user. */
  onCallback(answer: (callback: Callback) => Promise<CallbackPage>): void;
  close(): void;
}

export interface CallbackPage {
  readonly status: number;
  readonly text: string;
}

export interface CallbackOptions {
  /** Null for any free port. */
  readonly port: number | null;
  /** The public callback URL, if it differs from the listener's. */
  readonly url: string | null;
  readonly serverUrl: string;
}

const MAX_CALLBACK_CONNECTIONS = 16;
const MAX_CALLBACK_HEADER_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
const HOST = "127.0.0.1";
const INVALID: CallbackPage = { status: 400, text: "Invalid OAuth callback" };

export async function openCallbackListener(options: CallbackOptions): Promise<CallbackListener> {
  const { port, url, serverUrl } = options;
  if (port === 0) {
    throw new Error("invalid MCP OAuth callback port `0`: port must be between 1 and 65535");
  }
  if (url !== null && !URL.canParse(url)) throw new Error(`invalid MCP OAuth callback URL \`${url}\``);
  let answer: ((callback: Callback) => Promise<CallbackPage>) | null = null;
  let shown: Promise<void> = Promise.resolve();
  let path = "";
  const server = createServer({
    maxHeaderSize: MAX_CALLBACK_HEADER_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  server.maxConnections = MAX_CALLBACK_CONNECTIONS;
  server.on("request", ({ method, url: target = "" }, response) => {
    const callback = method === "GET" ? parseCallback(target, path) : null;
    const take = answer;
    if (callback === null || take === null) return void show(response, INVALID);
    answer = null;
    // The handler may close the listener, which must wait for the page.
    shown = Promise.resolve()
      .then(() => take(callback))
      .then((page) => show(response, page));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Error(describeListenError(error, port), { cause: error })));
    server.listen(port ?? 0, HOST, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const redirect = new URL(url ?? `http://${HOST}:${bound}/callback`);
  redirect.pathname = `${redirect.pathname.replace(/\/$/, "")}/${callbackId(serverUrl)}`;
  path = redirect.pathname;
  return {
    redirectUrl: redirect.href,
    onCallback(given) {
      answer = given;
    },
    close() {
      server.close();
      // The user's page is still delivered; idle connections are not awaited.
      void shown.then(() => server.closeAllConnections());
    },
  };
}

/** Differs per server, so that the callback of one server cannot complete the login of another. */
function callbackId(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = "";
  return createHash("sha256").update(url.href).digest().subarray(0, 9).toString("base64url");
}

function parseCallback(target: string, path: string): Callback | null {
  const [route, query] = [target.replace(/\?.*$/s, ""), target.slice(target.indexOf("?") + 1)];
  if (route !== path || route === target) return null;
  const params = new URLSearchParams(query);
  const [code, state] = [params.get("code"), params.get("state")];
  if (code !== null && state !== null) return { kind: "code", code, state, issuer: params.get("iss") };
  const [error, description] = [params.get("error"), params.get("error_description")];
  if (error === null && description === null) return null;
  if (error === null) return { kind: "refused", reason: `OAuth error: ${description}` };
  const detail = description === null ? "" : `: ${description}`;
  return { kind: "refused", reason: `OAuth provider returned \`${error}\`${detail}` };
}

function show(response: ServerResponse, { status, text }: CallbackPage): Promise<void> {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    connection: "close",
  });
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.end(text);
  });
}

function describeListenError(error: Error, port: number | null): string {
  if (port === null) return `no listener for the answer of the browser: ${osErrorText(error)}`;
  const advice = "end what uses it, or choose another `callback_port`";
  return `no listener for the answer of the browser on port ${port}: ${osErrorText(error)}; ${advice}`;
}
