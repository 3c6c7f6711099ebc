/**
 * An MCP server in front of the app-server, on one connection with it: a message that is one of the app-server's
 * requests goes there, and every other one is MCP.
 */
import type { JSONRPCMessage, Transport as SdkTransport } from "@modelcontextprotocol/server";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { type JsonRpcMessage, parseMessage, type RequestMessage } from "../../jsonrpc/message.ts";
import { requestRows } from "../../protocol/generated/table.ts";
import type { Transport } from "../../transport/transport.ts";
import { createAppSession, type Introduction, readIntroduction, toMcpText } from "./app-session.ts";
import { createToolServer } from "./tool-server.ts";

export interface McpServerOptions {
  /** The connection of the client. */
  readonly transport: Transport;
  /** Opens a connection to the app-server. */
  readonly connect: (transport: Transport) => void;
  readonly version: string;
  /** Where relative folders begin. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long requests may take to be answered once their client has said its last word. */
const DRAIN_TIMEOUT_MS = 4000;

/** Serves the client until its connection has ended, which resolves the promise. */
export async function serveMcp(options: McpServerOptions): Promise<void> {
  const { transport, connect, clock, log } = options;
  const closed = createDeferred<void>();
  /** Requests to the MCP server that wait for their answer. */
  const open = new Set<unknown>();
  let client: Introduction | null = null;
  let inputEnded = false;

  const isIdle = () => open.size === 0 && !session.isBusy;
  const endWhenIdle = () => {
    if (inputEnded && isIdle()) transport.close();
  };
  const session = createAppSession({
    connect,
    send: (text, kind) => transport.send(text, kind),
    backlog: transport.backlog,
    introduction: () => client,
    onIdle: () => endWhenIdle(),
  });
  const wire = createSdkWire((message) => {
    const isResponse = !("method" in message);
    transport.send(JSON.stringify(message), isResponse ? "response" : "notice");
    if (isResponse && open.delete(message.id)) endWhenIdle();
  });
  const { server, relayAnswer } = createToolServer({
    ...options,
    client: () => client,
    backlog: transport.backlog,
    send: (text) => transport.send(toMcpText(text), "notice"),
  });

  function receive(text: string): void {
    const message = parseMessage(text);
    if (message.kind === "junk") return log.warn("ignored a line that is no message", { ...message });
    if (message.kind === "request" && isAppRequest(message)) return session.request(text, message.method);
    if (isAppNotice(message)) {
      // The app-server takes an answer only from the one of its connections that it has asked.
      if (!("id" in message && relayAnswer(text, message.id))) session.relay(text);
      return;
    }
    if (message.kind === "request") open.add(message.id);
    if (message.kind === "request" && message.method === "initialize") {
      client = readIntroduction(message.params);
    }
    if (message.kind === "notification" && message.method === "notifications/cancelled") {
      open.delete(isObject(message.params) ? message.params["requestId"] : null);
    }
    wire.receive(JSON.parse(text) as JSONRPCMessage);
  }

  await server.connect(wire.transport);
  transport.start({
    message: receive,
    inputEnded() {
      inputEnded = true;
      if (isIdle()) transport.close();
      else clock.after(DRAIN_TIMEOUT_MS, () => transport.close());
    },
    closed() {
      wire.end();
      session.close();
      closed.resolve();
    },
  });
  await closed.promise;
}

/** `initialize` exists in both protocols; that of MCP names a version of it. */
function isAppRequest({ method, params }: RequestMessage): boolean {
  if (!Object.hasOwn(requestRows, method)) return false;
  return method !== "initialize" || !isObject(params) || params["protocolVersion"] === undefined;
}

/** A notification or an answer that is the app-server's. */
function isAppNotice(message: JsonRpcMessage): boolean {
  if (message.kind === "request") return false;
  if (message.kind === "notification") return !message.method.startsWith("notifications/");
  return !answersMcp(message.id);
}

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
function answersMcp(id: unknown): boolean {
  return typeof id === "string" && id.startsWith(MARK);
}

function createSdkWire(send: (message: JSONRPCMessage) => void): SdkWire {
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
