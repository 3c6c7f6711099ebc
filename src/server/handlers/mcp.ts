import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { Effective } from "../../config/get-effective.ts";
import type { Engine } from "../../engine/engine.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type {
  ListMcpServerStatusParams,
  ListMcpServerStatusResponse,
  McpResourceReadResponse,
  McpServerToolCallResponse,
} from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { type McpServers, SHUTTING_DOWN, toThreadMcp } from "../../runtime/mcp/mcp-servers.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { createElicit } from "../../tools/mcp/elicitation.ts";
import type { McpConnection } from "../../tools/mcp/mcp-connection.ts";
import { allowsTool, type McpServerConfig } from "../../tools/mcp/server/server-config.ts";
import { describeMcpFault, type McpFault } from "../../tools/mcp/server/server-failure.ts";
import type { ThreadMcp, ThreadServers } from "../../tools/mcp/thread-servers.ts";
import type { Ask } from "../../tools/tool.ts";
import { type Handlers, invalidRequest, unwrap, unwrapConfig } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import { refuseForbidden, startMcpLogin } from "./mcp-login.ts";
import { describeServer } from "./mcp-status.ts";
import { pageOf } from "./paging.ts";

export interface McpHandlersOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly mcp: McpServers;
  readonly cwd: string;
  readonly notifier: Notifier;
  /** The way to ask the clients of a thread outside of its turns; null if the thread is not loaded. */
  readonly askOf: (threadId: string) => Ask | null;
  /** Adds a task that runs when the server closes, while clients are still connected. */
  readonly onClose: (task: () => Promise<void>) => void;
}

type McpMethod =
  | "mcpServerStatus/list"
  | "mcpServer/resource/read"
  | "mcpServer/tool/call"
  | "mcpServer/oauth/login"
  | "config/mcpServer/reload";

const RESOURCE_TIMEOUT_MS = 60_000;

export function createMcpHandlers({
  config,
  engine,
  mcp,
  cwd,
  notifier,
  askOf,
  onClose,
}: McpHandlersOptions): Handlers<McpMethod> {
  onClose(async () => mcp.endLogins(SHUTTING_DOWN));

  function findThread(text: string): string {
    const id = unwrap(parseThreadId(text));
    if (engine.find(id) === undefined) throw invalidRequest(`thread not found: ${id}`);
    return id;
  }

  const folderOf = (id: string | null) => (id === null ? null : (engine.find(id)?.settings.cwd ?? cwd));

  /** The current configuration; without a thread no project configuration applies. */
  async function readEffective(id: string | null): Promise<Effective> {
    const folder = folderOf(id);
    return unwrapConfig(await (await config.get()).effective(folder === null ? {} : { cwd: folder }));
  }

  const readNow = async (id: string | null): Promise<ThreadMcp> =>
    toThreadMcp((await readEffective(id)).values, folderOf(id) ?? cwd);

  /** Runs `task` with the servers of a thread, or with temporary ones from the current configuration. */
  async function use<T>(threadId: string | null, task: (servers: ThreadServers) => Promise<T>): Promise<T> {
    const id = threadId === null ? null : findThread(threadId);
    const servers = id === null ? undefined : mcp.find(id);
    return servers === undefined ? mcp.borrow(await readNow(id), task) : task(servers);
  }

  return {
    async "mcpServerStatus/list"({ threadId = null, ...overrides }) {
      const id = threadId === null ? null : findThread(threadId);
      const own = id === null ? undefined : mcp.find(id);
      const now = unwrap((id === null ? null : await mcp.reread(id)) ?? (await readNow(id)));
      const { loginStatusOf } = mcp;
      return mcp.borrow(now, (servers) =>
        listStatus(servers, { ...overrides, ofThread: own, loginStatusOf }),
      );
    },

    "mcpServer/resource/read": ({ threadId = null, server, uri, originCallId = null }) =>
      use(threadId, async (servers) => {
        const { connection } = findServer(servers, server);
        const options = { timeoutMs: RESOURCE_TIMEOUT_MS, signal: new AbortController().signal };
        const outcome = await connection.request("resources/read", { uri }, options);
        if (outcome.kind !== "answered") {
          throw toRpcError(outcome, `resources/read failed for \`${server}\` (${uri})`);
        }
        const { contents } = outcome.result;
        // Passed on as the server sent them.
        const parts = (Array.isArray(contents) ? contents : []) as McpResourceReadResponse["contents"];
        return { contents: parts, originCallId };
      }),

    "mcpServer/tool/call": ({ threadId, server, tool, arguments: args, _meta: meta }) =>
      use(threadId, async (servers) => {
        const found = findServer(servers, server);
        const target = `tool call failed for \`${server}/${tool}\``;
        const params = toCallParams({ tool, args, meta, threadId }, found.config, target);
        const outcome = await found.connection.request("tools/call", params, {
          timeoutMs: found.config.toolTimeoutMs,
          signal: new AbortController().signal,
          // Lets servers send progress, which no client receives outside of a turn.
          onProgress() {},
          elicit: createElicit({
            threadId,
            turnId: null,
            server,
            policy: servers.policy,
            ask: askOf(threadId),
          }),
        });
        if (outcome.kind !== "answered") throw toRpcError(outcome, target);
        return toCallResponse(outcome.result);
      }),

    async "mcpServer/oauth/login"(params) {
      const { threadId = null, name } = params;
      refuseForbidden(await readEffective(threadId === null ? null : findThread(threadId)), name);
      return use(threadId, (servers) => startMcpLogin(servers, params, { mcp, notifier }));
    },

    async "config/mcpServer/reload"() {
      unwrap(await mcp.reload());
      return {};
    },
  };
}

interface StatusListOptions extends Omit<ListMcpServerStatusParams, "threadId"> {
  readonly ofThread: ThreadServers | undefined;
  readonly loginStatusOf: McpServers["loginStatusOf"];
}

async function listStatus(
  servers: ThreadServers,
  { serverName = null, detail, ofThread, loginStatusOf, ...page }: StatusListOptions,
): Promise<ListMcpServerStatusResponse> {
  const all = servers.all().filter(({ config: { name } }) => serverName === null || name === serverName);
  const { data, nextCursor } = pageOf(all, page, "MCP servers");
  const described = data.map((server) => {
    const isOfThread = isDeepStrictEqual(ofThread?.find(server.config.name)?.config, server.config);
    return describeServer(server, { detail: detail ?? "full", isOfThread, loginStatusOf });
  });
  return { data: await Promise.all(described), nextCursor };
}

function findServer(
  servers: ThreadServers,
  name: string,
): { readonly config: McpServerConfig; readonly connection: McpConnection } {
  const { config, connection } = servers.find(name) ?? {};
  if (config === undefined || connection === undefined || connection === null) {
    throw new RpcError(errorCodes.internalError, `unknown MCP server '${name}'`);
  }
  return { config, connection };
}

function toCallParams(
  call: { readonly tool: string; readonly args: unknown; readonly meta: unknown; readonly threadId: string },
  config: McpServerConfig,
  target: string,
): JsonObject {
  const { tool, args = null, meta, threadId } = call;
  const refuse = (reason: string) => new RpcError(errorCodes.internalError, `${target}: ${reason}`);
  if (!allowsTool(config, tool)) throw refuse(`tool '${tool}' is disabled for MCP server '${config.name}'`);
  if (args !== null && !isObject(args)) {
    throw refuse(`MCP tool arguments must be a JSON object, got ${JSON.stringify(args)}`);
  }
  const known = isObject(meta) ? meta : {};
  return { name: tool, ...(args !== null && { arguments: args }), _meta: { ...known, threadId } };
}

/** An error that the MCP server returned is passed on unchanged. */
function toRpcError(fault: McpFault, target: string): RpcError {
  if (fault.kind === "refused") return new RpcError(fault.code, fault.message, fault.data);
  return new RpcError(errorCodes.internalError, `${target}: ${describeMcpFault(fault)}`);
}

function toCallResponse(result: JsonObject): McpServerToolCallResponse {
  const { content, structuredContent, isError, _meta: meta } = result;
  return {
    content: Array.isArray(content) ? content : [],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(typeof isError === "boolean" && { isError }),
    ...(meta !== undefined && { _meta: meta }),
  };
}
