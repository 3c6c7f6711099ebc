/** config/read: the effective configuration, where each value comes from, and the layers it is made of. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, STDIO } from "../steps.ts";

const USER = { type: "user", file: "{{home}}/config.toml", profile: null };
const TRUSTED = '[projects."{{workspace}}"]\ntrust_level = "trusted"\n';
const PROJECT = { type: "project", dotCodexFolder: "{{workspace}}/.codex" };

type Reading = Partial<Omit<Scenario, "config">> & {
  readonly config: string;
  readonly params?: unknown;
  readonly expect?: unknown;
};

/** A scenario that reads one configuration and says what of it must show. */
function reads(name: string, about: string, reading: Reading): Scenario {
  const { config, params = { includeLayers: true }, expect = {}, ...more } = reading;
  return {
    name: `config-read/${name}`,
    about,
    transports: STDIO,
    config: { whole: config },
    steps: [initialize(), call("config/read", params, { expect: { result: expect } })],
    ...more,
  };
}

export const configReadScenarios: readonly Scenario[] = [
  reads(
    "user-layer",
    "The user's values are effective, each with its file as origin; the layers are the user's and the machine's.",
    {
      config: 'model = "gpt-user"\nsandbox_mode = "workspace-write"\n',
      expect: {
        config: { model: "gpt-user", sandbox_mode: "workspace-write" },
        origins: { model: { name: USER }, sandbox_mode: { name: USER } },
        layers: [{ name: USER }, { name: { type: "system" } }],
      },
    },
  ),
  reads("no-config", "Without any configuration the defaults show.", { config: "", expect: { origins: {} } }),
  reads("without-layers", "The layers are left out unless they are asked for.", {
    config: 'model = "gpt-user"\n',
    steps: [
      initialize(),
      call(
        "config/read",
        { includeLayers: false },
        { as: "refused", expect: { result: { layers: { $absent: true } } } },
      ),
      call("config/read", {}, { as: "not named", expect: { result: { layers: { $absent: true } } } }),
    ],
  }),
  reads("tools", "The web search tool's settings show, and each member of a list has an origin.", {
    config: `model = "gpt-user"

[tools.web_search]
context_size = "low"
allowed_domains = ["example.com"]
`,
    expect: {
      config: {
        tools: { web_search: { context_size: "low", allowed_domains: ["example.com"], location: null } },
      },
      origins: {
        "tools.web_search.context_size": { name: USER },
        "tools.web_search.allowed_domains.0": { name: USER },
      },
    },
  }),
  reads("nested-web-search", "A web search location may be partial.", {
    config: `web_search = "live"

[tools.web_search]
context_size = "high"
allowed_domains = ["example.com"]
location = { country = "US", city = "New York", timezone = "America/New_York" }
`,
    expect: {
      config: {
        web_search: "live",
        tools: {
          web_search: {
            context_size: "high",
            location: { country: "US", region: null, city: "New York", timezone: "America/New_York" },
          },
        },
      },
    },
  }),
  reads("web-search-switch", "The older form of the web search setting, a switch, shows as nothing.", {
    config: "[tools]\nweb_search = true\n",
    expect: { config: { tools: { web_search: null } } },
  }),
  reads("one-forced-workspace", "A forced workspace may be one id.", {
    config: 'forced_chatgpt_workspace_id = "123e4567-e89b-42d3-a456-426614174000"\n',
    expect: { config: { forced_chatgpt_workspace_id: "123e4567-e89b-42d3-a456-426614174000" } },
  }),
  reads("several-forced-workspaces", "A forced workspace may be a list of ids.", {
    config:
      'forced_chatgpt_workspace_id = ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"]\n',
    expect: {
      config: {
        forced_chatgpt_workspace_id: [
          "123e4567-e89b-42d3-a456-426614174000",
          "123e4567-e89b-42d3-a456-426614174001",
        ],
      },
    },
  }),
  reads("apps", "Settings of apps show with their defaults filled in.", {
    config: `[apps._default]
approvals_reviewer = "auto_review"
default_tools_approval_mode = "writes"

[apps.app1]
enabled = false
approvals_reviewer = "user"
destructive_enabled = false
default_tools_approval_mode = "prompt"
`,
    expect: {
      config: {
        apps: {
          _default: {
            enabled: true,
            approvals_reviewer: "auto_review",
            destructive_enabled: true,
            open_world_enabled: true,
            default_tools_approval_mode: "writes",
          },
          app1: {
            enabled: false,
            approvals_reviewer: "user",
            destructive_enabled: false,
            open_world_enabled: null,
          },
        },
      },
      origins: {
        "apps._default.approvals_reviewer": { name: USER },
        "apps._default.default_tools_approval_mode": { name: USER },
        "apps.app1.enabled": { name: USER },
        "apps.app1.approvals_reviewer": { name: USER },
        "apps.app1.destructive_enabled": { name: USER },
        "apps.app1.default_tools_approval_mode": { name: USER },
      },
    },
  }),
  reads("desktop", "Desktop settings are kept as they are written.", {
    config: `[desktop]
appearanceTheme = "dark"
selected-avatar-id = "codex"

[desktop.workspace]
collapsed = true
width = 320
`,
    expect: {
      config: {
        desktop: {
          appearanceTheme: "dark",
          "selected-avatar-id": "codex",
          workspace: { collapsed: true, width: 320 },
        },
      },
    },
  }),
  reads(
    "project-layer",
    "For a folder of a trusted project the project's file is a layer above the user's.",
    {
      config: `model = "gpt-user"\n${TRUSTED}`,
      expect: {
        config: { model: "gpt-user", model_reasoning_effort: "high" },
        origins: { model_reasoning_effort: { name: PROJECT } },
      },
      files: { "workspace/.codex/config.toml": 'model_reasoning_effort = "high"\n' },
      params: { includeLayers: true, cwd: "{{workspace}}" },
    },
  ),
  reads(
    "untrusted-project-layer",
    "The file of a project that is not trusted is listed with the reason why it does not apply.",
    {
      config: 'model = "gpt-user"\n',
      expect: { config: { model_reasoning_effort: null } },
      files: { "workspace/.codex/config.toml": 'model_reasoning_effort = "high"\n' },
      params: { includeLayers: true, cwd: "{{workspace}}" },
    },
  ),
  reads(
    "nested-project-layers",
    "Between the project's root and the folder asked for every file is a layer, the nearest on top.",
    {
      config: `model = "gpt-user"\n${TRUSTED}`,
      expect: { config: { model_reasoning_effort: "low", model_verbosity: "high" } },
      files: {
        "workspace/.git/HEAD": "ref: refs/heads/main\n",
        "workspace/.codex/config.toml": 'model_reasoning_effort = "high"\nmodel_verbosity = "high"\n',
        "workspace/child/.codex/config.toml": 'model_reasoning_effort = "low"\n',
      },
      params: { includeLayers: true, cwd: "{{workspace}}/child" },
    },
  ),
  reads("relative-cwd", "A relative folder is taken from where the server runs.", {
    config: `model = "gpt-user"\n${TRUSTED}`,
    expect: { config: { model_reasoning_effort: "high" } },
    files: { "workspace/.codex/config.toml": 'model_reasoning_effort = "high"\n' },
    params: { includeLayers: false, cwd: "." },
  }),
  reads(
    "browser-and-computer-use",
    "Browser and computer use settings of user and project are merged member by member.",
    {
      config: `[browser_use]
allow_history_access = true

[browser_use.default_origin_policy]
access = "deny"
downloads = "allow"

[browser_use.origins."https://example.com"]
downloads = "deny"
uploads = "allow"

[computer_use]
default_app_access = "deny"

[computer_use.macos.bundle_ids]
"com.apple.Safari" = "allow"

[computer_use.windows.aumids]
"Microsoft.Paint_8wekyb3d8bbwe!App" = "deny"

[[computer_use.windows.exes]]
publisher_name = "CN=Google LLC"
product_name = "Google Chrome"
binary_name = "chrome.exe"
access = "allow"

${TRUSTED}`,
      expect: {
        config: {
          browser_use: {
            allow_history_access: true,
            default_origin_policy: {
              access: "deny",
              downloads: "allow",
              uploads: "deny",
              full_cdp_access: "allow",
            },
            origins: {
              "https://example.com": {
                access: "allow",
                downloads: "deny",
                uploads: "allow",
                full_cdp_access: "deny",
              },
            },
          },
          computer_use: {
            default_app_access: "deny",
            macos: { bundle_ids: { "com.apple.Safari": "deny", "com.apple.TextEdit": "allow" } },
            windows: {
              exes: [{ product_name: "Microsoft Visual Studio Code", binary_name: null, access: "deny" }],
            },
          },
        },
        origins: {
          "browser_use.default_origin_policy.access": { name: USER },
          "browser_use.default_origin_policy.full_cdp_access": { name: PROJECT },
          "computer_use.windows.exes.0.access": { name: PROJECT },
        },
      },
      files: {
        "workspace/.codex/config.toml": `[browser_use.default_origin_policy]
uploads = "deny"
full_cdp_access = "allow"

[browser_use.origins."https://example.com"]
access = "allow"
full_cdp_access = "deny"

[computer_use.macos.bundle_ids]
"com.apple.TextEdit" = "allow"
"com.apple.Safari" = "deny"

[computer_use.windows.aumids]
"Microsoft.WindowsCalculator_8wekyb3d8bbwe!App" = "allow"

[[computer_use.windows.exes]]
publisher_name = "CN=Microsoft Corporation"
product_name = "Microsoft Visual Studio Code"
access = "deny"
`,
      },
      params: { includeLayers: false, cwd: "{{workspace}}" },
    },
  ),
  reads("machine-layer", "The machine's file lies below the user's.", {
    config: 'model = "gpt-user"\n',
    expect: { config: { model: "gpt-user", model_reasoning_effort: "low" } },
    files: { "system/config.toml": 'model = "gpt-machine"\nmodel_reasoning_effort = "low"\n' },
  }),
  reads(
    "managed-layer",
    "The machine's managed file lies above the user's, and lists in it replace the user's.",
    {
      config: `model = "gpt-user"
approval_policy = "on-request"
sandbox_mode = "workspace-write"

[sandbox_workspace_write]
writable_roots = ["/user"]
network_access = true
`,
      expect: {
        config: {
          model: "gpt-system",
          approval_policy: "never",
          sandbox_mode: "workspace-write",
          sandbox_workspace_write: { writable_roots: ["/system"], network_access: true },
        },
        origins: {
          model: {
            name: { type: "legacyManagedConfigTomlFromFile", file: "/etc/codex/managed_config.toml" },
          },
          sandbox_mode: { name: USER },
          "sandbox_workspace_write.writable_roots.0": { name: { type: "legacyManagedConfigTomlFromFile" } },
          "sandbox_workspace_write.network_access": { name: USER },
        },
        layers: [
          { name: { type: "legacyManagedConfigTomlFromFile" } },
          { name: USER },
          { name: { type: "system" } },
        ],
      },
      files: {
        "system/managed_config.toml": `model = "gpt-system"
approval_policy = "never"

[sandbox_workspace_write]
writable_roots = ["/system"]
`,
      },
    },
  ),
  reads(
    "managed-root-markers",
    "Root markers that the machine manages decide which project files are layers.",
    {
      config: `model_context_window = 16384\n${TRUSTED}`,
      expect: {
        config: { project_root_markers: [], model_context_window: 16384, model_reasoning_effort: "high" },
      },
      files: {
        "system/managed_config.toml": "project_root_markers = []\n",
        "workspace/.git/HEAD": "ref: refs/heads/main\n",
        "workspace/.codex/config.toml": "model_context_window = 32768\n",
        "workspace/child/.codex/config.toml": 'model_reasoning_effort = "high"\n',
      },
      params: { includeLayers: true, cwd: "{{workspace}}/child" },
    },
  ),
];
