/** What clients are told about one MCP server. */
import type {
  McpAuthStatus,
  McpServerConnectionStatus,
  McpServerInfo,
  McpServerStatus,
  McpServerStatusDetail,
  Resource,
  ResourceTemplate,
} from "../protocol/generated/types.ts";
import type { ConnectionState, McpConnection } from "../tools/mcp/mcp-connection.ts";
import { allowsTool, type McpServerConfig } from "../tools/mcp/server-config.ts";
import { describeStartup } from "../tools/mcp/server-failure.ts";
import { hasResources, type ThreadServer } from "../tools/mcp/thread-servers.ts";

export interface StatusOptions {
  readonly detail: McpServerStatusDetail;
  /** The server is one that a thread has, as it has it. */
  readonly isOfThread: boolean;
}

const LIST_TIMEOUT_MS = 30_000;

/** Starts the server where that has not been done: what it offers is known only then. */
export async function describeServer(
  { config, connection }: ThreadServer,
  { detail, isOfThread }: StatusOptions,
): Promise<McpServerStatus> {
  const found: ConnectionState = connection?.state ?? { kind: "closed" };
  await connection?.ready();
  const state: ConnectionState = connection?.state ?? { kind: "closed" };
  const { transport } = config;
  return {
    name: config.name,
    // That a server has died is told, though looking at it brings it back.
    runtimeStatus: isOfThread ? statusOf(config, found.kind === "died" ? found : state) : null,
    pluginId: null,
    httpOrigin: transport.kind === "http" ? originOf(transport.url) : null,
    ...describeOffer(config, state),
    toolsError: state.kind === "failed" ? describeStartup(state.failure) : null,
    ...(await describeResources(detail === "full" ? connection : null)),
    authStatus: authStatusOf(config),
  };
}

function describeOffer(config: McpServerConfig, state: ConnectionState) {
  if (state.kind !== "ready") {
    return { serverInfo: null, serverCapabilities: null, toolListMeta: null, tools: {} };
  }
  const { info, capabilities, meta, tools } = state.server;
  const allowed = tools.filter((tool) => allowsTool(config, tool.name));
  return {
    serverInfo: info === null ? null : toServerInfo(info),
    serverCapabilities: capabilities,
    toolListMeta: meta,
    tools: Object.fromEntries(allowed.map((tool) => [tool.name, tool])),
  };
}

async function describeResources(connection: McpConnection | null) {
  if (connection === null) return { resources: [], resourceTemplates: [] };
  const [resources, templates] = await Promise.all([
    listOf(connection, "resources/list", "resources"),
    listOf(connection, "resources/templates/list", "resourceTemplates"),
  ]);
  // Servers are shown as they describe themselves; clients read what they know of it.
  return { resources: resources as Resource[], resourceTemplates: templates as ResourceTemplate[] };
}

const STATUS: Readonly<Record<ConnectionState["kind"], McpServerConnectionStatus>> = {
  idle: "notStarted",
  starting: "starting",
  ready: "connected",
  failed: "failed",
  died: "failed",
  closed: "cancelled",
};

function statusOf({ enabled }: McpServerConfig, { kind }: ConnectionState): McpServerConnectionStatus {
  return enabled ? STATUS[kind] : "disabled";
}

function toServerInfo(info: Readonly<Record<string, unknown>>): McpServerInfo {
  const text = (key: string) => (typeof info[key] === "string" ? info[key] : null);
  return {
    name: text("name") ?? "",
    title: text("title"),
    version: text("version") ?? "",
    description: text("description"),
    icons: Array.isArray(info["icons"]) ? info["icons"] : null,
    websiteUrl: text("websiteUrl"),
  };
}

async function listOf(connection: McpConnection, method: string, member: string): Promise<unknown[]> {
  if (!hasResources(connection)) return [];
  const signal = new AbortController().signal;
  const outcome = await connection.list(method, member, { timeoutMs: LIST_TIMEOUT_MS, signal });
  return outcome.kind === "answered" ? [...outcome.result] : [];
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** A server that wants a login says so only when it is asked; until then it counts as one that has none. */
function authStatusOf({ transport }: McpServerConfig): McpAuthStatus {
  if (transport.kind === "stdio") return "unsupported";
  const names = [...Object.keys(transport.headers), ...Object.keys(transport.envHeaders)];
  const hasToken =
    transport.bearerTokenEnvVar !== null || names.some((name) => /^authorization$/i.test(name));
  return hasToken ? "bearerToken" : "unsupported";
}
