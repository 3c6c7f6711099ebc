/** One initialized transport to a server. */
import { messageOf } from "../base/errors.ts";
import { silentLogger } from "../base/logger.ts";
import type { NotificationMessage, RequestMessage } from "../jsonrpc/message.ts";
import { createPeer, type Peer, type Responder } from "../jsonrpc/peer.ts";
import { RpcError } from "../jsonrpc/rpc-error.ts";
import type { InitializeParams, InitializeResponse } from "../protocol/generated/types.ts";
import type { CloseReason, Transport } from "../transport/transport.ts";
import { ConnectionError } from "./connection-error.ts";

/**
 * The largest string that V8 supports: the chosen server is trusted, and may send more than a library
 * expects.
 */
export const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

export interface Link {
  readonly transport: Transport;
  readonly serverInfo: InitializeResponse;
  ask(method: string, params: unknown, signal?: AbortSignal): Promise<LinkOutcome>;
}

/** The outcome of a request: answered, refused by the server, or lost with the link. */
export type LinkOutcome =
  | { readonly kind: "answered"; readonly result: unknown }
  | { readonly kind: "refused"; readonly error: RpcError }
  | { readonly kind: "lost"; readonly reason: string };

export interface LinkOptions {
  /** Opens a transport, initially and after each loss. */
  readonly open: () => Promise<Transport>;
  readonly introduction: InitializeParams;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly onRequest: (request: RequestMessage, responder: Responder) => void;
}

/** Opens a transport, sends `initialize` and waits for the response. `onLost` is called at most once. */
export async function openLink(
  { open, introduction, onNotification, onRequest }: LinkOptions,
  onLost: (reason: string) => void,
): Promise<Link> {
  const transport = await open();
  let isWelcome = false;
  const peer = createPeer({
    send: (text) => transport.send(text, "response"),
    log: silentLogger,
    onNotification,
    onRequest,
  });
  transport.start({
    message: (text) => peer.receive(text),
    closed(reason) {
      peer.close(describe(reason));
      if (isWelcome) onLost(describe(reason));
    },
  });
  const welcome = await ask(peer, "initialize", introduction);
  if (welcome.kind !== "answered") transport.close();
  if (welcome.kind === "refused") throw welcome.error;
  if (welcome.kind === "lost")
    throw new ConnectionError("lost", `${welcome.reason} before the server had answered`);
  isWelcome = true;
  peer.notify("initialized", undefined);
  return {
    transport,
    serverInfo: welcome.result as InitializeResponse,
    ask: (method, params, signal) => ask(peer, method, params, signal),
  };
}

async function ask(peer: Peer, method: string, params: unknown, signal?: AbortSignal): Promise<LinkOutcome> {
  try {
    return { kind: "answered", result: await peer.request(method, params, signal) };
  } catch (error) {
    return error instanceof RpcError
      ? { kind: "refused", error }
      : { kind: "lost", reason: messageOf(error) };
  }
}

function describe(reason: CloseReason): string {
  return reason.kind === "failed" ? `the connection failed: ${reason.message}` : "the connection was closed";
}
