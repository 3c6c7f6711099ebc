/** config/value/write and config/batchWrite: edits of the user's file, checked before they are kept. */
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, reply, STDIO, send } from "../steps.ts";

const FILE = "{{home}}/config.toml";
const OK = { result: { status: "ok", filePath: FILE, overriddenMetadata: null } };

const edit = (keyPath: string, value: unknown, mergeStrategy = "replace") => ({
  keyPath,
  value,
  mergeStrategy,
});
const read = (as: string, config: unknown): Step =>
  call("config/read", { includeLayers: false }, { as, expect: { result: { config } } });
const file = (expect?: unknown): Step => ({
  do: "read",
  path: "home/config.toml",
  as: "toml",
  ...(expect === undefined ? {} : { expect }),
});
const refusedAs = (code: string) => ({ error: { code: -32600, data: { config_write_error_code: code } } });

export const configWriteScenarios: readonly Scenario[] = [
  {
    name: "config-write/replaces-a-value",
    about: "A write with the version that was read replaces the value.",
    transports: STDIO,
    config: { whole: '# mine\nmodel = "gpt-old" # kept\n' },
    steps: [
      initialize(),
      read("before", { model: "gpt-old" }),
      call(
        "config/value/write",
        { ...edit("model", "gpt-new"), expectedVersion: "{{before.result.origins.model.version}}" },
        { expect: OK },
      ),
      read("after", { model: "gpt-new" }),
      { do: "read", path: "home/config.toml", as: "text", expect: '# mine\nmodel = "gpt-new" # kept\n' },
    ],
  },
  {
    name: "config-write/version-conflict",
    about: "A write with a version that is not the file's is refused and changes nothing.",
    transports: STDIO,
    config: { whole: 'model = "gpt-old"\n' },
    steps: [
      initialize(),
      call(
        "config/value/write",
        { ...edit("model", "gpt-new"), filePath: FILE, expectedVersion: "sha256:stale" },
        { expect: refusedAs("configVersionConflict") },
      ),
      file({ model: "gpt-old" }),
    ],
  },
  {
    name: "config-write/pipelined-read",
    about: "A read sent right after a write sees what was written.",
    transports: STDIO,
    config: { whole: 'model = "gpt-old"\n' },
    steps: [
      initialize(),
      send("config/value/write", edit("model", "gpt-new"), "write"),
      send("config/read", { includeLayers: false }, "read"),
      reply("write", OK),
      reply("read", { result: { config: { model: "gpt-new" } } }),
    ],
  },
  {
    name: "config-write/desktop",
    about: "A desktop setting can be written, also into an empty file.",
    transports: STDIO,
    config: { whole: "" },
    steps: [
      initialize(),
      call("config/value/write", edit("desktop.appearanceTheme", "dark"), { expect: OK }),
      read("after", { desktop: { appearanceTheme: "dark" } }),
      file(),
    ],
  },
  {
    name: "config-write/no-file-yet",
    about: "A write makes the file when there is none.",
    transports: STDIO,
    config: { whole: null },
    steps: [
      { do: "read", path: "home/config.toml", as: "exists", expect: false },
      initialize(),
      call("config/value/write", { ...edit("model", "gpt-new"), filePath: null }, { expect: OK }),
      file({ model: "gpt-new" }),
    ],
  },
  {
    name: "config-write/batch",
    about: "A batch applies all its edits.",
    transports: STDIO,
    config: { whole: "" },
    steps: [
      initialize(),
      call(
        "config/batchWrite",
        {
          filePath: FILE,
          edits: [
            edit("sandbox_mode", "workspace-write"),
            edit("sandbox_workspace_write", { writable_roots: ["/tmp"], network_access: false }),
          ],
        },
        { expect: OK },
      ),
      read("after", {
        sandbox_mode: "workspace-write",
        sandbox_workspace_write: { writable_roots: ["/tmp"], network_access: false },
      }),
      file(),
    ],
  },
  {
    name: "config-write/batch-of-desktop-settings",
    about: "Keys with hyphens and whole tables can be written.",
    transports: STDIO,
    config: { whole: "" },
    steps: [
      initialize(),
      call(
        "config/batchWrite",
        {
          filePath: FILE,
          edits: [
            edit("desktop.selected-avatar-id", "codex"),
            edit("desktop.workspace", { collapsed: true, width: 320 }),
          ],
        },
        { expect: OK },
      ),
      read("after", {
        desktop: { "selected-avatar-id": "codex", workspace: { collapsed: true, width: 320 } },
      }),
      file(),
    ],
  },
  {
    name: "config-write/quoted-keys-and-removal",
    about: "A key may be quoted, and the value null removes what it names.",
    transports: STDIO,
    config: {
      whole: `model = "gpt-existing"

[browser_use.origins."https://stale.example"]
access = "deny"

[computer_use.macos.bundle_ids]
"com.example.Stale" = "deny"

[[computer_use.windows.exes]]
publisher_name = "CN=Stale"
product_name = "Stale App"
binary_name = "stale.exe"
access = "deny"
`,
    },
    steps: [
      initialize(),
      call(
        "config/batchWrite",
        {
          edits: [
            edit("browser_use.allow_history_access", true),
            edit("browser_use.default_origin_policy", { access: "allow", downloads: "deny" }),
            edit('browser_use.origins."https://example.com"', { access: "deny", uploads: "deny" }),
            edit('browser_use.origins."https://stale.example"', null),
            edit('computer_use.macos.bundle_ids."com.apple.Safari"', "allow"),
            edit('computer_use.macos.bundle_ids."com.example.Stale"', null),
            edit("computer_use.windows.exes", [
              {
                publisher_name: "CN=Google LLC",
                product_name: "Google Chrome",
                binary_name: "chrome.exe",
                access: "allow",
              },
            ]),
          ],
        },
        { expect: OK },
      ),
      file({
        model: "gpt-existing",
        browser_use: {
          origins: { "https://example.com": { access: "deny" }, "https://stale.example": { $absent: true } },
        },
        computer_use: {
          macos: { bundle_ids: { "com.apple.Safari": "allow", "com.example.Stale": { $absent: true } } },
        },
      }),
      read("after", { browser_use: { allow_history_access: true } }),
    ],
  },
  {
    name: "config-write/merge-strategies",
    about: "Replace puts a table in place of another; upsert adds to it.",
    transports: STDIO,
    config: { whole: "[desktop.workspace]\ncollapsed = true\nwidth = 320\n" },
    steps: [
      initialize(),
      call("config/value/write", edit("desktop.workspace", { width: 400 }, "upsert"), {
        as: "upsert",
        expect: OK,
      }),
      file({ desktop: { workspace: { collapsed: true, width: 400 } } }),
      call("config/value/write", edit("desktop.workspace", { width: 500 }), { as: "replace", expect: OK }),
      file({ desktop: { workspace: { collapsed: { $absent: true }, width: 500 } } }),
    ],
  },
  {
    name: "config-write/legacy-profiles",
    about:
      "The tables of the older profiles cannot be written, and a batch with such an edit changes nothing.",
    transports: STDIO,
    config: { whole: '[profiles."team.prod"]\nmodel = "gpt-5.3-spark"\n' },
    steps: [
      initialize(),
      call(
        "config/batchWrite",
        {
          filePath: FILE,
          edits: [edit('profiles."team.prod".model', "gpt-5.5"), edit("items.sample@catalog.enabled", true)],
        },
        {
          expect: {
            error: {
              message: { $regex: "`profiles`" },
              data: { config_write_error_code: "configValidationError" },
            },
          },
        },
      ),
      file({ profiles: { "team.prod": { model: "gpt-5.3-spark" } }, items: { $absent: true } }),
    ],
  },
  {
    name: "config-write/refusals",
    about: "A value that the configuration does not allow, another file and a broken key path are refused.",
    transports: STDIO,
    config: { whole: 'model = "gpt-old"\n' },
    steps: [
      initialize(),
      call("config/value/write", edit("sandbox_mode", "no-such-mode"), {
        as: "unknown value",
        expect: refusedAs("configValidationError"),
      }),
      call("config/value/write", edit("model", 5), {
        as: "wrong type",
        expect: refusedAs("configValidationError"),
      }),
      call("config/value/write", edit("", 5), { as: "no key" }),
      call("config/value/write", edit('a."b', 5), { as: "broken quote" }),
      call(
        "config/value/write",
        { ...edit("model", "x"), filePath: "{{workspace}}/other.toml" },
        { as: "another file" },
      ),
      call(
        "config/value/write",
        { ...edit("model", "x"), filePath: "relative.toml" },
        { as: "relative file" },
      ),
      call("config/batchWrite", { edits: [] }, { as: "no edits" }),
      call("config/value/write", edit("no_such_key", 5), { as: "unknown key" }),
      file(),
    ],
  },
  {
    name: "config-write/managed-value",
    about: "A write of a value that the machine manages is kept and says what it is overridden by.",
    transports: STDIO,
    config: { whole: 'model = "gpt-user"\n' },
    files: { "system/managed_config.toml": 'model = "gpt-managed"\n' },
    steps: [
      initialize(),
      call("config/value/write", edit("model", "gpt-new"), {
        expect: { result: { status: "okOverridden" } },
      }),
      file({ model: "gpt-new" }),
      read("after", { model: "gpt-managed" }),
    ],
  },
];
