/** Connects a web page to a server. A server refuses pages unless their origin is allowed. */
import { type Client, type ClientOptions, openClient } from "./client.ts";
import type { ReconnectOptions } from "./connection.ts";
import { ConnectionError } from "./connection-error.ts";
import { type ConnectTarget, displayAddress, resolveTarget } from "./target.ts";
import { openWebSocket, type StandardWebSocket } from "./websocket-transport.ts";

export interface ConnectOptions extends ClientOptions {
  /** How to reconnect after a loss; `false` ends the client with its connection. */
  readonly reconnect?: ReconnectOptions | false;
}

/**
 * Connects to `ws://…` or `wss://…`. A function is called before each connection and returns the address, for
 * example with a fresh ticket.
 */
export function connect(
  target: ConnectTarget,
  { reconnect = {}, ...options }: ConnectOptions = {},
): Promise<Client> {
  const { WebSocket } = globalThis as unknown as BrowserGlobals;
  const open = async () => {
    const url = await resolveTarget(target);
    if (!/^wss?:\/\//u.test(url))
      throw new ConnectionError(
        "refused",
        `cannot connect to ${displayAddress(url)}: a page can use ws:// and wss://`,
      );
    return openWebSocket(displayAddress(url), new WebSocket(url));
  };
  return openClient({ open, reconnect: reconnect === false ? null : reconnect }, options);
}

interface BrowserGlobals {
  readonly WebSocket: new (url: string) => StandardWebSocket;
}
