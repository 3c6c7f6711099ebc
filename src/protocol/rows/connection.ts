// The connection and the server as a whole.

import { AccessScope } from "./device.ts";
import { free, notification, request } from "./row.ts";
import {
  absolutePath,
  anyJson,
  array,
  boolean,
  choice,
  define,
  heddle,
  map,
  nullable,
  object,
  optional,
  string,
  u32,
  u64,
} from "./shape.ts";

export const ClientInfo = define(
  "ClientInfo",
  object({ name: string(), title: nullable(string()), version: string() }),
);
export const InitializeCapabilities = define(
  "InitializeCapabilities",
  object({
    explicitGatewayOauth: optional(boolean()),
    experimentalApi: optional(boolean()),
    requestAttestation: optional(boolean()),
    mcpServerOpenaiFormElicitation: optional(boolean()),
    optOutNotificationMethods: nullable(array(string())),
    extensions: nullable(map(anyJson())),
    resumableEvents: heddle(
      "Durable notifications of threads carry `seq`, the position from which the client can continue after a reconnect.",
      optional(boolean()),
    ),
    threadSummaries: heddle(
      "The client receives `thread/summary/changed` of all threads.",
      optional(boolean()),
    ),
    legacyApprovals: heddle(
      "Ask for approvals with the requests and events of the first generation of the protocol.",
      optional(boolean()),
    ),
  }),
);
export const InitializeParams = define(
  "InitializeParams",
  object({ clientInfo: ClientInfo, capabilities: nullable(InitializeCapabilities) }),
);
export const InitializeResponse = define(
  "InitializeResponse",
  object({
    userAgent: string(),
    codexHome: absolutePath(),
    platformFamily: string(),
    platformOs: string(),
    access: heddle(
      "What the token of the connection allows. Absent without a token, and for clients without the experimental capability: everything is allowed then.",
      optional(object({ subject: nullable(string()), scopes: array(AccessScope) })),
    ),
  }),
);
export const ServerDiagnosticsParams = define("ServerDiagnosticsParams", object({}));
export const ServerDiagnosticsProcess = define(
  "ServerDiagnosticsProcess",
  object({ id: u32(), residentMemoryBytes: nullable(u64()), physicalFootprintBytes: nullable(u64()) }),
);
export const ServerDiagnosticsGauge = define(
  "ServerDiagnosticsGauge",
  object({ name: string(), value: u64() }),
);
export const ServerDiagnosticsResponse = define(
  "ServerDiagnosticsResponse",
  object({ process: ServerDiagnosticsProcess, gauges: array(ServerDiagnosticsGauge) }),
);
export const RemoteControlConnectionStatus = define(
  "RemoteControlConnectionStatus",
  choice("disabled", "connecting", "connected", "errored"),
);
export const RemoteControlStatusChangedNotification = define(
  "RemoteControlStatusChangedNotification",
  object({
    status: RemoteControlConnectionStatus,
    serverName: string(),
    installationId: string(),
    environmentId: nullable(string()),
  }),
);
export const WarningNotification = define(
  "WarningNotification",
  object({ threadId: nullable(string()), message: string() }),
);
export const DeprecationNoticeNotification = define(
  "DeprecationNoticeNotification",
  object({ summary: string(), details: nullable(string()) }),
);

export const connectionRequests = {
  initialize: request({
    summary: "Initializes a connection with the client's name, capabilities and excluded notifications.",
    stability: "stable",
    scope: "read",
    params: InitializeParams,
    result: InitializeResponse,
    order: free,
  }),
  "server/diagnostics": request({
    summary: "Reads the resource usage of the server process.",
    stability: "experimental",
    scope: "read",
    params: ServerDiagnosticsParams,
    result: ServerDiagnosticsResponse,
    order: free,
    idempotent: true,
  }),
};

export const connectionNotifications = {
  "remoteControl/status/changed": notification({
    summary: "The status of remote control changed.",
    stability: "stable",
    params: RemoteControlStatusChangedNotification,
    audience: "all",
  }),
  warning: notification({
    summary: "A warning for the user, about a thread or about the server.",
    stability: "stable",
    params: WarningNotification,
    audience: "thread",
  }),
  deprecationNotice: notification({
    summary: "The client used a deprecated feature.",
    stability: "stable",
    params: DeprecationNoticeNotification,
    audience: "connection",
  }),
};
