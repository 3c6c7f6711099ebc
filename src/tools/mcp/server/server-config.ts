/** The parsed configuration of one MCP server, with all defaults applied. */
import type { Environment } from "../../../base/environment.ts";
import type { ConfigValues } from "../../../config/schema/config-schema.ts";
import type { ApprovalMode } from "../../../policy/decide-mcp-call.ts";

export interface StdioServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the server process that are passed to the child. */
  readonly envVars: readonly string[];
  readonly cwd: string;
  /** Whether a program that a sandboxed command could have written is started. */
  readonly workspacePrograms: "refuse" | "run";
}

export interface HttpServer {
  readonly kind: "http";
  readonly url: string;
  readonly bearerTokenEnvVar: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly envHeaders: Readonly<Record<string, string>>;
  readonly helper: HeadersHelper | null;
  readonly login: LoginSettings;
}

/** A shell command that prints headers. */
export interface HeadersHelper extends Pick<StdioServer, "cwd" | "workspacePrograms"> {
  readonly command: string;
}

/** OAuth settings; null members use the server's metadata or the global settings. */
export interface LoginSettings {
  readonly scopes: readonly string[] | null;
  readonly clientId: string | null;
  readonly callbackPort: number | null;
  readonly callbackUrl: string | null;
  /** The issuer of the tokens. */
  readonly issuer: string | null;
  /** The resource indicator for tokens. */
  readonly resource: string | null;
}

export interface McpServerConfig {
  readonly name: string;
  readonly enabled: boolean;
  /** A thread does not start without it. */
  readonly required: boolean;
  readonly transport: StdioServer | HttpServer;
  /** Why the server cannot be used; null where it can. */
  readonly unsupported: string | null;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly enabledTools: readonly string[] | null;
  readonly disabledTools: readonly string[];
  /** Calls may run concurrently, also of tools that modify something. */
  readonly parallel: boolean;
  readonly defaultApproval: ApprovalMode;
  readonly tools: ReadonlyMap<string, ToolRules>;
  readonly maxSchemaBytes: number;
}

export interface ToolRules {
  readonly approval: ApprovalMode | null;
  readonly outputTokenLimit: number | null;
}

type RawServer = ConfigValues["mcp_servers"][string];

const STARTUP_TIMEOUT_SEC = 30;
const TOOL_TIMEOUT_SEC = 300;
const MAX_SCHEMA_BYTES = 5_000;
const LOCAL_ENVIRONMENT = "local";

interface ServerDefaults extends Pick<StdioServer, "workspacePrograms"> {
  /** The working folder of servers without one. */
  readonly cwd: string;
}

/** The servers of a thread, ordered by name. */
export function readMcpServers(
  servers: ConfigValues["mcp_servers"],
  defaults: ServerDefaults,
): McpServerConfig[] {
  return Object.entries(servers)
    .map(([name, raw]) => readServer(name, raw, defaults))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readServer(name: string, raw: RawServer, defaults: ServerDefaults): McpServerConfig {
  return {
    name,
    enabled: raw.enabled,
    required: raw.required,
    transport: readTransport(raw, defaults),
    unsupported: findUnsupported(raw),
    startupTimeoutMs: (raw.startup_timeout_sec ?? STARTUP_TIMEOUT_SEC) * 1000,
    toolTimeoutMs: (raw.tool_timeout_sec ?? TOOL_TIMEOUT_SEC) * 1000,
    enabledTools: raw.enabled_tools ?? null,
    disabledTools: raw.disabled_tools ?? [],
    parallel: raw.supports_parallel_tool_calls,
    defaultApproval: raw.default_tools_approval_mode ?? "auto",
    tools: new Map(Object.entries(raw.tools).map(([tool, rules]) => [tool, readRules(rules)])),
    maxSchemaBytes: raw.tool_input_schema_max_bytes ?? MAX_SCHEMA_BYTES,
  };
}

function readRules(rules: RawServer["tools"][string]): ToolRules {
  const { approval_mode: approval, output_token_limit: limit } = rules;
  return { approval: approval ?? null, outputTokenLimit: limit ?? null };
}

function readTransport(raw: RawServer, { cwd, workspacePrograms }: ServerDefaults): StdioServer | HttpServer {
  if (typeof raw.command === "string") {
    return {
      kind: "stdio",
      command: raw.command,
      args: raw.args ?? [],
      env: raw.env ?? {},
      envVars: raw.env_vars.map((variable) => (typeof variable === "string" ? variable : variable.name)),
      cwd: raw.cwd ?? cwd,
      workspacePrograms,
    };
  }
  return {
    kind: "http",
    url: raw.url ?? "",
    bearerTokenEnvVar: raw.bearer_token_env_var ?? null,
    headers: raw.http_headers ?? {},
    envHeaders: raw.env_http_headers ?? {},
    helper:
      raw.http_headers_helper == null ? null : { command: raw.http_headers_helper, cwd, workspacePrograms },
    login: readLogin(raw),
  };
}

function readLogin({ scopes, oauth, oauth_resource: resource }: RawServer): LoginSettings {
  return {
    scopes: scopes ?? null,
    clientId: oauth?.client_id?.trim() || null,
    callbackPort: oauth?.callback_port ?? null,
    callbackUrl: oauth?.callback_url ?? null,
    issuer: oauth?.authorization_server_issuer ?? null,
    resource: resource ?? null,
  };
}

/** A server with a static token needs no login. */
export function hasOwnToken({ bearerTokenEnvVar, headers, envHeaders }: HttpServer): boolean {
  const names = [...Object.keys(headers), ...Object.keys(envHeaders)];
  return bearerTokenEnvVar !== null || names.some((name) => /^authorization$/i.test(name));
}

/** Ignoring such a setting silently would run the server in an unintended way. */
function findUnsupported(raw: RawServer): string | null {
  if (raw.environment_id !== LOCAL_ENVIRONMENT) {
    return `environment \`${raw.environment_id}\` is not supported by heddle`;
  }
  const remote = raw.env_vars.find((each) => typeof each !== "string" && each.source === "remote");
  if (remote === undefined || typeof remote === "string") return null;
  return `env_vars entry \`${remote.name}\` uses source \`remote\`, which requires remote MCP stdio`;
}

/** Threads whose servers have equal keys share one connection. */
export function connectionKey({ name, transport, startupTimeoutMs, unsupported }: McpServerConfig): string {
  return JSON.stringify([name, transport, startupTimeoutMs, unsupported]);
}

export function allowsTool({ enabledTools, disabledTools }: McpServerConfig, tool: string): boolean {
  return (enabledTools === null || enabledTools.includes(tool)) && !disabledTools.includes(tool);
}

const PASSED_ON = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "USER",
  "__CF_USER_TEXT_ENCODING",
  "LANG",
  "LC_ALL",
  "TERM",
  "TMPDIR",
  "TZ",
];

/** Company CA certificates are needed by every program that uses the network. */
const CERTIFICATES = ["CODEX_CA_CERTIFICATE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];

/** A server inherits only a minimal environment, because keys are stored there. */
export function environmentFor({ env, envVars }: StdioServer, own: Environment): Record<string, string> {
  return { ...pick([...PASSED_ON, ...CERTIFICATES, ...envVars], own), ...env };
}

/** The environment of a program without configured variables. */
export function usualEnvironment(own: Environment): Record<string, string> {
  return pick([...PASSED_ON, ...CERTIFICATES], own);
}

function pick(names: readonly string[], own: Environment): Record<string, string> {
  const passed = names.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passed);
}

/** The headers of requests to an HTTP server. Throws where the variable of its token is not set. */
export function headersFor(name: string, server: HttpServer, env: Environment): Record<string, string> {
  const fromEnv = Object.entries(server.envHeaders).flatMap(([header, variable]) => {
    const value = env[variable]?.trim() ?? "";
    return value === "" ? [] : [[header, value] as const];
  });
  const headers = { ...server.headers, ...Object.fromEntries(fromEnv) };
  if (server.bearerTokenEnvVar === null) return headers;
  const token = env[server.bearerTokenEnvVar];
  if (token === undefined || token === "") {
    const fault = token === undefined ? "is not set" : "is empty";
    throw new Error(`Environment variable ${server.bearerTokenEnvVar} for MCP server '${name}' ${fault}`);
  }
  return { ...headers, authorization: `Bearer ${token}` };
}
