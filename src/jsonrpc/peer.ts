import type { Logger } from "../base/logger.ts";
import {
  type ErrorObject,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  type NotificationMessage,
  parseMessage,
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
  readonly onRequest: (request: RequestMessage, reply: Reply) => void;
  readonly onNotification: (notification: NotificationMessage) => void;
  readonly log: Logger;
  /** Shared by the connections of a server, where each client that was sent a request may answer it. */
  readonly pending?: PendingRequests;
}

export function createPeer({ send, onRequest, onNotification, log, ...options }: PeerOptions): Peer {
  const pending = options.pending ?? createPendingRequests();
  let closed = false;

  function replyTo(request: RequestMessage): Reply {
    let answered = false;
    const once = (text: () => string) => {
      if (answered || closed) return;
      // What cannot be encoded is no answer yet.
      const encoded = text();
      answered = true;
      send(encoded);
    };
    return {
      result: (value) => once(() => encodeResponse(request.id, value)),
      error: (error) => once(() => encodeError(request.id, error)),
    };
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
