import type { Logger } from "../base/logger.ts";
import {
  type ErrorObject,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  encodeResponsePieces,
  JsonPieces,
  type NotificationMessage,
  parseMessage,
  type RequestId,
  type RequestMessage,
} from "./message.ts";
import { createPendingRequests, type PendingRequests } from "./pending-requests.ts";

/** One end of a JSON-RPC connection; independent of methods. */
export interface Peer {
  receive(text: string): void;
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Rejects all pending requests. */
  close(reason: string): void;
}

/** Responds to one request; only the first call has an effect. */
export interface Responder {
  result(value: unknown): void;
  error(error: ErrorObject): void;
}

export interface PeerOptions {
  readonly send: (text: string) => void;
  /** Sends a response in pieces; if absent, the pieces are joined. */
  readonly sendPieces?: (response: JsonPieces) => void;
  /** Called for a large response: null, or the error to send instead because the outbound queue is full. */
  readonly refuseLargeResponse?: (length: number) => ErrorObject | null;
  readonly onRequest: (request: RequestMessage, responder: Responder) => void;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly log: Logger;
  /** Shared by the connections of a server, because any client that received a request may answer it. */
  readonly pending?: PendingRequests;
}

/** The length from which on `refuseLargeResponse` is called. */
const LARGE_RESPONSE = 1024 * 1024;

export function createPeer({ send, onRequest, onNotification, log, ...options }: PeerOptions): Peer {
  const pending = options.pending ?? createPendingRequests();
  let closed = false;

  function responderFor(request: RequestMessage): Responder {
    let hasResponded = false;
    const respondOnce = (encode: () => string | JsonPieces) => {
      if (hasResponded || closed) return;
      // Encoded first: if that throws, another response can still be sent.
      const encoded = encode();
      hasResponded = true;
      sendResponse(request.id, encoded);
    };
    return {
      result: (value) =>
        respondOnce(() =>
          value instanceof JsonPieces
            ? encodeResponsePieces(request.id, value)
            : encodeResponse(request.id, value),
        ),
      error: (error) => respondOnce(() => encodeError(request.id, error)),
    };
  }

  function sendResponse(id: RequestId, response: string | JsonPieces): void {
    const isText = typeof response === "string";
    const length = isText ? response.length : response.bytes;
    const refusal = length > LARGE_RESPONSE ? options.refuseLargeResponse?.(length) : null;
    if (refusal) send(encodeError(id, refusal));
    else if (isText) send(response);
    else if (options.sendPieces === undefined) send(response.join());
    else options.sendPieces(response);
  }

  return {
    receive(text) {
      if (closed) return;
      const message = parseMessage(text);
      switch (message.kind) {
        case "request":
          return onRequest(message, responderFor(message));
        case "notification":
          return onNotification(message);
        case "response":
          if (!pending.resolve(message.id, message.result)) logUnknownResponse(log, message.id);
          return;
        case "error":
          if (!pending.reject(message.id, message.error)) logUnknownResponse(log, message.id);
          return;
        case "junk":
          return log.warn("ignored a line that is no message", { reason: message.reason });
      }
    },
    request(method, params, signal) {
      const { id, response } = pending.open(signal);
      if (!closed && !signal?.aborted) send(encodeRequest(id, method, params));
      return response;
    },
    notify(method, params) {
      if (!closed) send(encodeNotification(method, params));
    },
    close(reason) {
      closed = true;
      if (options.pending === undefined) pending.close(reason);
    },
  };
}

function logUnknownResponse(log: Logger, id: unknown): void {
  log.warn("ignored an answer to a request that does not wait for it", { id: String(id) });
}
