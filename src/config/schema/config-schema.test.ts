import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { describeInTable } from "../toml/config-fault.ts";
import { type TomlTable, toJson } from "../toml/toml-value.ts";
import { checkTable, configSchema } from "./config-schema.ts";
import { listKeys } from "./reference-page.ts";
import { requirementsSchema } from "./requirements-schema.ts";

function check(text: string) {
  const document: TomlTable = parse(text, { integersAsBigInt: true });
  return checkTable(configSchema, document, {
    form: "wire",
    resolvePath: (to) => (to.startsWith("/") ? to : undefined),
  });
}

function faultOf(text: string): string {
  const checked = check(text);
  return checked.ok ? "no fault" : describeInTable(checked.fault);
}

describe("a fault", () => {
  test.each([
    ["model = 3.5", "invalid type: floating point `3.5`, expected a string\nin `model`\n"],
    ["model = []", "invalid type: sequence, expected a string\nin `model`\n"],
    [
      "model_context_window = true",
      "invalid type: boolean `true`, expected i64\nin `model_context_window`\n",
    ],
    [
      "tool_output_token_limit = -7",
      "invalid value: integer `-7`, expected usize\nin `tool_output_token_limit`\n",
    ],
    [
      "goals.max_goal_token_budget = 0",
      "invalid value: integer `0`, expected a nonzero u64\nin `goals.max_goal_token_budget`\n",
    ],
    [
      "clients.slow.notice_delay_ms = 1001",
      "invalid value: integer `1001`, expected a number of at most 1000\nin `clients.slow.notice_delay_ms`\n",
    ],
    ["tui = 3", "invalid type: integer `3`, expected struct Tui\nin `tui`\n"],
    ['notify = ["a", 1]', "invalid type: integer `1`, expected a string\nin `notify`\n"],
    [
      'model_verbosity = "x"',
      "unknown variant `x`, expected one of `low`, `medium`, `high`\nin `model_verbosity`\n",
    ],
    [
      'forced_login_method = "x"',
      "unknown variant `x`, expected `chatgpt` or `api`\nin `forced_login_method`\n",
    ],
    [
      'approval_policy = "x"',
      "unknown variant `x`, expected one of `untrusted`, `on-failure`, `on-request`, `granular`, `never`\nin `approval_policy`\n",
    ],
    [
      "approval_policy = { granular = {} }",
      "missing field `sandbox_approval`\nin `approval_policy.granular`\n",
    ],
    ['model_reasoning_effort = ""', "reasoning_effort must not be empty\nin `model_reasoning_effort`\n"],
    ["features.memories = 1", "invalid type: integer `1`, expected a boolean\nin `features`\n"],
    ["agents.role = 3", "invalid type: integer `3`, expected struct AgentRoleToml\nin `agents`\n"],
    ["agents.max_depth = true", "invalid type: boolean `true`, expected i32\nin `agents.max_depth`\n"],
    [
      "tui.notifications = 3",
      "data did not match any variant of untagged enum Notifications\nin `tui.notifications`\n",
    ],
    ["log_dir = 'rel'", "AbsolutePathBuf deserialized without a base path\nin `log_dir`\n"],
    ["[mcp_servers.k]", "invalid transport\nin `mcp_servers.k`\n"],
    ["mcp_servers.k = { command = 'c', url = 'u' }", "url is not supported for stdio\nin `mcp_servers.k`\n"],
    [
      "mcp_servers.k = { url = 'u', env = {} }",
      "env is not supported for streamable_http\nin `mcp_servers.k`\n",
    ],
    [
      "mcp_servers.k = { command = 'c', startup_timeout_sec = -1 }",
      "cannot convert float seconds to Duration: value is negative\nin `mcp_servers.k`\n",
    ],
    ["[model_providers.k]", "model_providers.k: provider name must not be empty\nin `model_providers`\n"],
    [
      "model_providers.openai = { name = 'x' }",
      "model_providers contains reserved built-in provider IDs: `openai`. Built-in providers cannot be overridden. " +
        "Rename your custom provider (for example, `openai-custom`).\nin `model_providers`\n",
    ],
    [
      "model_providers.k = { name = 'x', env_key = 'K', auth = { command = 'c' } }",
      "model_providers.k: provider auth cannot be combined with env_key\nin `model_providers`\n",
    ],
    [
      "shell_environment_policy = { exclude = [], filters = {} }",
      "cannot mix `filters` with legacy `exclude` or `include_only`\nin `shell_environment_policy`\n",
    ],
    [
      "shell_environment_policy.filters = { A = 'include', a = 'exclude' }",
      "duplicate shell environment filter `a` ignoring case\nin `shell_environment_policy`\n",
    ],
    [
      "queue.after_interrupt = 'x'",
      "unknown variant `x`, expected `continue` or `pause`\nin `queue.after_interrupt`\n",
    ],
  ])("of %s is told in the peer's words", (text, expected) => {
    expect(faultOf(text)).toBe(expected);
  });

  test("of a list in one string shows how to write it", () => {
    expect(faultOf("forced_chatgpt_workspace_id = 'a,b'")).toMatch(
      /comma-separated strings are not supported\. Use /,
    );
  });
});

test("unknown keys are found wherever the peer looks for them", () => {
  const checked = check(`
foo = { a = 1 }
[tui.effects]
a = 1
[[skills.config]]
enabled = true
a = 1
[features]
nope = true
[projects."/x"]
a = 1
[apps.k]
a = 1
[hooks]
a = 1
[mcp_servers.k]
command = "c"
a = 1
`);
  expect(checked.ok && checked.unknownKeys.map((keys) => keys.join("."))).toEqual([
    "foo",
    "tui.effects.a",
    "skills.config.0.a",
    "features.nope",
    "projects./x.a",
    "mcp_servers.k.a",
  ]);
});

test("older forms get the form of today", () => {
  const checked = check(`
approval_policy = "on-failure"
approvals_reviewer = "guardian_subagent"
tools.web_search = true
mcp_servers.k = { command = "c", startup_timeout_ms = 500 }
memories.no_memories_if_mcp_or_web_search = true
`);
  expect(checked.ok && toJson(checked.node as TomlTable)).toMatchObject({
    approval_policy: "on-request",
    approvals_reviewer: "auto_review",
    tools: { web_search: null },
    mcp_servers: { k: { startup_timeout_sec: 0.5 } },
    memories: { disable_on_external_context: true },
  });
});

test.each([
  "hooks.Stop = [{ hooks = [{}] }]",
  'hooks.Stop = [{ hooks = [{ type = "x" }, { type = "command", command = "c", timeout = 1.5 }] }]',
  "hooks.Stop = [3]",
  "hooks.Stop = 3",
  "hooks.state = { k = { enabled = 3 }, l = 4 }",
])("hooks that are wrong (%s) cost no other setting and stay as they are", (text) => {
  const checked = check(`model = "m"\n${text}\n`);
  expect(checked.ok && toJson(checked.node as TomlTable)).toMatchObject({
    model: "m",
    hooks: toJson(parse(text)["hooks"] as TomlTable),
  });
});

test("every key is documented in one sentence", () => {
  const keys = [...listKeys(configSchema), ...listKeys(requirementsSchema)];
  expect(keys.filter(({ doc }) => !/^[A-Z$].*\.$/.test(doc))).toEqual([]);
  expect(keys.length).toBeGreaterThan(500);
  expect(keys).toContainEqual({
    path: "queue.max_per_thread",
    type: "integer >= 1",
    fallback: 100,
    required: false,
    doc: "Turns that may wait in one thread.",
  });
});
