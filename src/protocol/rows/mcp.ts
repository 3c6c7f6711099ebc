// MCP servers: status, login, resources and tools.

import { byThread, emptyResult, exclusive, notification, request } from "./row.ts";
import {
  anyJson,
  anyOf,
  array,
  boolean,
  choice,
  define,
  i64,
  map,
  nullable,
  object,
  optional,
  present,
  string,
  u32,
} from "./shape.ts";

export const McpServerOauthClientRegistration = define(
  "McpServerOauthClientRegistration",
  choice("auto", "cimd", "dcr"),
);
export const McpServerOauthLoginParams = define(
  "McpServerOauthLoginParams",
  object({
    name: string(),
    threadId: nullable(string()),
    clientRegistration: nullable(McpServerOauthClientRegistration),
    scopes: nullable(array(string())),
    timeoutSecs: nullable(i64()),
  }),
);
export const McpServerOauthLoginResponse = define(
  "McpServerOauthLoginResponse",
  object({ authorizationUrl: string(), loginId: optional(string()) }),
);
export const McpServerStatusDetail = define("McpServerStatusDetail", choice("full", "toolsAndAuthOnly"));
export const ListMcpServerStatusParams = define(
  "ListMcpServerStatusParams",
  object({
    cursor: nullable(string()),
    limit: nullable(u32()),
    detail: nullable(McpServerStatusDetail),
    threadId: nullable(string()),
    serverName: nullable(string()),
  }),
);
export const McpServerConnectionStatus = define(
  "McpServerConnectionStatus",
  choice("notStarted", "starting", "connected", "authenticationRequired", "failed", "cancelled", "disabled"),
);
export const McpServerInfo = define(
  "McpServerInfo",
  object({
    name: string(),
    title: nullable(string()),
    version: string(),
    description: nullable(string()),
    icons: nullable(array(anyJson())),
    websiteUrl: nullable(string()),
  }),
);
export const Tool = define(
  "Tool",
  object({
    name: string(),
    title: optional(string()),
    description: optional(string()),
    inputSchema: anyJson(),
    outputSchema: optional(anyJson()),
    annotations: optional(anyJson()),
    icons: optional(array(anyJson())),
    _meta: optional(anyJson()),
  }),
);
export const Resource = define(
  "Resource",
  object({
    annotations: optional(anyJson()),
    description: optional(string()),
    mimeType: optional(string()),
    name: string(),
    size: optional(i64()),
    title: optional(string()),
    uri: string(),
    icons: optional(array(anyJson())),
    _meta: optional(anyJson()),
  }),
);
export const ResourceTemplate = define(
  "ResourceTemplate",
  object({
    annotations: optional(anyJson()),
    uriTemplate: string(),
    name: string(),
    title: optional(string()),
    description: optional(string()),
    mimeType: optional(string()),
  }),
);
export const McpAuthStatus = define(
  "McpAuthStatus",
  choice("unknown", "unsupported", "notLoggedIn", "bearerToken", "oAuth"),
);
export const McpServerStatus = define(
  "McpServerStatus",
  object({
    name: string(),
    runtimeStatus: nullable(McpServerConnectionStatus),
    pluginId: nullable(string()),
    httpOrigin: nullable(string()),
    serverInfo: nullable(McpServerInfo),
    serverCapabilities: nullable(anyJson()),
    toolListMeta: nullable(anyJson()),
    tools: map(Tool),
    toolsError: nullable(string()),
    resources: array(Resource),
    resourceTemplates: array(ResourceTemplate),
    authStatus: McpAuthStatus,
  }),
);
export const ListMcpServerStatusResponse = define(
  "ListMcpServerStatusResponse",
  object({ data: array(McpServerStatus), nextCursor: nullable(string()) }),
);
export const McpResourceReadTarget = define(
  "McpResourceReadTarget",
  object({ connectorId: string(), linkId: present(nullable(string())) }),
);
export const McpResourceReadParams = define(
  "McpResourceReadParams",
  object({
    threadId: nullable(string()),
    originCallId: nullable(string()),
    server: string(),
    uri: string(),
    connectorId: nullable(string()),
    target: nullable(McpResourceReadTarget),
  }),
);
export const ResourceContent = define(
  "ResourceContent",
  anyOf(
    object({ uri: string(), mimeType: optional(string()), text: string(), _meta: optional(anyJson()) }),
    object({ uri: string(), mimeType: optional(string()), blob: string(), _meta: optional(anyJson()) }),
  ),
);
export const McpResourceReadResponse = define(
  "McpResourceReadResponse",
  object({ contents: array(ResourceContent), originCallId: nullable(string()) }),
);
export const McpServerToolCallParams = define(
  "McpServerToolCallParams",
  object({
    threadId: string(),
    server: string(),
    tool: string(),
    arguments: optional(anyJson()),
    _meta: optional(anyJson()),
  }),
);
export const McpServerToolCallResponse = define(
  "McpServerToolCallResponse",
  object({
    content: array(anyJson()),
    structuredContent: optional(anyJson()),
    isError: optional(boolean()),
    _meta: optional(anyJson()),
  }),
);
export const McpServerOauthLoginCompletedNotification = define(
  "McpServerOauthLoginCompletedNotification",
  object({
    name: string(),
    threadId: nullable(string()),
    loginId: optional(nullable(string())),
    success: boolean(),
    error: optional(string()),
  }),
);
export const McpServerStartupState = define(
  "McpServerStartupState",
  choice("starting", "ready", "failed", "cancelled"),
);
export const McpServerStartupFailureReason = define(
  "McpServerStartupFailureReason",
  choice("reauthenticationRequired"),
);
export const McpServerStatusUpdatedNotification = define(
  "McpServerStatusUpdatedNotification",
  object({
    threadId: nullable(string()),
    name: string(),
    status: McpServerStartupState,
    error: nullable(string()),
    failureReason: nullable(McpServerStartupFailureReason),
  }),
);

export const mcpRequests = {
  "mcpServer/oauth/login": request({
    summary: "Starts the login to an MCP server in the browser.",
    stability: "stable",
    scope: "admin",
    params: McpServerOauthLoginParams,
    result: McpServerOauthLoginResponse,
    order: exclusive("mcp-oauth"),
    handlers: "mcp",
  }),
  "config/mcpServer/reload": request({
    summary: "Reads the MCP servers from the configuration again.",
    stability: "stable",
    scope: "admin",
    params: null,
    paramsOptional: true,
    result: emptyResult("McpServerRefreshResponse"),
    order: exclusive("mcp-registry"),
    handlers: "mcp",
  }),
  "mcpServerStatus/list": request({
    summary: "Pages through MCP servers with their tools, resources and login state.",
    stability: "stable",
    scope: "read",
    params: ListMcpServerStatusParams,
    result: ListMcpServerStatusResponse,
    order: exclusive("mcp-registry"),
    idempotent: true,
    handlers: "mcp",
  }),
  "mcpServer/resource/read": request({
    summary: "Reads a resource of an MCP server.",
    stability: "stable",
    scope: "operate",
    params: McpResourceReadParams,
    result: McpResourceReadResponse,
    order: byThread,
    idempotent: true,
    handlers: "mcp",
  }),
  "mcpServer/tool/call": request({
    summary: "Calls a tool of an MCP server on behalf of a thread.",
    stability: "stable",
    scope: "admin",
    params: McpServerToolCallParams,
    result: McpServerToolCallResponse,
    order: byThread,
    handlers: "mcp",
  }),
};

export const mcpNotifications = {
  "mcpServer/oauthLogin/completed": notification({
    summary: "A login to an MCP server ended.",
    stability: "stable",
    params: McpServerOauthLoginCompletedNotification,
    audience: "all",
  }),
  "mcpServer/startupStatus/updated": notification({
    summary: "An MCP server is starting, ready or failed.",
    stability: "stable",
    params: McpServerStatusUpdatedNotification,
    audience: "thread",
  }),
};
