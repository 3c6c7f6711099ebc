/** One transport to a server that knows who is there. */
import { messageOf } from "../base/errors.ts";
import { silentLogger } from "../base/logger.ts";
import type { NotificationMessage, RequestMessage } from "../jsonrpc/message.ts";
import { createPeer, type Peer, type Responder } from "../jsonrpc/peer.ts";
import { RpcError } from "../jsonrpc/rpc-error.ts";
import type { InitializeParams, InitializeResponse } from "../protocol/generated/types.ts";
import type { CloseReason, Transport } from "../transport/transport.ts";
import { ConnectionError } from "./connection-error.ts";

/** The largest text there is: a server that was chosen is believed, and may answer with more than a library expects. */
export const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

export interface Link {
  readonly transport: Transport;
  readonly serverInfo: InitializeResponse;
  ask(method: string, params: unknown, signal?: AbortSignal): Promise<Outcome>;
}

/** How a request has ended: answered, refused by the server, or given up with the link. */
export type Outcome =
  | { readonly kind: "answered"; readonly result: unknown }
  | { readonly kind: "refused"; readonly error: RpcError }
  | { readonly kind: "lost"; readonly reason: string };

export interface LinkOptions {
  /** Opens a transport, at first and after each loss. */
  readonly open: () => Promise<Transport>;
  readonly introduction: InitializeParams;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly onRequest: (request: RequestMessage, responder: Responder) => void;
}

/** Opens a transport, introduces the client and waits for the welcome. `onLost` is called once, if at all. */
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

async function ask(peer: Peer, method: string, params: unknown, signal?: AbortSignal): Promise<Outcome> {
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
