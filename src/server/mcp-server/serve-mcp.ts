/**
 * An MCP server and the app-server on one connection: requests with a method of the app-server go to it, all
 * others are MCP.
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
  readonly transport: Transport;
  /** Opens a connection to the app-server. */
  readonly connect: (transport: Transport) => void;
  readonly version: string;
  /** Relative folders start from it. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Requests in flight have this long to finish after the client has ended its input. */
const DRAIN_TIMEOUT_MS = 4000;

/** Serves the client; resolves when its connection has closed. */
export async function serveMcp(options: McpServerOptions): Promise<void> {
  const { transport, connect, clock, log } = options;
  const closed = createDeferred<void>();
  /** Unanswered requests to the MCP server. */
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
    if (message.kind === "junk")
      return log.warn("ignored a line that is not a JSON-RPC message", { ...message });
    if (message.kind === "request" && isAppRequest(message)) return session.request(text, message.method);
    if (isAppNotice(message)) {
      // The app-server accepts a response only from the connection that it sent the request to.
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

/** `initialize` exists in both protocols; only that of MCP has a `protocolVersion`. */
function isAppRequest({ method, params }: RequestMessage): boolean {
  if (!Object.hasOwn(requestRows, method)) return false;
  return method !== "initialize" || !isObject(params) || params["protocolVersion"] === undefined;
}

/** Whether a notification or response is for the app-server. */
function isAppNotice(message: JsonRpcMessage): boolean {
  if (message.kind === "request") return false;
  if (message.kind === "notification") return !message.method.startsWith("notifications/");
  return !answersMcp(message.id);
}

/** A prefix of the ids of MCP requests, because the app-server numbers its requests as well. */
const ID_PREFIX = "mcp-";

export interface SdkWire {
  readonly transport: SdkTransport;
  /** Passes a message of the client to the SDK. */
  receive(message: JSONRPCMessage): void;
  /** Notifies the SDK that the connection has closed. */
  end(): void;
}

/** Whether a response of the client is to a request of the MCP server. */
function answersMcp(id: unknown): boolean {
  return typeof id === "string" && id.startsWith(ID_PREFIX);
}

function createSdkWire(send: (message: JSONRPCMessage) => void): SdkWire {
  const transport: SdkTransport = {
    start: () => Promise.resolve(),
    send(message) {
      send(addIdPrefix(message));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  return {
    transport,
    receive: (message) => transport.onmessage?.(removeIdPrefix(message)),
    end: () => transport.onclose?.(),
  };
}

function addIdPrefix(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: `${ID_PREFIX}${message.id}` };
  if (message.method !== "notifications/cancelled") return message;
  // Only the MCP server's own requests are cancelled here.
  const { requestId } = { requestId: "", ...message.params };
  return { ...message, params: { ...message.params, requestId: `${ID_PREFIX}${requestId}` } };
}

function removeIdPrefix(message: JSONRPCMessage): JSONRPCMessage {
  if ("method" in message || !("id" in message) || !answersMcp(message.id)) return message;
  return { ...message, id: Number(String(message.id).slice(ID_PREFIX.length)) };
}
