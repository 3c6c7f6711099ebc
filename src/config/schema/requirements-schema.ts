// The keys of requirements.toml, with which an administrator restricts what users may configure.

import { anything, choice, filePath, flag, integer, listOf, mapOf, text } from "./kind.ts";
import { requiredHookEvents } from "./lifecycle-keys.ts";
import { otel } from "./otel-keys.ts";
import { allowDeny, approvalPolicy, approvalsReviewer } from "./safety-keys.ts";
import { optional, required, table, withDefault } from "./table.ts";

const originPolicy = table("BrowserUseOriginPolicyToml", {
  access: optional(allowDeny, "Visit pages."),
  downloads: optional(allowDeny, "Download files."),
  uploads: optional(allowDeny, "Upload files."),
  full_cdp_access: optional(allowDeny, "Use the whole devtools protocol."),
  auto_review: optional(allowDeny, "Let the automatic reviewer decide."),
  persistent_approval: optional(flag(), "Remember approvals."),
  access_approval_lifetime: optional(choice(["turn", "thread"]), "How long an approval lasts."),
});

const browserUse = table("BrowserUseRequirementsToml", {
  extension: optional(
    table("BrowserUseExtensionRequirementsToml", {
      request_headers: optional(listOf(anything()), "Headers that the extension sends."),
    }),
    "The browser extension.",
  ),
  allow_webmcp: optional(flag(), "Use tools that pages offer."),
  allow_history_access: optional(flag(), "Read the browser's history."),
  disable_auto_review: optional(flag(), "Always ask a person."),
  allow_global_persistent_approval: optional(flag(), "Remember approvals for every site."),
  default_origin_policy: optional(originPolicy, "For sites that are not listed."),
  origins: optional(mapOf(originPolicy), "By site."),
});

const computerUse = table("ComputerUseRequirementsToml", {
  allow_locked_computer_use: optional(flag(), "Work while the screen is locked."),
  allow_persistent_approval: optional(flag(), "Remember approvals."),
  default_app_access: optional(allowDeny, "For programs that are not listed."),
  macos: optional(
    table("ComputerUseMacosRequirementsToml", { bundle_ids: optional(mapOf(allowDeny), "By bundle id.") }),
    "On macOS.",
  ),
  windows: optional(
    table("ComputerUseWindowsRequirementsToml", {
      aumids: optional(mapOf(allowDeny), "By application id."),
      exes: optional(
        listOf(
          table("ComputerUseWindowsExeRequirementToml", {
            publisher_name: required(text(), "Publisher of the program."),
            product_name: required(text(), "Product that it belongs to."),
            binary_name: optional(text(), "File name of the program."),
            access: required(allowDeny, "Whether it may be used."),
          }),
        ),
        "By program.",
      ),
    }),
    "On Windows.",
  ),
});

const network = table("NetworkRequirementsToml", {
  enabled: optional(flag(), "Whether there is any network."),
  http_port: optional(integer("u16"), "Port of the HTTP proxy."),
  socks_port: optional(integer("u16"), "Port of the SOCKS proxy."),
  allow_upstream_proxy: optional(flag(), "Use the proxy of the environment."),
  dangerously_allow_non_loopback_proxy: optional(flag(), "Let the proxy listen beyond loopback."),
  dangerously_allow_all_unix_sockets: optional(flag(), "Allow every unix socket."),
  domains: optional(mapOf(allowDeny), "Hosts that are allowed or denied."),
  review_domains: optional(listOf(text()), "Hosts that are reviewed."),
  managed_allowed_domains_only: optional(flag(), "Allow no other hosts."),
  unix_sockets: optional(mapOf(choice(["allow", "deny", "none"])), "Sockets that are allowed or denied."),
  allow_local_binding: optional(flag(), "Let commands listen on local ports."),
});

const application = table("ApplicationRequirementsToml", {
  network: optional(
    table("ApplicationNetworkRequirementsToml", {
      enabled: withDefault(flag(), false, "Whether the rules apply."),
      domains: withDefault(mapOf(allowDeny), {}, "Hosts that are allowed or denied."),
    }),
    "The network of apps.",
  ),
  storage: optional(
    table("ApplicationStorageRequirementsToml", {
      default_project_parent: optional(text(), "Where new projects go."),
      projectless_workspace_root: optional(text(), "The folder for work without a project."),
    }),
    "Where apps keep files.",
  ),
});

export const requirementsSchema = table("ConfigRequirementsToml", {
  model_provider: optional(text(), "The only provider."),
  model_providers: optional(mapOf(anything()), "Definitions of providers."),
  allowed_login_methods: optional(listOf(choice(["chatgpt", "api"])), "Ways to log in."),
  allowed_chatgpt_workspaces: optional(listOf(text()), "ChatGPT workspaces."),
  unsafe_enforce_sqlite_journal_mode: optional(anything(), "Journal mode of the peer's databases."),
  cli_auth_credentials_store: optional(
    choice(["file", "keyring", "auto", "ephemeral"]),
    "Where credentials are stored.",
  ),
  chatgpt_base_url: optional(text(), "Where ChatGPT's own API lives."),
  additional_developer_instructions: optional(text(), "Instructions that every thread gets."),
  allowed_approval_policies: optional(listOf(approvalPolicy), "Approval policies."),
  allowed_approvals_reviewers: optional(listOf(approvalsReviewer), "Reviewers."),
  allowed_sandbox_modes: optional(
    listOf(choice(["read-only", "workspace-write", "danger-full-access", "external-sandbox"])),
    "Sandbox modes.",
  ),
  allowed_permission_profiles: optional(mapOf(flag()), "Permission profiles."),
  default_permissions: optional(text(), "Permission profile of new threads."),
  remote_sandbox_config: optional(anything(), "Sandbox of remote machines."),
  allowed_web_search_modes: optional(
    listOf(choice(["disabled", "cached", "indexed", "live"])),
    "Ways to search the web; off is always one.",
  ),
  allow_managed_hooks_only: optional(flag(), "Run no hooks but those given here."),
  allow_browser_and_computer_use: optional(flag(), "Drive browsers and programs."),
  allow_appshots: optional(flag(), "Take pictures of apps."),
  allow_remote_control: optional(flag(), "Be controlled from elsewhere."),
  computer_use: optional(computerUse, "Driving programs."),
  browser_use: optional(browserUse, "Driving browsers."),
  in_app_browser: optional(
    table("InAppBrowserRequirementsToml", {
      allow_external_browser_settings_import: optional(flag(), "Import settings of another browser."),
    }),
    "The built-in browser.",
  ),
  windows: optional(
    table("WindowsRequirementsToml", {
      allowed_sandbox_implementations: optional(
        listOf(choice(["elevated", "unelevated", "mxc"])),
        "Sandboxes.",
      ),
      allow_mxc: optional(flag(), "The mxc sandbox."),
      require_mxc: optional(flag(), "Only the mxc sandbox."),
    }),
    "Windows.",
  ),
  features: optional(mapOf(flag()), "Feature flags that are fixed.", { aliases: ["feature_requirements"] }),
  hooks: optional(
    table(
      "ManagedHooksRequirementsToml",
      {
        ...requiredHookEvents,
        managed_dir: optional(text(), "Folder with the programs of these hooks."),
        windows_managed_dir: optional(text(), "The same on Windows."),
      },
      { lenient: true },
    ),
    "Hooks that always run.",
  ),
  mcp_servers: optional(mapOf(anything()), "MCP servers that may be used."),
  plugins: optional(mapOf(anything()), "Plugins that may be used."),
  marketplaces: optional(anything(), "Marketplaces that may be used."),
  apps: optional(anything(), "Apps that may be used."),
  rules: optional(anything(), "Rules for commands."),
  enforce_residency: optional(choice(["us"]), "Where data must stay."),
  experimental_network: optional(network, "The network of commands."),
  network_proxy: optional(anything(), "The filtering proxy."),
  application: optional(application, "Apps around the server."),
  permissions: optional(anything(), "What no permission profile may give."),
  auto_review: optional(
    table("AutoReviewRequirementsToml", {
      required_on_models: optional(listOf(text()), "Models that need it."),
      ignore_rules: optional(listOf(text()), "Models for which rules do not count."),
    }),
    "The automatic reviewer.",
  ),
  models: optional(
    table("ModelsRequirementsToml", {
      new_thread: optional(
        table("NewThreadModelDefaultsToml", {
          model: optional(text(), "Model."),
          model_reasoning_effort: optional(text({ notEmpty: "reasoning_effort" }), "How hard it thinks."),
          service_tier: optional(text(), "Service tier."),
        }),
        "What new threads start with.",
      ),
    }),
    "Models.",
  ),
  guardian_policy_config: optional(text(), "Policy of the automatic reviewer."),
  guardian_extra_policy: optional(text(), "Added to that policy."),
  sqlite_home: optional(filePath(), "Folder of the peer's databases."),
  log_dir: optional(filePath(), "Folder of log files."),
  model_catalog_json: optional(filePath(), "File with a model catalog."),
  check_for_update_on_startup: optional(flag(), "Look for updates."),
  allow_login_shell: optional(flag(), "Login shells."),
  feedback: optional(table("FeedbackConfigToml", { enabled: optional(flag(), "On or off.") }), "Feedback."),
  otel: optional(otel, "OpenTelemetry."),
});
