/** Connects a Node program to a server: over a socket, or over the pipes of a server that it starts. */
import type { Transport } from "../transport/transport.ts";
import { type Client, type ClientOptions, openClient } from "./client.ts";
import type { ReconnectOptions } from "./connection.ts";
import { ConnectionError } from "./connection-error.ts";
import { MAX_MESSAGE_BYTES } from "./link.ts";
import { type ServerProgram, startServerProgram } from "./server-program.ts";
import { type ConnectTarget, displayAddress, resolveTarget } from "./target.ts";
import { openWebSocket } from "./websocket-transport.ts";

export interface ConnectOptions extends ClientOptions {
  /** The token of a server with `--ws-auth`. */
  readonly token?: string;
  /** The server that `stdio:` starts. Defaults to that of this package. */
  readonly program?: ServerProgram;
  /** How to reconnect after a loss; `false` ends the client with its connection. */
  readonly reconnect?: ReconnectOptions | false;
}

/** Limit for the body of a refused handshake. */
const MAX_REASON_BYTES = 1000;

/**
 * Connects to `ws://…`, `wss://…` or `unix:///…`, or starts a server that ends with the client: `stdio:`. A
 * function is called before each connection and returns the address.
 */
export async function connect(target: ConnectTarget, options: ConnectOptions = {}): Promise<Client> {
  const { token, reconnect = {}, program, ...rest } = options;
  if (typeof target === "string" && /^stdio:(?:\/\/)?$/u.test(target))
    return openClient({ open: () => startServerProgram(program ?? {}), reconnect: null }, rest);
  const open = async () => openSocket(await resolveTarget(target), token);
  return openClient({ open, reconnect: reconnect === false ? null : reconnect }, rest);
}

/** The URL form of `ws`; the path of a Unix socket is followed by that of the request. */
function toSocketUrl(target: string): string {
  if (/^wss?:\/\//u.test(target)) return target;
  const path = /^unix:(?:\/\/)?(\/.*)$/u.exec(target)?.[1];
  if (path !== undefined) return `ws+unix:${path}:/`;
  throw new ConnectionError(
    "refused",
    `cannot connect to ${displayAddress(target)}: use ws://, wss://, unix:///path or stdio:`,
  );
}

async function openSocket(target: string, token: string | undefined): Promise<Transport> {
  const url = toSocketUrl(target);
  const { WebSocket } = await import("ws");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  let refusal: { readonly status: number; readonly reason: string } | null = null;
  socket.on("unexpected-response", (request, response) => {
    const status = response.statusCode ?? 0;
    let body = "";
    const refuse = (): void => {
      const said = body.trim() === "" ? (response.statusMessage ?? "") : body.trim();
      refusal = { status, reason: `the server answered ${status}: ${said}${adviceFor(status, token)}` };
      request.destroy();
      // Rejects the pending open, as any other failure does.
      socket.emit("error", new Error(refusal.reason));
    };
    response.setEncoding("utf8").on("data", (text: string) => {
      body = (body + text).slice(0, MAX_REASON_BYTES);
    });
    response.once("end", refuse).once("error", refuse);
  });
  return openWebSocket(displayAddress(target), socket, () => refusal);
}

function adviceFor(status: number, token: string | undefined): string {
  if (status !== 401) return "";
  return token === undefined ? ` (set the option "token")` : ` (the option "token" has another one)`;
}
