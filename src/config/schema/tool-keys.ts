// Keys about tools and extensions: MCP servers, tools, apps, plugins, skills, agents.
import { isTable, type TomlTable, type TomlValue } from "../toml/toml-value.ts";
import {
  anything,
  choice,
  decimal,
  eitherOf,
  filePath,
  flag,
  integer,
  type Kind,
  later,
  listOf,
  mapOf,
  text,
} from "./kind.ts";
import { approvalsReviewer } from "./safety-keys.ts";
import { optional, required, table, whenSet, withDefault } from "./table.ts";

const approvalMode = choice(["auto", "prompt", "writes", "approve"]);
const surfaces = listOf(choice(["code_mode", "deferred", "direct"]));
const toggle = table("FeatureToggleToml", { enabled: optional(flag(), "On or off.") });

const environmentVariable = eitherOf(
  "McpServerEnvVar",
  text(),
  table("McpServerEnvVar", {
    name: required(text(), "Name of the variable."),
    source: whenSet(text(), "Where its value comes from."),
  }),
);

const unlisted = { unlisted: "unchanged" } as const;

const mcpServer = later(() =>
  table(
    "RawMcpServerConfig",
    {
      command: whenSet(text(), "Program to start; for servers on stdio."),
      args: whenSet(listOf(text()), "Arguments of that program."),
      env: whenSet(mapOf(text()), "Environment variables to set for it."),
      env_vars: withDefault(listOf(environmentVariable), [], "Environment variables to pass on.", unlisted),
      cwd: whenSet(text(), "Folder that it runs in."),
      url: whenSet(text(), "Address of a server that is reached over HTTP."),
      bearer_token: whenSet(text(), "Refused: use bearer_token_env_var."),
      bearer_token_env_var: whenSet(text(), "Environment variable with the bearer token."),
      http_headers: whenSet(mapOf(text()), "Headers to send."),
      env_http_headers: whenSet(mapOf(text()), "Headers whose values come from environment variables."),
      http_headers_helper: whenSet(text(), "Program that prints headers."),
      auth: withDefault(choice(["oauth", "chatgpt", "ema_auth"]), "oauth", "How to log in.", unlisted),
      environment_id: withDefault(text(), "local", "Environment that the server belongs to."),
      enabled: withDefault(flag(), true, "Whether the server is used."),
      required: withDefault(flag(), false, "Whether a thread fails without it.", unlisted),
      supports_parallel_tool_calls: withDefault(flag(), false, "Whether calls may overlap.", unlisted),
      omit_tools_from: whenSet(surfaces, "Where its tools are not offered."),
      startup_timeout_sec: whenSet(decimal(), "How long it may take to start."),
      startup_timeout_ms: whenSet(integer("u64"), "The same in milliseconds.", { unlisted: "always" }),
      startup_readiness: whenSet(choice(["connection", "catalog"]), "What counts as started."),
      tool_input_schema_max_bytes: whenSet(integer("usize"), "Largest schema of one tool."),
      tool_timeout_sec: optional(decimal(), "How long a call may take."),
      default_tools_approval_mode: whenSet(approvalMode, "Approval for its tools."),
      enabled_tools: whenSet(listOf(text()), "The only tools to offer."),
      disabled_tools: whenSet(listOf(text()), "Tools not to offer."),
      scopes: whenSet(listOf(text()), "OAuth scopes to ask for."),
      oauth: whenSet(
        table("McpServerOAuthConfig", {
          client_id: whenSet(text(), "Client id."),
          callback_url: whenSet(text(), "Address that the login returns to."),
          callback_port: whenSet(integer("u16"), "Port that the login returns to."),
          authorization_server_issuer: whenSet(text(), "Issuer to trust."),
        }),
        "OAuth settings.",
      ),
      oauth_resource: whenSet(text(), "OAuth resource to name."),
      name: whenSet(text(), "Without effect.", { unlisted: "always" }),
      tools: withDefault(
        mapOf(
          table("McpServerToolConfig", {
            approval_mode: whenSet(approvalMode, "Approval for this tool."),
            output_token_limit: whenSet(integer("usize"), "Maximum tokens of its output."),
          }),
        ),
        {},
        "Settings by tool.",
        unlisted,
      ),
    },
    { check: checkTransport },
  ),
);

const ONLY_HTTP = [
  "url",
  "bearer_token_env_var",
  "bearer_token",
  "http_headers",
  "env_http_headers",
  "http_headers_helper",
  "oauth",
  "oauth_resource",
];
const ONLY_STDIO = ["args", "env", "env_vars", "cwd"];

function checkTransport(server: TomlTable): string | undefined {
  const foreign = (keys: readonly string[]) => keys.find((key) => server[key] !== undefined);
  if (server["command"] !== undefined) {
    const key = foreign(ONLY_HTTP);
    return key === undefined ? checkTimeout(server) : `${key} is not supported for stdio`;
  }
  if (server["url"] === undefined) return "invalid transport";
  const key = foreign([...ONLY_STDIO, "bearer_token"]);
  return key === undefined ? checkTimeout(server) : `${key} is not supported for streamable_http`;
}

function checkTimeout(server: TomlTable): string | undefined {
  const negative = ["startup_timeout_sec", "tool_timeout_sec"].some((key) => Number(server[key] ?? 0) < 0);
  return negative ? "cannot convert float seconds to Duration: value is negative" : undefined;
}

/** Completes the defaults of a server's transport and converts milliseconds to seconds. */
const mcpServerNormal: typeof mcpServer = later(() => ({
  ...mcpServer,
  decode(value, path, reading) {
    return mcpServer.decode(isTable(value) ? withSeconds(value) : value, path, reading);
  },
}));

function withSeconds(server: TomlTable): TomlTable {
  const extra: Record<string, TomlValue> = {};
  if (server["command"] !== undefined && server["args"] === undefined) extra["args"] = [];
  const milliseconds = server["startup_timeout_ms"];
  if (typeof milliseconds === "bigint" && server["startup_timeout_sec"] === undefined) {
    extra["startup_timeout_sec"] = Number(milliseconds) / 1000;
  }
  return { ...server, ...extra };
}

const appTool = later(() =>
  table(
    "AppToolConfig",
    {
      enabled: optional(flag(), "Whether the tool is offered."),
      approval_mode: optional(approvalMode, "Approval for it."),
    },
    { lenient: true },
  ),
);

const appLink = later(() =>
  table(
    "AppLinkConfig",
    {
      approvals_reviewer: optional(approvalsReviewer, "Who is asked."),
      default_tools_approval_mode: optional(approvalMode, "Approval for its tools."),
    },
    { lenient: true },
  ),
);

const app = later(() =>
  table(
    "AppConfig",
    {
      enabled: withDefault(flag(), true, "Whether the app is used."),
      omit_tools_from: optional(surfaces, "Where its tools are not offered."),
      approvals_reviewer: optional(approvalsReviewer, "Who is asked."),
      destructive_enabled: optional(flag(), "Offer tools that destroy."),
      open_world_enabled: optional(flag(), "Offer tools that reach beyond the app."),
      default_tools_approval_mode: optional(approvalMode, "Approval for its tools."),
      default_tools_enabled: optional(flag(), "Whether its tools are offered unless named."),
      tools: optional(table("AppToolsConfig", {}, { rest: appTool }), "Settings by tool."),
      links: optional(table("AppLinksConfig", {}, { rest: appLink }), "Settings by link."),
    },
    { lenient: true },
  ),
);

const appsDefault = later(() =>
  table("AppsDefaultConfig", {
    enabled: withDefault(flag(), true, "Whether apps are used."),
    approvals_reviewer: optional(approvalsReviewer, "Who is asked."),
    destructive_enabled: withDefault(flag(), true, "Offer tools that destroy."),
    open_world_enabled: withDefault(flag(), true, "Offer tools that reach beyond the app."),
    default_tools_approval_mode: optional(approvalMode, "Approval for tools."),
  }),
);

const suggestion = later(() =>
  table("ToolSuggestDiscoverable", {
    type: required(choice(["connector", "plugin"]), "What it is."),
    id: required(text(), "Its id."),
  }),
);

const webSearch = later(() =>
  table(
    "WebSearchToolConfig",
    {
      context_size: optional(choice(["low", "medium", "high"]), "How much of the pages is used."),
      allowed_domains: optional(listOf(text()), "The only sites to search."),
      location: optional(
        table("WebSearchLocation", {
          country: optional(text(), "Country."),
          region: optional(text(), "Region."),
          city: optional(text(), "City."),
          timezone: optional(text(), "Time zone."),
        }),
        "Where the user is.",
      ),
    },
    { lenient: true },
  ),
);

/** A boolean is the legacy form; it is accepted and ignored. */
const webSearchOrFlag = eitherOf("WebSearchToolConfigInput", webSearch, flag());
const webSearchTool: Kind<unknown> = later(() => ({
  ...webSearchOrFlag,
  decode: (value, path, reading) =>
    typeof value === "boolean" ? null : webSearchOrFlag.decode(value, path, reading),
}));

const switchedTool = (name: string) =>
  table(name, { enabled: withDefault(flag(), true, "Whether the tool is offered.") });

export const toolKeys = {
  mcp_servers: withDefault(mapOf(mcpServerNormal), {}, "MCP servers by name."),
  mcp_oauth_credentials_store: withDefault(
    choice(["auto", "file", "keyring"]),
    "auto",
    "Where logins to MCP servers are stored.",
  ),
  mcp_oauth_callback_port: optional(integer("u16"), "Port for logins to MCP servers."),
  mcp_oauth_callback_url: optional(text(), "Address that such logins return to."),
  mcp_optional_startup_grace_ms: optional(
    integer("u64"),
    "How long a thread waits for servers that it can do without.",
  ),
  tools: optional(
    table("ToolsToml", {
      web_search: optional(webSearchTool, "Details of web search."),
      experimental_request_user_input: whenSet(
        switchedTool("ExperimentalRequestUserInput"),
        "The tool that asks the user.",
        { unlisted: "always" },
      ),
      update_plan: whenSet(switchedTool("UpdatePlanToolConfig"), "The plan tool.", {
        unlisted: "always",
      }),
    }),
    "Built-in tools.",
  ),
  tool_suggest: optional(
    table("ToolSuggestConfig", {
      discoverables: withDefault(listOf(suggestion), [], "What may be suggested."),
      disabled_tools: withDefault(listOf(suggestion), [], "What is not suggested."),
    }),
    "Suggestions of tools.",
  ),
  web_search: optional(choice(["disabled", "cached", "indexed", "live"]), "How web search works."),
  apps: optional(
    table(
      "AppsConfigToml",
      { _default: optional(appsDefault, "For apps that are not named.") },
      { rest: app },
    ),
    "Apps by id.",
  ),
  apps_mcp_product_sku: optional(text(), "Product that is named to app servers."),
  plugins: withDefault(
    table(
      "PluginsConfigToml",
      {},
      {
        rest: table(
          "PluginConfig",
          {
            enabled: whenSet(flag(), "Whether the plugin is used."),
            mcp_servers: withDefault(mapOf(anything()), {}, "Settings of its MCP servers.", unlisted),
          },
          { lenient: true },
        ),
      },
    ),
    {},
    "Plugins by id.",
  ),
  marketplaces: withDefault(
    mapOf(
      table("MarketplaceConfig", {
        last_updated: optional(text(), "When it was fetched."),
        last_revision: optional(text(), "What was fetched."),
        source_type: optional(choice(["git", "local"]), "What kind of source it is."),
        source: optional(text(), "Address of the source."),
        ref: optional(text(), "Branch, tag or commit."),
        sparse_paths: optional(listOf(text()), "The only folders to fetch."),
      }),
    ),
    {},
    "Marketplaces of plugins by name.",
  ),
  skills: optional(
    table("SkillsConfig", {
      bundled: whenSet(
        table("BundledSkillsConfig", { enabled: withDefault(flag(), true, "Whether they are offered.") }),
        "Skills that come with the program.",
      ),
      include_instructions: whenSet(flag(), "Tell the model about skills."),
      max_context_tokens: whenSet(
        integer("usize"),
        "Tokens that the list of skills may take, at most 10,000; 2 % of the model's context by default.",
      ),
      config: withDefault(
        listOf(
          table("SkillConfig", {
            path: whenSet(filePath(), "File of the skill."),
            name: whenSet(text(), "Name of the skill."),
            enabled: required(flag(), "Whether it is offered."),
          }),
        ),
        [],
        "Settings by skill.",
        unlisted,
      ),
    }),
    "Skills.",
  ),
  agents: optional(
    table(
      "AgentsToml",
      {
        enabled: optional(flag(), "Whether the model may start further agents."),
        max_concurrent_threads_per_session: optional(integer("usize"), "How many may run at once.", {
          aliases: ["max_threads"],
        }),
        max_depth: optional(integer("i32"), "How deep they may nest."),
        default_subagent_model: optional(text(), "Model of such agents."),
        default_subagent_reasoning_effort: optional(
          text({ notEmpty: "reasoning_effort" }),
          "How hard they think.",
        ),
        job_max_runtime_seconds: optional(integer("u64"), "Without effect."),
        interrupt_message: optional(flag(), "Tell the model when one was interrupted."),
      },
      {
        rest: table(
          "AgentRoleToml",
          {
            description: optional(text(), "What the role is for."),
            config_file: optional(filePath(), "File with the role's configuration."),
            nickname_candidates: optional(listOf(text()), "Names to choose from."),
          },
          { lenient: true },
        ),
      },
    ),
    "Agents that work for another one, and their roles.",
  ),
  goals: optional(
    table("GoalsToml", {
      max_goal_token_budget: optional(integer("a nonzero u64"), "Tokens that one goal may use."),
    }),
    "Goals.",
  ),
  orchestrator: optional(
    table("OrchestratorToml", {
      skills: optional(toggle, "Skills of the orchestrator."),
      mcp: optional(toggle, "MCP servers of the orchestrator."),
    }),
    "What an orchestrator around the server brings.",
  ),
  cloud: optional(
    table("CloudToml", { skills: optional(toggle, "Skills of the cloud.") }),
    "Cloud settings.",
  ),
  background_terminal_max_timeout: withDefault(
    integer("u64"),
    300_000,
    "Longest wait, in milliseconds, for output of a running command.",
  ),
  experimental_use_unified_exec_tool: optional(flag(), "Older name of the feature unified_exec."),
  notify: optional(listOf(text()), "Program that is run when a turn has completed."),
};
