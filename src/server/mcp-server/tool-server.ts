/** The MCP server of the SDK with the two tools, and the app-server connection that runs them. */
import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";
import { MAX_TIMER_MS } from "../../base/clock.ts";
import { isObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground, once } from "../../base/tasks.ts";
import { encodeNotification, type RequestId } from "../../jsonrpc/message.ts";
import type { OutboundBacklog, Transport } from "../../transport/transport.ts";
import { openAppServerClient } from "./app-server-client.ts";
import type { Introduction } from "./app-session.ts";
import { createApprovals } from "./approvals.ts";
import { CODEX_TOOL, parseCodexCall, parseReplyCall, REPLY_TOOL, tools } from "./codex-tools.ts";
import { type Caller, createToolCalls, failure, type ToolCalls } from "./tool-calls.ts";

export interface ToolServerOptions {
  /** Opens a connection to the app-server. */
  readonly connect: (transport: Transport) => void;
  readonly version: string;
  /** Relative folders start from it. */
  readonly cwd: string;
  readonly log: Logger;
  /** Null until the client has initialized. */
  readonly client: () => Introduction | null;
  /** Sends an encoded message to the client, bypassing the SDK. */
  readonly send: (text: string) => void;
  /** The backlog of the client. */
  readonly backlog: OutboundBacklog | undefined;
}

export interface ToolServer {
  readonly server: Server;
  /** Forwards a response of the client to an approval request; false if it answers something else. */
  relayAnswer(text: string, id: RequestId): boolean;
}

export function createToolServer({
  connect,
  version,
  cwd,
  log,
  client,
  send,
  backlog,
}: ToolServerOptions): ToolServer {
  const server = new Server({ name: "heddle", title: "Heddle", version }, { capabilities: { tools: {} } });
  const own = once(() =>
    openAppServerClient({
      connect,
      backlog,
      clientInfo: client()?.clientInfo ?? { name: "heddle-mcp-server", version },
      log,
      onNotification(notification) {
        calls.receive(notification);
        if (notification.method === "serverRequest/resolved" && isObject(notification.params)) {
          approvals.resolved(notification.params["requestId"]);
        }
      },
      onRequest: (request, reply) => approvals.ask(request, reply),
    }),
  );
  const calls = createToolCalls({
    client: own.get,
    sendEvent: (method, params) => send(encodeNotification(method, params)),
    log,
  });
  const approvals = createApprovals({
    form() {
      const { legacyApprovals = false, elicitation = false } = client() ?? {};
      if (legacyApprovals) return "typed";
      return elicitation ? "elicitation" : "none";
    },
    forward: send,
    running: calls.running,
    elicit: (params, signal) =>
      server.request({ method: "elicitation/create", params: { ...params } }, anything, {
        signal,
        // No timeout here: the approval aborts the request through `signal`.
        timeout: MAX_TIMER_MS,
      }),
  });
  offerTools(server, calls, cwd);
  return {
    server,
    relayAnswer(text, id) {
      if (!approvals.takeAnswer(id)) return false;
      const relaying = own.peek().then((opened) => opened?.relay(text));
      inBackground(log, "relaying an answer", relaying);
      return true;
    },
  };
}

function offerTools(server: Server, calls: ToolCalls, cwd: string): void {
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", ({ params }, context): CallToolResult | Promise<CallToolResult> => {
    const given = params.arguments ?? {};
    if (params.name === CODEX_TOOL) {
      const call = parseCodexCall(given, cwd);
      return call.ok ? calls.start(call.value, callerOf(context)) : failure(call.message);
    }
    if (params.name === REPLY_TOOL) {
      const call = parseReplyCall(given);
      return call.ok ? calls.reply(call.value, callerOf(context)) : failure(call.message);
    }
    return failure(`Unknown tool '${params.name}'`);
  });
}

function callerOf({ mcpReq: { id, signal, _meta: meta, notify } }: ServerContext): Caller {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return { requestId: id, signal };
  return {
    requestId: id,
    signal,
    progress: (progress, message) =>
      void notify({ method: "notifications/progress", params: { progressToken, progress, message } }),
  };
}

/** Accepts any result; `toDecision` validates it. */
const anything = {
  "~standard": { version: 1 as const, vendor: "heddle", validate: (value: unknown) => ({ value }) },
};
