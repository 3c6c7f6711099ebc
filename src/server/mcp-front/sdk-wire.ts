/** The MCP server's end of the shared connection, in the form in which the SDK takes a transport. */
import type { JSONRPCMessage, Transport as SdkTransport } from "@modelcontextprotocol/server";

/** Both protocols number their requests, so that those of MCP are marked. */
const MARK = "mcp-";

export interface SdkWire {
  readonly transport: SdkTransport;
  /** Delivers a message of the client. */
  receive(message: JSONRPCMessage): void;
  /** The connection has ended. */
  end(): void;
}

/** Whether an answer of the client is to a request of the MCP server. */
export function answersMcp(id: unknown): boolean {
  return typeof id === "string" && id.startsWith(MARK);
}

export function createSdkWire(send: (message: JSONRPCMessage) => void): SdkWire {
  const transport: SdkTransport = {
    start: () => Promise.resolve(),
    send(message) {
      send(mark(message));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return {
    transport,
    receive: (message) => transport.onmessage?.(unmark(message)),
    end: () => transport.onclose?.(),
  };
}

function mark(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: `${MARK}${message.id}` };
  if (message.method !== "notifications/cancelled") return message;
  // What is taken back here is always a request of our own.
  const { requestId } = { requestId: "", ...message.params };
  return { ...message, params: { ...message.params, requestId: `${MARK}${requestId}` } };
}

function unmark(message: JSONRPCMessage): JSONRPCMessage {
  if ("method" in message || !("id" in message) || !answersMcp(message.id)) return message;
  return { ...message, id: Number(String(message.id).slice(MARK.length)) };
}
