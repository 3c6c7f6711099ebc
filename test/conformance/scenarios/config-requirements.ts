/** configRequirements/read: what the machine's administrator demands. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, STDIO, STDIO_AND_WS } from "../steps.ts";

type Demand = Partial<Scenario> & { readonly requirements: string; readonly expect?: unknown };

/** A scenario in which the administrator demands something and a client asks what. */
function demands(name: string, about: string, demand: Demand): Scenario {
  const { requirements, expect = {}, ...more } = demand;
  return {
    name: `config-requirements/${name}`,
    about,
    transports: STDIO,
    config: { whole: "" },
    files: { "system/requirements.toml": requirements },
    steps: [
      initialize(),
      call("configRequirements/read", undefined, { expect: { result: { requirements: expect } } }),
    ],
    ...more,
  };
}

const CALM = 'allowed_approval_policies = ["on-request"]\nallowed_sandbox_modes = ["read-only"]\n';

function refusedChange(method: string, params: object, as: string) {
  const change = { threadId: "{{thread.result.thread.id}}", ...params };
  return call(method, change, { as, expect: { error: { code: -32600 } } });
}

export const configRequirementsScenarios: readonly Scenario[] = [
  {
    name: "config-requirements/none",
    about: "Where nothing is demanded the answer says so.",
    transports: STDIO_AND_WS,
    steps: [
      initialize(),
      call("configRequirements/read", undefined, {
        expect: { result: { supportsIndependentSpeedModes: true, requirements: null } },
      }),
    ],
  },
  demands("allowed-values", "Lists of allowed policies and modes are told as they are.", {
    requirements: `allowed_approval_policies = ["never", "on-request"]
allowed_sandbox_modes = ["read-only", "workspace-write"]
allowed_web_search_modes = ["cached"]
`,
    expect: {
      allowedApprovalPolicies: ["never", "on-request"],
      allowedSandboxModes: ["read-only", "workspace-write"],
    },
  }),
  demands("features", "Demanded features are told.", {
    requirements: "[features]\nin_app_updates = false\n",
    expect: {
      featureRequirements: { in_app_updates: false },
    },
  }),
  demands("hooks", "Managed hooks are told with each handler, beside whether remote control is allowed.", {
    requirements: `allow_remote_control = false

[hooks]

[[hooks.SessionStart]]

[[hooks.SessionStart.hooks]]
type = "command"
command = "echo managed"
additionalContextLimit = 4096

[[hooks.SessionStart.hooks]]
type = "mcp_tool"
server = "security"
tool = "scan"
input = { path = "\${tool_input.file_path}", metadata = { enabled = true, retries = 2 } }
timeout = 30
statusMessage = "Scanning file"
`,
    expect: { allowRemoteControl: false },
  }),
  demands(
    "models",
    "Demanded models, their defaults and managed instructions are told, and the instructions stay out of config/read.",
    {
      requirements: `additional_developer_instructions = "Follow the managed policy.\\nPreserve its formatting."

[auto_review]
required_on_models = ["gpt-protected", "gpt-sensitive"]
ignore_rules = ["gpt-protected"]

[models.new_thread]
model = "gpt-managed"
model_reasoning_effort = "medium"
service_tier = "fast"
`,
      config: { whole: 'developer_instructions = "ordinary instructions"\n' },
      steps: [
        initialize(),
        call("configRequirements/read", undefined, {
          expect: {
            result: {
              requirements: {
                additionalDeveloperInstructions: "Follow the managed policy.\nPreserve its formatting.",
                models: {
                  newThread: { model: "gpt-managed", modelReasoningEffort: "medium", serviceTier: "fast" },
                },
              },
            },
          },
        }),
        call(
          "config/read",
          { includeLayers: false },
          {
            expect: {
              result: {
                config: {
                  developer_instructions: "ordinary instructions",
                  additional_developer_instructions: { $absent: true },
                },
              },
            },
          },
        ),
      ],
    },
  ),
  demands("browser-and-computer-use", "Demands on browser and computer use are told member by member.", {
    requirements: `allow_browser_and_computer_use = false

[browser_use]
allow_history_access = false
disable_auto_review = true

[browser_use.default_origin_policy]
access = "deny"
persistent_approval = false
access_approval_lifetime = "turn"

[browser_use.origins."https://example.com"]
access = "allow"

[computer_use]
default_app_access = "deny"

[computer_use.macos.bundle_ids]
"com.apple.Safari" = "allow"

[[computer_use.windows.exes]]
publisher_name = "CN=Google LLC"
product_name = "Google Chrome"
binary_name = "chrome.exe"
access = "deny"
`,
    expect: { allowBrowserAndComputerUse: false },
  }),
  demands(
    "read-only-values",
    "A value that is demanded replaces the user's in config/read, and cannot be written.",
    {
      requirements:
        'cli_auth_credentials_store = "ephemeral"\nchatgpt_base_url = "https://managed.example/backend-api/"\n',
      config: {
        whole:
          'cli_auth_credentials_store = "file"\nchatgpt_base_url = "https://user.example/backend-api/"\n',
      },
      steps: [
        initialize(),
        call("configRequirements/read", undefined, {
          expect: { result: { requirements: { cliAuthCredentialsStore: "ephemeral" } } },
        }),
        call(
          "config/read",
          { includeLayers: false },
          {
            expect: { result: { config: { cli_auth_credentials_store: "ephemeral" } } },
          },
        ),
        call(
          "config/value/write",
          { keyPath: "cli_auth_credentials_store", value: "file", mergeStrategy: "replace" },
          { expect: { error: { data: { config_write_error_code: "configRequirementReadonly" } } } },
        ),
        {
          do: "read",
          path: "home/config.toml",
          as: "text",
          expect:
            'cli_auth_credentials_store = "file"\nchatgpt_base_url = "https://user.example/backend-api/"\n',
        },
      ],
    },
  ),
  demands(
    "reviewer-turns-off-a-feature",
    "A demanded reviewer turns off the feature that would replace it.",
    {
      requirements: 'allowed_approvals_reviewers = ["auto_review"]\n',
      config: { whole: "[features]\nguardianv2 = true\n" },
      steps: [
        initialize(),
        call(
          "config/read",
          { includeLayers: false },
          { expect: { result: { config: { features: { guardianv2: false } } } } },
        ),
      ],
    },
  ),
  demands("new-threads", "A thread gets what is allowed in place of what it wants, and its client is told.", {
    requirements: CALM,
    config: { root: "" },
    steps: [
      initialize(),
      call(
        "thread/start",
        { sandbox: "danger-full-access" },
        {
          settles: true,
          expect: { result: { approvalPolicy: "on-request", sandbox: { type: "readOnly" } } },
        },
      ),
    ],
  }),
  demands("changes", "What is not allowed is refused to a thread that is there, and to a command.", {
    requirements: CALM,
    config: { root: "" },
    steps: [
      initialize(),
      call("thread/start", {}, { as: "thread", settles: true }),
      refusedChange("turn/start", { input: [], approvalPolicy: "never" }, "policy"),
      refusedChange("thread/settings/update", { sandboxPolicy: { type: "dangerFullAccess" } }, "sandbox"),
      call(
        "command/exec",
        { command: ["true"], sandboxPolicy: { type: "dangerFullAccess" } },
        { expect: { error: { code: -32600 } } },
      ),
    ],
  }),
];
