// The effective configuration as a client sees it; member names are those of the file.

import { ReasoningEffort, ReasoningSummary } from "./mode.ts";
import { ApprovalsReviewer, AskForApproval, SandboxMode } from "./policy.ts";
import {
  anyJson,
  anyOf,
  array,
  boolean,
  choice,
  define,
  experimental,
  i64,
  map,
  nullable,
  object,
  openObject,
  string,
} from "./shape.ts";

export const AllowDenyRequirement = define("AllowDenyRequirement", choice("allow", "deny"));
export const AnalyticsConfig = define(
  "AnalyticsConfig",
  openObject({ enabled: nullable(boolean()) }, anyJson()),
);
export const AppToolApproval = define("AppToolApproval", choice("auto", "prompt", "writes", "approve"));
export const AppLinksConfig = define(
  "AppLinksConfig",
  map(
    object({
      approvals_reviewer: nullable(ApprovalsReviewer),
      default_tools_approval_mode: nullable(AppToolApproval),
    }),
  ),
);
export const AppToolsConfig = define(
  "AppToolsConfig",
  map(object({ enabled: nullable(boolean()), approval_mode: nullable(AppToolApproval) })),
);
export const AppsDefaultConfig = define(
  "AppsDefaultConfig",
  object({
    enabled: boolean(),
    approvals_reviewer: nullable(ApprovalsReviewer),
    destructive_enabled: boolean(),
    open_world_enabled: boolean(),
    default_tools_approval_mode: nullable(AppToolApproval),
  }),
);
export const ToolExposureSurface = define("ToolExposureSurface", choice("code_mode", "deferred", "direct"));
export const AppsConfig = define(
  "AppsConfig",
  openObject(
    { _default: nullable(AppsDefaultConfig) },
    object({
      enabled: boolean(),
      omit_tools_from: nullable(array(ToolExposureSurface)),
      approvals_reviewer: nullable(ApprovalsReviewer),
      destructive_enabled: nullable(boolean()),
      open_world_enabled: nullable(boolean()),
      default_tools_approval_mode: nullable(AppToolApproval),
      default_tools_enabled: nullable(boolean()),
      tools: nullable(AppToolsConfig),
      links: nullable(AppLinksConfig),
    }),
  ),
);
export const AutoCompactTokenLimitScope = define(
  "AutoCompactTokenLimitScope",
  choice("total", "body_after_prefix"),
);
export const BrowserUseOriginPolicyConfig = define(
  "BrowserUseOriginPolicyConfig",
  object({
    access: nullable(AllowDenyRequirement),
    downloads: nullable(AllowDenyRequirement),
    uploads: nullable(AllowDenyRequirement),
    full_cdp_access: nullable(AllowDenyRequirement),
  }),
);
export const BrowserUseConfig = define(
  "BrowserUseConfig",
  object({
    allow_history_access: nullable(boolean()),
    default_origin_policy: nullable(BrowserUseOriginPolicyConfig),
    origins: nullable(map(BrowserUseOriginPolicyConfig)),
  }),
);
export const ComputerUseMacosConfig = define(
  "ComputerUseMacosConfig",
  object({ bundle_ids: nullable(map(AllowDenyRequirement)) }),
);
export const ComputerUseWindowsExeConfig = define(
  "ComputerUseWindowsExeConfig",
  object({
    publisher_name: string(),
    product_name: string(),
    binary_name: nullable(string()),
    access: AllowDenyRequirement,
  }),
);
export const ComputerUseWindowsConfig = define(
  "ComputerUseWindowsConfig",
  object({ aumids: nullable(map(AllowDenyRequirement)), exes: nullable(array(ComputerUseWindowsExeConfig)) }),
);
export const ComputerUseConfig = define(
  "ComputerUseConfig",
  object({
    default_app_access: nullable(AllowDenyRequirement),
    macos: nullable(ComputerUseMacosConfig),
    windows: nullable(ComputerUseWindowsConfig),
  }),
);
export const SandboxWorkspaceWrite = define(
  "SandboxWorkspaceWrite",
  object({
    writable_roots: array(string()),
    network_access: boolean(),
    exclude_tmpdir_env_var: boolean(),
    exclude_slash_tmp: boolean(),
  }),
);
export const ForcedChatgptWorkspaceIds = define(
  "ForcedChatgptWorkspaceIds",
  anyOf(string(), array(string())),
);
export const ForcedLoginMethod = define("ForcedLoginMethod", choice("chatgpt", "api"));
export const WebSearchMode = define("WebSearchMode", choice("disabled", "cached", "indexed", "live"));
export const WebSearchContextSize = define("WebSearchContextSize", choice("low", "medium", "high"));
export const WebSearchLocation = define(
  "WebSearchLocation",
  object({
    country: nullable(string()),
    region: nullable(string()),
    city: nullable(string()),
    timezone: nullable(string()),
  }),
);
export const WebSearchToolConfig = define(
  "WebSearchToolConfig",
  object({
    context_size: nullable(WebSearchContextSize),
    allowed_domains: nullable(array(string())),
    location: nullable(WebSearchLocation),
  }),
);
export const ToolsV2 = define("ToolsV2", object({ web_search: nullable(WebSearchToolConfig) }));
export const Verbosity = define("Verbosity", choice("low", "medium", "high"));
export const Config = define(
  "Config",
  openObject(
    {
      model: nullable(string()),
      review_model: nullable(string()),
      model_context_window: nullable(i64()),
      model_auto_compact_token_limit: nullable(i64()),
      model_auto_compact_token_limit_scope: nullable(AutoCompactTokenLimitScope),
      model_provider: nullable(string()),
      approval_policy: nullable(AskForApproval),
      approvals_reviewer: nullable(ApprovalsReviewer),
      sandbox_mode: nullable(SandboxMode),
      sandbox_workspace_write: nullable(SandboxWorkspaceWrite),
      forced_chatgpt_workspace_id: nullable(ForcedChatgptWorkspaceIds),
      forced_login_method: nullable(ForcedLoginMethod),
      web_search: nullable(WebSearchMode),
      tools: nullable(ToolsV2),
      instructions: nullable(string()),
      developer_instructions: nullable(string()),
      compact_prompt: nullable(string()),
      model_reasoning_effort: nullable(ReasoningEffort),
      model_reasoning_summary: nullable(ReasoningSummary),
      model_verbosity: nullable(Verbosity),
      service_tier: nullable(string()),
      analytics: nullable(AnalyticsConfig),
      apps: experimental("config/read.apps", nullable(AppsConfig)),
      browser_use: nullable(BrowserUseConfig),
      computer_use: nullable(ComputerUseConfig),
      desktop: nullable(map(anyJson())),
    },
    anyJson(),
  ),
);
