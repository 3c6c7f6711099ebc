/** hooks/list: where hooks come from, what each is, and whether it may run. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, refused, STDIO, settle } from "../steps.ts";
import { THREAD, turnScenario, withThread } from "../turn-steps.ts";

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const file = (hooks: unknown, more: object = {}) => JSON.stringify({ ...more, hooks });
const one = (text: string) => file({ Stop: [{ hooks: [command(text)] }] });
const oneToml = (text: string) => `[[hooks.Stop]]\nhooks = [{ type = "command", command = "${text}" }]\n`;
const TRUSTED = '[projects."{{workspace}}"]\ntrust_level = "trusted"\n';

const here = { cwds: ["{{workspace}}"] };
const list = (as = "list", params: unknown = here) =>
  call("hooks/list", params, { as, expect: { result: {} } });

/** Warnings of a thread may come before or after its answer. */
const freeOrder = [["warning", "configWarning"]];

type Brief = Omit<Scenario, "transports" | "steps" | "name"> & Partial<Scenario>;

function scenario(name: string, brief: Brief): Scenario {
  return { transports: STDIO, steps: [initialize(), list()], ...brief, name: `hooks-list/${name}` };
}

/** Every event, every kind of handler, every member. */
const ALL_SHAPES = {
  PreModelRequest: [{ matcher: "(", hooks: [command("pm")] }],
  PostModelRequest: [{ hooks: [command("po")] }],
  PreToolUse: [
    {
      matcher: "Bash",
      hooks: [command('é "q" \u0001 </x>', { statusMessage: "s", additionalContextLimit: 2500 })],
    },
    { matcher: "*", hooks: [command("y", { additionalContextLimit: 10, commandWindows: "w" })] },
    { matcher: "", hooks: [command("z", { timeout: 0 })] },
    { matcher: "^mcp__.*$", hooks: [command("m", { async: true })] },
  ],
  PermissionRequest: [{ hooks: [command("p", { timeoutSec: 4, foo: 1 })] }],
  PostToolUse: [
    {
      hooks: [
        { type: "mcp_tool", server: "s", tool: "t" },
        {
          type: "mcp_tool",
          server: "s",
          tool: "t",
          input: { b: 1, a: { z: 1.5, y: [true, "${tool_name}"] } },
          timeout: 3,
          statusMessage: "m",
        },
      ],
    },
  ],
  PreCompact: [{ matcher: "auto", hooks: [command("pc")] }],
  PostCompact: [{ matcher: null, hooks: [command("oc")] }],
  SessionStart: [{ matcher: "startup|resume", hooks: [command("ss", { additionalContextLimit: 0 })] }],
  SessionEnd: [{ matcher: "other", hooks: [command("se"), command("sf", { timeout: 2 })] }],
  UserPromptSubmit: [{ matcher: "ignored", hooks: [command("up")] }],
  SubagentStart: [{ matcher: "x", hooks: [command("sa")] }],
  SubagentStop: [{ hooks: [command("st")] }],
  Stop: [{ hooks: [] }, { hooks: [command("a"), command("a")] }],
  Interrupt: [{ matcher: "q", hooks: [command("i"), { type: "mcp_tool", server: "s", tool: "t" }] }],
};

/** Digests are left out of comparisons, because most are of files that differ; trust hangs on these. */
const DIGESTS_OF_SHAPES = [
  ["pre_model_request:0:0", "20927c46fc93f8501aa70757fd8d0fcc5bda97851a106cb1e0ddcf95e1e9d6fb"],
  ["post_model_request:0:0", "13a8ff50f143316c621ce0cd8a07f952190a2620cb450157855f42b34e27ed88"],
  ["pre_tool_use:0:0", "4584de78d39fc15b50031692cc99ef4412e75a9ea0848f35dc06bb31a555bb0e"],
  ["pre_tool_use:1:0", "7648797776fc4b8c7ed1026dfe7fadecabba5e3b0f135d0d4aef920ae53da208"],
  ["pre_tool_use:2:0", "bd23c0a0a86f21ed8c3e998c81d86df9d03ddbdf8f461143255cff8056c80c95"],
  ["pre_tool_use:3:0", "b69136b1a74531a1de672863671efae2d8fcb93b79575cf6ae9f558c5e4e9582"],
  ["permission_request:0:0", "3566f13a3ce76e452884804bcee1002c8cc7c263d4156b8e9296858d864e9389"],
  ["post_tool_use:0:0", "cc1fa78a74ce11ba6eaae152661a21b2a4d8ff53c399c62f74adff26b156208d"],
  ["post_tool_use:0:1", "31e66db61845f39819d2dde516ab2c738bc0c1b677692249de03be96ba3304c6"],
  ["pre_compact:0:0", "d6615efe14ab49cb63f14cc439224660bd72c19a4dc976262f4d4f8caff1f112"],
  ["post_compact:0:0", "ce71cb72afb1c472d0527575f2efe340510295b5642ded2581c4c249c54743e0"],
  ["session_start:0:0", "b6d40db74d826d23c2911f14f6c4e7f18af3d277b849c5be2b7c61839b8e69c0"],
  ["session_end:0:0", "2bb17948a4f01bf0e1e58a0a8631d228df1b22925d123156f4c13b1db25248cd"],
  ["session_end:0:1", "bd98fa4fb06690290976c9fb4240f7747eff5b8f9b2889d430045c7ce0c6c77b"],
  ["user_prompt_submit:0:0", "38d1dc9f55d609aab9228f10c1658f70c11c913f6ddd321ea0f4552e02444157"],
  ["subagent_start:0:0", "b62258b95f3a90d338a44cc359c5a9b36ca75913a7b2bab8a02f160f006183aa"],
  ["subagent_stop:0:0", "2e3e14c9a75d8630c63e23d6ac3cdc3793877e9edd103114fb1f43bb2d7ce9f0"],
  ["stop:1:0", "c75a850480544f28d4a0e3e73be3b2659a93058c0746b3a82ad494187e86ecbc"],
  ["stop:1:1", "c75a850480544f28d4a0e3e73be3b2659a93058c0746b3a82ad494187e86ecbc"],
  ["interrupt:0:0", "6c0c877b1312328373bb9c54dcaf12764bbc97ca87aefc62429ba9e2d055cde7"],
  ["interrupt:0:1", "0786b052091b96e1fe9cea13da6ac07eabf8d1cd45f8f019b0e3eab8238648a7"],
] as const;

const DIGESTS_OF_TABLES = [
  ["pre_tool_use:0:0", "b678074ff25318238226f395c17b49dea1114923bfc6d275e4d5e35af1acada4"],
  ["stop:0:0", "63443b499c0f67132efd0e8178f70d3b08b0fe7a23b5e2aa7dab22e340c7fc18"],
] as const;

function withDigests(file: string, digests: readonly (readonly [key: string, digest: string])[]) {
  const hooks = digests.map(([key, digest]) => ({
    key: `{{home}}/${file}:${key}`,
    currentHash: `sha256:${digest}`,
  }));
  return [initialize(), call("hooks/list", here, { as: "list", expect: { result: { data: [{ hooks }] } } })];
}

/** What the peer warns of as well. */
const QUESTIONABLE = {
  PreToolUse: [
    { matcher: "(", hooks: [command("bad")] },
    { matcher: "(?=a)", hooks: [command("bad")] },
    { matcher: "(a)\\1", hooks: [command("bad")] },
    { matcher: "[", hooks: [] },
    { matcher: "ok", hooks: [command("good")] },
  ],
  SessionEnd: [
    {
      hooks: [
        command("a", { async: true }),
        command("b", { timeout: 9 }),
        { type: "mcp_tool", server: "s", tool: "t" },
      ],
    },
  ],
  Stop: [
    { hooks: [command("a", { additionalContextLimit: 7 }), command(""), { type: "agent" }, command("last")] },
  ],
};

export const hooksListScenarios: readonly Scenario[] = [
  scenario("all-shapes", {
    about: "Every event and every kind of handler, with its key, its defaults and its digest.",
    files: { "home/hooks.json": file(ALL_SHAPES, { description: "All of them." }) },
    steps: withDigests("hooks.json", DIGESTS_OF_SHAPES),
  }),
  scenario("tables", {
    about: "Hooks of config.toml are listed like those of a file of their own.",
    steps: withDigests("config.toml", DIGESTS_OF_TABLES),
    config: {
      tables: `${oneToml("one")}[[hooks.PreToolUse]]\nmatcher = "Bash"\n[[hooks.PreToolUse.hooks]]\ntype = "mcp_tool"\nserver = "s"\ntool = "t"\ninput = { a = 1, b = 1.5, c = { d = true }, e = [1.0] }\ntimeout = 30\n`,
    },
  }),
  scenario("folders", {
    about:
      "Folders are answered in their order, relative ones as they were sent; without one the server's own is.",
    config: { tables: TRUSTED },
    files: {
      "home/hooks.json": one("user"),
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/hooks.json": one("project"),
      "workspace/sub/keep": "",
    },
    steps: [
      initialize(),
      list("several", { cwds: ["{{workspace}}/sub", "sub", "{{home}}", "{{workspace}}/missing"] }),
      list("none", {}),
      list("empty", { cwds: [] }),
    ],
  }),
  scenario("sources", {
    about: "All sources add their hooks, the administrator's first and then the layers of the configuration.",
    config: { tables: `${TRUSTED}${oneToml("user table")}` },
    files: {
      "system/requirements.toml": oneToml("required"),
      "system/config.toml": oneToml("system table"),
      "system/hooks.json": one("system file"),
      "home/hooks.json": one("user file"),
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/hooks.json": one("project file"),
      "workspace/.codex/config.toml": oneToml("project table"),
      "workspace/sub/.codex/hooks.json": one("nested"),
    },
    args: ["-c", 'hooks.Stop=[{hooks=[{type="command",command="flag"}]}]'],
    steps: [initialize(), list("list", { cwds: ["{{workspace}}/sub"] })],
  }),
  scenario("managed-only", {
    about: "An administrator can allow none but managed hooks.",
    config: { tables: oneToml("user") },
    files: {
      "system/requirements.toml": `allow_managed_hooks_only = true\n[hooks]\nmanaged_dir = "/opt/hooks"\n${oneToml("required")}`,
      "system/hooks.json": one("system"),
    },
  }),
  scenario("untrusted-project", {
    about: "A project that is not trusted contributes nothing.",
    files: {
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/hooks.json": one("project"),
    },
  }),
  scenario("linked-worktree", {
    about: "A linked worktree has the hooks of the main checkout, under the keys that they have there.",
    config: { tables: TRUSTED },
    files: {
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.git/worktrees/tree/commondir": "../..\n",
      "workspace/.git/worktrees/tree/gitdir": "{{workspace}}/tree/.git\n",
      "workspace/.git/worktrees/tree/HEAD": "ref: refs/heads/tree\n",
      "workspace/.codex/hooks.json": one("main"),
      "workspace/tree/.git": "gitdir: {{workspace}}/.git/worktrees/tree\n",
      "workspace/tree/.codex/hooks.json": one("tree"),
      "workspace/tree/.codex/config.toml": oneToml("tree table"),
    },
    steps: [initialize(), list("list", { cwds: ["{{workspace}}/tree"] })],
  }),
  scenario("off", {
    about: "Without the feature there are no hooks.",
    config: { tables: `[features]\nhooks = false\n${oneToml("user")}` },
  }),
  scenario("off-in-a-project", {
    about: "A project that switches hooks off switches off its own, and not those of its user.",
    config: { tables: `${TRUSTED}${oneToml("user")}` },
    files: {
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/config.toml": `[features]\nhooks = false\n${oneToml("project")}`,
    },
  }),
  scenario("questionable", {
    about: "A bad matcher costs its group, and what cannot be had is said and goes on without.",
    files: { "home/hooks.json": file(QUESTIONABLE) },
  }),
  scenario("lenient-file", {
    about: "A handler that is wrong costs itself, and not its file.",
    files: {
      "home/hooks.json": file(
        {
          Nonsense: [],
          Stop: [{ hooks: [{ type: "nonsense" }, command("x", { timeout: 1.5 }), {}, command("good")] }],
        },
        { extra: 1 },
      ),
    },
  }),
  scenario("lenient-table", {
    about: "A handler of config.toml that is wrong costs itself, and not the configuration.",
    config: {
      tables:
        '[[hooks.Stop]]\nhooks = [{ type = "command", command = "x", timeout = 1.5 }, { type = "command", command = "good" }]\n',
    },
  }),
  scenario("heddle-kinds", {
    about: "Kinds of handlers that only Heddle has look like commands to clients of the peer.",
    files: {
      "home/hooks.json": file({
        Stop: [
          {
            hooks: [
              { type: "http", url: "http://127.0.0.1:9/hook", headers: { authorization: "x" } },
              { type: "module", path: "./hook.mjs" },
              { type: "prompt", prompt: "Is it done?", model: "small" },
            ],
          },
        ],
      }),
    },
  }),
  scenario("broken", {
    about:
      "A file that is not JSON is a warning; a configuration that cannot be read is an error of the folder.",
    files: { "home/hooks.json": '{"hooks":' },
    steps: [
      initialize(),
      list("not json"),
      { do: "write", path: "home/config.toml", text: "model = 3\n" },
      list("no configuration"),
    ],
  }),
  scenario("trust", {
    about: "A hook is trusted, switched off and changed, and lists say so at once.",
    files: { "home/hooks.json": one("first") },
    steps: [
      initialize(),
      list("untrusted"),
      call(
        "config/batchWrite",
        {
          edits: [
            {
              keyPath: "hooks.state",
              mergeStrategy: "upsert",
              value: {
                "{{untrusted.result.data.0.hooks.0.key}}": {
                  trusted_hash: "{{untrusted.result.data.0.hooks.0.currentHash}}",
                },
              },
            },
          ],
          reloadUserConfig: true,
        },
        { as: "trust", expect: { result: { status: "ok" } } },
      ),
      call("hooks/list", here, {
        as: "trusted",
        expect: { result: { data: [{ hooks: [{ trustStatus: "trusted", enabled: true }] }] } },
      }),
      call(
        "config/batchWrite",
        {
          edits: [
            {
              keyPath: "hooks.state",
              mergeStrategy: "upsert",
              value: { "{{untrusted.result.data.0.hooks.0.key}}": { enabled: false } },
            },
          ],
          reloadUserConfig: true,
        },
        { as: "switch off", expect: { result: { status: "ok" } } },
      ),
      call("hooks/list", here, {
        as: "disabled",
        expect: { result: { data: [{ hooks: [{ trustStatus: "trusted", enabled: false }] }] } },
      }),
      { do: "write", path: "home/hooks.json", text: one("second") },
      call("hooks/list", here, {
        as: "modified",
        expect: { result: { data: [{ hooks: [{ trustStatus: "modified" }] }] } },
      }),
    ],
  }),
  scenario("state", {
    about:
      "What is said of a hook counts in the user's files and in flags, member by member, and nowhere else.",
    config: {
      tables: `${TRUSTED}[hooks.state." {{home}}/hooks.json:stop:0:0 "]\nenabled = false\ntrusted_hash = "x"\n[hooks.state."{{workspace}}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "x"\n`,
    },
    files: {
      "home/hooks.json": one("user"),
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.codex/hooks.json": one("project"),
      "workspace/.codex/config.toml": '[hooks.state."{{home}}/hooks.json:stop:0:0"]\nenabled = true\n',
    },
  }),
  turnScenario({
    name: "hooks-list/thread",
    about:
      "A thread has hooks of its own from its configuration, and is told what is wrong with those of files.",
    files: { "home/hooks.json": file(QUESTIONABLE) },
    freeOrder,
    steps: [
      ...withThread({ config: { hooks: { Stop: [{ hooks: [command("flag")] }] } } }),
      list("by thread", { threadId: THREAD }),
      list("by folder"),
    ],
  }),
  turnScenario({
    name: "hooks-list/trust-of-a-thread",
    about: "Trust that is given while a thread is loaded counts for it.",
    files: { "home/hooks.json": one("user") },
    freeOrder,
    steps: [
      ...withThread(),
      list("before", { threadId: THREAD }),
      call(
        "config/batchWrite",
        {
          edits: [
            {
              keyPath: "hooks.state",
              mergeStrategy: "upsert",
              value: {
                "{{before.result.data.0.hooks.0.key}}": {
                  trusted_hash: "{{before.result.data.0.hooks.0.currentHash}}",
                },
              },
            },
          ],
          reloadUserConfig: true,
        },
        { as: "trust", expect: { result: { status: "ok" } } },
      ),
      call(
        "hooks/list",
        { threadId: THREAD },
        {
          as: "after",
          expect: { result: { data: [{ hooks: [{ trustStatus: "trusted" }] }] } },
        },
      ),
    ],
  }),
  turnScenario({
    name: "hooks-list/bypass",
    about: "A thread that bypasses trust is warned of it; lists go on to show the trust that hooks have.",
    files: { "home/hooks.json": one("user") },
    freeOrder,
    steps: [...withThread({ config: { bypass_hook_trust: true } }), list("by thread", { threadId: THREAD })],
  }),
  turnScenario({
    name: "hooks-list/refusals",
    about: "A list is for folders or for a thread that is loaded.",
    steps: [
      ...withThread(),
      refused("hooks/list", { threadId: THREAD, ...here }, "specify either threadId or cwds", "both"),
      refused("hooks/list", { threadId: "nonsense" }, { $regex: "^invalid thread id" }, "nonsense"),
      call("hooks/list", { threadId: "00000000-0000-4000-8000-000000000000" }, { as: "unknown" }),
    ],
  }),
  ...[
    ["matcher", '[[hooks.PreToolUse]]\nmatcher = "["\nhooks = [{ type = "command", command = "x" }]\n'],
    ["handler", '[[hooks.Stop]]\nhooks = [{ type = "command", command = " " }, { type = "agent" }]\n'],
  ].map(([name = "", requirements = ""]) =>
    turnScenario({
      name: `hooks-list/managed-${name}`,
      about: `A managed hook with a bad ${name} keeps threads from starting: an administrator's rule must not vanish.`,
      files: { "system/requirements.toml": requirements },
      freeOrder,
      steps: [
        initialize(),
        list(),
        call("thread/start", {}, { as: "thread", expect: { error: { code: -32603 } } }),
        settle(),
      ],
    }),
  ),
];
