// Keys about permissions: which actions need approval, which reviewer decides, and which projects are
// trusted.
import { isTable, type TomlTable } from "../toml/toml-value.ts";
import {
  anything,
  choice,
  eitherOf,
  fail,
  filePath,
  flag,
  integer,
  later,
  listOf,
  mapOf,
  text,
} from "./kind.ts";
import { optional, required, table, variantOf, withDefault } from "./table.ts";

const granular = later(() =>
  table("GranularApprovalConfig", {
    sandbox_approval: required(flag(), "Ask when a command needs to leave the sandbox."),
    rules: required(flag(), "Ask when a rule requires it."),
    skill_approval: withDefault(flag(), false, "Ask before a skill runs a script."),
    request_permissions: withDefault(flag(), false, "Pass on requests for more permissions."),
    mcp_elicitations: required(flag(), "Pass on questions of MCP servers."),
  }),
);

export const approvalPolicy = variantOf(
  choice(["untrusted", "on-request", "never"], {
    aliases: { "on-failure": "on-request" },
    listed: ["untrusted", "on-failure", "on-request", "granular", "never"],
  }),
  { granular },
);

export const approvalsReviewer = choice(["user", "auto_review"], {
  aliases: { guardian_subagent: "auto_review" },
});

export const sandboxMode = choice(["read-only", "workspace-write", "danger-full-access"]);

export const allowDeny = choice(["allow", "deny"]);

const originPolicy = later(() =>
  table("BrowserUseOriginPolicyConfigToml", {
    access: optional(allowDeny, "Visit pages."),
    downloads: optional(allowDeny, "Download files."),
    uploads: optional(allowDeny, "Upload files."),
    full_cdp_access: optional(allowDeny, "Use the whole devtools protocol."),
  }),
);

const executable = later(() =>
  table("ComputerUseWindowsExeConfigToml", {
    publisher_name: required(text(), "Publisher of the program."),
    product_name: required(text(), "Product that it belongs to."),
    binary_name: optional(text(), "File name of the program."),
    access: required(allowDeny, "Whether it may be used."),
  }),
);

const network = later(() =>
  table(
    "NetworkToml",
    {
      enabled: optional(flag(), "Whether there is any network."),
      proxy_url: optional(text(), "Address of the filtering proxy."),
      enable_socks5: optional(flag(), "Offer SOCKS5."),
      socks_url: optional(text(), "Address of the SOCKS5 proxy."),
      enable_socks5_udp: optional(flag(), "Offer UDP over SOCKS5."),
      allow_upstream_proxy: optional(flag(), "Use the proxy of the environment."),
      dangerously_allow_non_loopback_proxy: optional(flag(), "Let the proxy listen beyond loopback."),
      dangerously_allow_all_unix_sockets: optional(flag(), "Allow every unix socket."),
      mode: optional(choice(["limited", "full"]), "Which requests pass."),
      domains: optional(mapOf(allowDeny), "Hosts that are allowed or denied."),
      unix_sockets: optional(mapOf(text()), "Sockets that are allowed or denied."),
      allow_local_binding: optional(flag(), "Let commands listen on local ports."),
      mitm: optional(anything(), "Inspection of TLS traffic."),
    },
    { lenient: true },
  ),
);

const permissionProfile = later(() =>
  table(
    "PermissionProfileToml",
    {
      description: optional(text(), "What the profile is for."),
      extends: optional(text(), "Profile that this one builds on."),
      workspace_roots: optional(mapOf(anything(), "struct WorkspaceRootsToml"), "Further workspace folders."),
      filesystem: optional(mapOf(anything(), "struct FilesystemPermissionsToml"), "Access by path."),
      network: optional(network, "Access to the network."),
    },
    { lenient: true },
  ),
);

const environmentPolicy = later(() =>
  table(
    "ShellEnvironmentPolicyTomlRaw",
    {
      inherit: optional(choice(["core", "all", "none"]), "What commands inherit from the server."),
      ignore_default_excludes: optional(flag(), "Also pass variables that look like secrets."),
      exclude: optional(listOf(text()), "Patterns of variables to drop."),
      set: optional(mapOf(text()), "Variables to set."),
      include_only: optional(listOf(text()), "Patterns of the only variables to keep."),
      filters: optional(
        mapOf(choice(["include", "exclude"])),
        "Patterns to keep or drop; instead of the two lists.",
      ),
      experimental_use_profile: optional(flag(), "Run the login profile first."),
    },
    { check: checkFilters },
  ),
);

function checkFilters(policy: TomlTable): string | undefined {
  const { filters, exclude, include_only: includeOnly } = policy;
  if (!isTable(filters)) return undefined;
  if (exclude !== undefined || includeOnly !== undefined) {
    return "cannot mix `filters` with legacy `exclude` or `include_only`";
  }
  const seen = new Set<string>();
  for (const pattern of Object.keys(filters).map((key) => key.toLowerCase())) {
    if (seen.has(pattern)) return `duplicate shell environment filter \`${pattern}\` ignoring case`;
    seen.add(pattern);
  }
  return undefined;
}

const oneOrMoreIds = eitherOf("Repr", text(), listOf(text()));

const workspaceIds: typeof oneOrMoreIds = {
  ...oneOrMoreIds,
  decode(value, path, reading) {
    if (typeof value !== "string" || !value.includes(",")) return oneOrMoreIds.decode(value, path, reading);
    return fail(
      reading,
      path,
      "forced_chatgpt_workspace_id must be a single workspace ID string or a TOML list of strings; " +
        "comma-separated strings are not supported. Use `forced_chatgpt_workspace_id = " +
        '["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"]` instead.',
    );
  },
};

const workspaceWrite = table("SandboxWorkspaceWrite", {
  writable_roots: withDefault(listOf(filePath()), [], "Folders besides the workspace that may be written."),
  network_access: withDefault(flag(), false, "Whether commands reach the network."),
  exclude_tmpdir_env_var: withDefault(flag(), false, "Keep $TMPDIR read-only."),
  exclude_slash_tmp: withDefault(flag(), false, "Keep /tmp read-only."),
});

const emptyEnvironmentPolicy = {
  inherit: null,
  ignore_default_excludes: null,
  exclude: null,
  set: null,
  include_only: null,
  filters: null,
  experimental_use_profile: null,
};

export const safetyKeys = {
  approval_policy: optional(approvalPolicy, "When a person is asked."),
  approvals_reviewer: optional(approvalsReviewer, "Who is asked."),
  auto_review: optional(
    table("AutoReviewToml", {
      timeout_ms: optional(integer("u32"), "How long a review may take."),
      circuit_break_action: optional(
        choice(["default", "strict"]),
        "What happens when reviews keep failing.",
      ),
      policy: optional(text(), "Policy that replaces the built-in one."),
      extra_policy: optional(text(), "Policy added to the built-in one."),
      experimental_policy_template: optional(text(), "Template that policies are put into."),
      experimental_conversation_history_prompt: optional(text(), "How the history is introduced."),
      conversation_history_max_output_tokens: optional(
        integer("a nonzero usize"),
        "Tokens of history shown.",
      ),
    }),
    "The automatic reviewer of approvals.",
  ),
  sandbox_mode: optional(sandboxMode, "The sandbox of commands."),
  sandbox_workspace_write: optional(workspaceWrite, "Details of the mode workspace-write."),
  default_permissions: optional(
    text(),
    "Permission profile of new threads; built-in ones start with a colon.",
  ),
  permissions: optional(
    table("PermissionsToml", {}, { rest: permissionProfile }),
    "Permission profiles by name.",
  ),
  projects: optional(
    mapOf(
      table("ProjectConfig", {
        trust_level: optional(
          choice(["trusted", "untrusted"]),
          "Whether the folder's own config and hooks load.",
        ),
      }),
    ),
    "Trust by folder.",
  ),
  allow_login_shell: withDefault(flag(), true, "Whether the model may ask for a login shell."),
  shell_environment_policy: withDefault(
    environmentPolicy,
    emptyEnvironmentPolicy,
    "Environment of commands.",
  ),
  forced_login_method: optional(choice(["chatgpt", "api"]), "The only way to log in."),
  forced_chatgpt_workspace_id: optional(workspaceIds, "The only ChatGPT workspaces that may be used."),
  cli_auth_credentials_store: withDefault(
    choice(["file", "keyring", "auto", "ephemeral"]),
    "file",
    "Where credentials are stored.",
  ),
  windows: optional(
    table("WindowsToml", {
      sandbox: optional(choice(["elevated", "unelevated", "mxc"]), "Which sandbox Windows uses."),
      allow_mxc: optional(flag(), "Whether the mxc sandbox may be chosen."),
    }),
    "Settings for Windows.",
  ),
  browser_use: optional(
    table("BrowserUseConfigToml", {
      allow_history_access: optional(flag(), "Read the browser's history."),
      default_origin_policy: optional(originPolicy, "For sites that are not listed."),
      origins: optional(mapOf(originPolicy), "By site."),
    }),
    "What may be done in a browser.",
  ),
  computer_use: optional(
    table("ComputerUseConfigToml", {
      default_app_access: optional(allowDeny, "For programs that are not listed."),
      macos: optional(
        table("ComputerUseMacosConfigToml", {
          bundle_ids: optional(mapOf(allowDeny), "By bundle id."),
        }),
        "On macOS.",
      ),
      windows: optional(
        table("ComputerUseWindowsConfigToml", {
          aumids: optional(mapOf(allowDeny), "By application id."),
          exes: optional(listOf(executable), "By program."),
        }),
        "On Windows.",
      ),
    }),
    "Which programs may be driven.",
  ),
  allow_symlinked_codex_home: optional(flag(), "Accept a home folder that is a symbolic link."),
  mcp_enterprise_managed_auth: optional(
    mapOf(anything(), "struct McpEnterpriseManagedAuthConfig"),
    "Identity provider for MCP servers of an organisation.",
  ),
  ghost_snapshot: optional(
    table("GhostSnapshotToml", {
      ignore_large_untracked_files: optional(integer("i64"), "Without effect.", {
        aliases: ["ignore_untracked_files_over_bytes"],
      }),
      ignore_large_untracked_dirs: optional(integer("i64"), "Without effect.", {
        aliases: ["large_untracked_dir_warning_threshold"],
      }),
      disable_warnings: optional(flag(), "Without effect."),
    }),
    "Kept for old files; without effect.",
  ),
};
