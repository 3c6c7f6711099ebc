import type { Logger } from "../base/logger.ts";
import { JsonPieces } from "./json-pieces.ts";
import {
  type ErrorObject,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  encodeResponsePieces,
  type NotificationMessage,
  parseMessage,
  type RequestId,
  type RequestMessage,
} from "./message.ts";
import { createPendingRequests, type PendingRequests } from "./pending-requests.ts";

/** One end of a connection: takes texts in, gives texts out, and knows no method by name. */
export interface Peer {
  receive(text: string): void;
  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Rejects every request that still waits for its answer. */
  close(reason: string): void;
}

/** Answers one request; the first call counts and later ones do nothing. */
export interface Reply {
  result(value: unknown): void;
  error(error: ErrorObject): void;
}

export interface PeerOptions {
  readonly send: (text: string) => void;
  /** Sends an answer that is made while it is sent; without it such an answer is made into one text. */
  readonly sendPieces?: (answer: JsonPieces) => void;
  /** Asked about an answer of this length: null, or what is answered instead because there is no room for it. */
  readonly refuseLarge?: (length: number) => ErrorObject | null;
  readonly onRequest: (request: RequestMessage, reply: Reply) => void;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly log: Logger;
  /** Shared by the connections of a server, where each client that was sent a request may answer it. */
  readonly pending?: PendingRequests;
}

/** Characters or bytes of an answer from which on it matters how many of them wait. */
const LARGE_ANSWER = 1024 * 1024;

export function createPeer({ send, onRequest, onNotification, log, ...options }: PeerOptions): Peer {
  const pending = options.pending ?? createPendingRequests();
  let closed = false;

  function replyTo(request: RequestMessage): Reply {
    let answered = false;
    const once = (answer: () => string | JsonPieces) => {
      if (answered || closed) return;
      // What cannot be encoded is no answer yet.
      const encoded = answer();
      answered = true;
      sendAnswer(request.id, encoded);
    };
    return {
      result: (value) =>
        once(() =>
          value instanceof JsonPieces
            ? encodeResponsePieces(request.id, value)
            : encodeResponse(request.id, value),
        ),
      error: (error) => once(() => encodeError(request.id, error)),
    };
  }

  function sendAnswer(id: RequestId, answer: string | JsonPieces): void {
    const isText = typeof answer === "string";
    const length = isText ? answer.length : answer.bytes;
    const refusal = length > LARGE_ANSWER ? options.refuseLarge?.(length) : null;
    if (refusal) send(encodeError(id, refusal));
    else if (isText) send(answer);
    else if (options.sendPieces === undefined) send(answer.join());
    else options.sendPieces(answer);
  }

  return {
    receive(text) {
      if (closed) return;
      const message = parseMessage(text);
      switch (message.kind) {
        case "request":
          return onRequest(message, replyTo(message));
        case "notification":
          return onNotification(message);
        case "response":
          if (!pending.resolve(message.id, message.result)) logUnknownAnswer(log, message.id);
          return;
        case "error":
          if (!pending.reject(message.id, message.error)) logUnknownAnswer(log, message.id);
          return;
        case "junk":
          return log.warn("ignored a line that is no message", { reason: message.reason });
      }
    },
    request(method, params, signal) {
      const { id, answer } = pending.open(signal);
      if (!closed && !signal?.aborted) send(encodeRequest(id, method, params));
      return answer;
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

function logUnknownAnswer(log: Logger, id: unknown): void {
  log.warn("ignored an answer to a request that does not wait for it", { id: String(id) });
}
