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

  const isClosed = () => closed;

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
          return onRequest(message, new OnceResponder(message.id, sendResponse, isClosed));
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

class OnceResponder implements Responder {
  readonly #id: RequestId;
  readonly #send: (id: RequestId, response: string | JsonPieces) => void;
  readonly #isClosed: () => boolean;
  #hasResponded = false;

  constructor(
    id: RequestId,
    send: (id: RequestId, response: string | JsonPieces) => void,
    isClosed: () => boolean,
  ) {
    this.#id = id;
    this.#send = send;
    this.#isClosed = isClosed;
  }

  result(value: unknown): void {
    if (this.#hasResponded || this.#isClosed()) return;
    // Encoded first: if that throws, another response can still be sent.
    this.#respond(
      value instanceof JsonPieces ? encodeResponsePieces(this.#id, value) : encodeResponse(this.#id, value),
    );
  }

  error(error: ErrorObject): void {
    if (this.#hasResponded || this.#isClosed()) return;
    this.#respond(encodeError(this.#id, error));
  }

  #respond(encoded: string | JsonPieces): void {
    this.#hasResponded = true;
    this.#send(this.#id, encoded);
  }
}

function logUnknownResponse(log: Logger, id: unknown): void {
  log.warn("ignored an answer to a request that does not wait for it", { id: String(id) });
}
