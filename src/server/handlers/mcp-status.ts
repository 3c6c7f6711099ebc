/** The status of one MCP server, for clients. */
import type {
  McpAuthStatus,
  McpServerConnectionStatus,
  McpServerInfo,
  McpServerStatus,
  McpServerStatusDetail,
  Resource,
  ResourceTemplate,
} from "../../protocol/generated/types.ts";

import type { McpConnection, McpConnectionState } from "../../tools/mcp/mcp-connection.ts";
import type { LoginStatus, OAuth } from "../../tools/mcp/oauth/open-oauth.ts";
import { allowsTool, hasOwnToken, type McpServerConfig } from "../../tools/mcp/server/server-config.ts";
import { describeStartup } from "../../tools/mcp/server/server-failure.ts";
import { hasResources, type ThreadServer } from "../../tools/mcp/thread-servers.ts";

export interface StatusOptions {
  readonly detail: McpServerStatusDetail;
  /** The server is configured in the thread in the same way. */
  readonly isOfThread: boolean;
  readonly loginStatusOf: OAuth["loginStatusOf"];
}

const LIST_TIMEOUT_MS = 30_000;

/** Starts the server if it is not running, because its tools are known only then. */
export async function describeServer(
  { config, connection }: ThreadServer,
  { detail, isOfThread, loginStatusOf }: StatusOptions,
): Promise<McpServerStatus> {
  const found: McpConnectionState = connection?.state ?? { kind: "closed" };
  const [login] = await Promise.all([loginOf(config, loginStatusOf), connection?.ready()]);
  const state: McpConnectionState = connection?.state ?? { kind: "closed" };
  const { transport } = config;
  return {
    name: config.name,
    // `ready()` restarts a server that has died, so the state from before is reported.
    runtimeStatus: isOfThread ? statusOf(config, found.kind === "died" ? found : state) : null,
    pluginId: null,
    httpOrigin: transport.kind === "http" ? originOf(transport.url) : null,
    ...describeOffer(config, state),
    toolsError: state.kind === "failed" ? describeStartup(state.failure) : null,
    ...(await describeResources(detail === "full" ? connection : null)),
    // Stored credentials may look valid although the server rejects them.
    authStatus: login === "oAuth" && wantsLogin(state) ? "notLoggedIn" : login,
  };
}

function describeOffer(config: McpServerConfig, state: McpConnectionState) {
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
  // Passed on as the server describes itself; clients read the members that they know.
  return { resources: resources as Resource[], resourceTemplates: templates as ResourceTemplate[] };
}

const STATUS: Readonly<Record<McpConnectionState["kind"], McpServerConnectionStatus>> = {
  idle: "notStarted",
  starting: "starting",
  ready: "connected",
  failed: "failed",
  died: "failed",
  closed: "cancelled",
};

function statusOf({ enabled }: McpServerConfig, state: McpConnectionState): McpServerConnectionStatus {
  if (!enabled) return "disabled";
  return wantsLogin(state) ? "authenticationRequired" : STATUS[state.kind];
}

function wantsLogin(state: McpConnectionState): boolean {
  return state.kind === "failed" && state.failure.kind === "loginNeeded";
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

const AUTH_STATUS: Readonly<Record<LoginStatus, McpAuthStatus>> = {
  usable: "oAuth",
  unusable: "notLoggedIn",
  offered: "notLoggedIn",
  unsupported: "unsupported",
  unknown: "unknown",
};

async function loginOf(
  { name, enabled, transport }: McpServerConfig,
  loginStatusOf: OAuth["loginStatusOf"],
): Promise<McpAuthStatus> {
  if (!enabled || transport.kind === "stdio") return "unsupported";
  if (hasOwnToken(transport)) return "bearerToken";
  return AUTH_STATUS[await loginStatusOf(name, transport)];
}
