import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome, type TestHome } from "./config.fixture.ts";
import type { Configuration } from "./configuration.ts";
import type { ConfigReadResult } from "./read-config.ts";

async function read(config: Configuration, cwd?: string): Promise<ConfigReadResult> {
  const result = await config.read({ includeLayers: true, ...(cwd === undefined ? {} : { cwd }) });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function errorOf(config: Configuration, cwd?: string): Promise<string> {
  const result = await config.read(cwd === undefined ? {} : { cwd });
  return result.ok ? "no error" : result.error.message;
}

/** A repository with a configuration at its root and one in a folder inside. */
function createProject(test: TestHome): string {
  test.write("project/.git/HEAD", "ref: refs/heads/main\n");
  test.write("project/.codex/config.toml", 'model = "root"\nreview_model = "root"\n');
  test.write("project/sub/.codex/config.toml", 'model = "sub"\n');
  test.write("project/sub/deep/file", "");
  return path.join(test.root, "project");
}

const trusted = (folder: string, level = "trusted") => `[projects."${folder}"]\ntrust_level = "${level}"\n`;

/** The layer that each value comes from, in one word. */
function originsOf({ origins }: ConfigReadResult): Record<string, string> {
  return Object.fromEntries(Object.entries(origins).map(([key, { name }]) => [key, name.type]));
}

describe("config/read", () => {
  test("shows no secret of a webhook, however it is written, and no password of its URL", async () => {
    const entries = [
      'url = "https://me:hunter2@example.com/in"\nsecret = ["whsec_hunter2", 3]',
      'url = "https://example.com"\nsecret_env = "hunter2"\nevents = "wrong"',
      'secret = "whsec_hunter2"\nfilter = 3',
    ];
    const config = await createTestHome(entries.map((lines) => `[[webhooks]]\n${lines}\n`).join("")).open();
    const shown = JSON.stringify(await read(config));
    expect(shown).toContain("https://example.com/in");
    expect(shown).not.toContain("hunter2");
  });

  test("shows every key with its default when there is no file", async () => {
    const config = await createTestHome().open();
    const { config: values, origins, layers } = await read(config);
    expect(origins).toEqual({});
    expect(layers?.map(({ name, config: table }) => [name.type, table])).toEqual([
      ["user", {}],
      ["system", {}],
    ]);
    expect(values).toMatchObject({
      model: null,
      model_providers: {},
      project_doc_max_bytes: 32_768,
      project_root_markers: [".git"],
      history: { persistence: "save-all", max_bytes: null },
      chatgpt_base_url: "https://chatgpt.com/backend-api/",
      allow_login_shell: true,
      tui: null,
      features: { memories: false, mentions_v2: true, remote_control: false },
    });
    expect(Object.keys(values)).not.toContain("queue");
  });

  test("shows Heddle's own keys when they are set", async () => {
    const config = await createTestHome('durability = "fsync"\n[queue]\nmax_per_thread = 5\n').open();
    expect((await read(config)).config).toMatchObject({
      durability: "fsync",
      queue: { after_interrupt: "continue", max_per_thread: 5 },
    });
  });

  test("fills in the rest of a table that a file begins", async () => {
    const config = await createTestHome('[mcp_servers.x]\ncommand = "c"\n[sandbox_workspace_write]\n').open();
    expect((await read(config)).config).toMatchObject({
      mcp_servers: {
        x: { command: "c", args: [], environment_id: "local", enabled: true, tool_timeout_sec: null },
      },
      sandbox_workspace_write: {
        writable_roots: [],
        network_access: false,
        exclude_tmpdir_env_var: false,
        exclude_slash_tmp: false,
      },
    });
  });

  test("keeps unknown keys in the layer and leaves them out of the whole", async () => {
    const config = await createTestHome('foo = 1\nmodel = "m"\n').open();
    const { config: values, layers } = await read(config);
    expect(Object.keys(values)).not.toContain("foo");
    expect(layers?.[0]?.config).toEqual({ foo: 1, model: "m" });
  });

  test("makes paths absolute and replaces older words, also in the layer", async () => {
    const home = createTestHome(
      'log_dir = "logs"\nsqlite_home = "~/db"\napprovals_reviewer = "guardian_subagent"\n',
    );
    const { config: values, layers } = await read(await home.open());
    const expected = {
      log_dir: path.join(home.home, "logs"),
      sqlite_home: path.join(home.root, "user", "db"),
      approvals_reviewer: "auto_review",
    };
    expect(values).toMatchObject(expected);
    expect(layers?.[0]?.config).toEqual(expected);
  });

  test("never shows the headers of an exporter", async () => {
    const exporter = '{ otlp-http = { endpoint = "e", protocol = "json", headers = { key = "secret" } } }';
    const config = await createTestHome(`[otel]\nexporter = ${exporter}\n`).open({
      flags: { config: [`otel.trace_exporter=${exporter}`] },
    });
    expect(JSON.stringify(await read(config))).not.toContain("secret");
    const written = await config.write({
      keyPath: "otel.trace_exporter",
      value: "none",
      mergeStrategy: "replace",
    });
    expect(written).toMatchObject({ value: { status: "okOverridden" } });
    expect(JSON.stringify(written)).not.toContain("secret");
  });

  test("accepts the approval policy untrusted", async () => {
    const config = await createTestHome('approval_policy = "untrusted"\n').open();
    expect((await read(config)).config.approval_policy).toBe("untrusted");
  });

  test("sees a change by hand at once", async () => {
    const home = createTestHome('model = "a"\n');
    const config = await home.open();
    expect((await read(config)).config.model).toBe("a");
    home.write("home/config.toml", 'model = "b"\n');
    expect((await read(config)).config.model).toBe("b");
  });
});

describe("layers", () => {
  test("the highest layer wins, and every value tells where it is from", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("system/config.toml", 'model = "system"\nservice_tier = "system"\n[tui]\ntheme = "system"\n');
    home.write("home/config.toml", `model = "user"\ninstructions = "user"\n${trusted(project)}`);
    home.write("home/work.config.toml", 'model = "profile"\ncompact_prompt = "profile"\n');
    home.write("system/managed_config.toml", 'personality = "friendly"\n');
    const flags = { config: ["developer_instructions=flag"] };
    const config = await home.open({ profile: "work", flags });
    const result = await read(config, path.join(project, "sub", "deep"));
    expect(originsOf(result)).toEqual({
      model: "project",
      review_model: "project",
      instructions: "user",
      compact_prompt: "user",
      service_tier: "system",
      "tui.theme": "system",
      developer_instructions: "sessionFlags",
      personality: "legacyManagedConfigTomlFromFile",
      [`projects.${project}.trust_level`]: "user",
    });
    expect(result.config).toMatchObject({ model: "sub", review_model: "root", compact_prompt: "profile" });
    expect(result.layers?.map(({ name }) => name)).toEqual([
      { type: "legacyManagedConfigTomlFromFile", file: path.join(home.root, "system/managed_config.toml") },
      { type: "sessionFlags" },
      { type: "project", dotCodexFolder: path.join(project, "sub/.codex") },
      { type: "project", dotCodexFolder: path.join(project, ".codex") },
      { type: "user", file: path.join(home.home, "work.config.toml"), profile: "work" },
      { type: "user", file: home.configFile, profile: null },
      { type: "system", file: path.join(home.root, "system/config.toml") },
    ]);
  });

  test("the files of the user can be left out", async () => {
    const home = createTestHome();
    home.write("system/config.toml", 'model = "system"\n');
    home.write("home/config.toml", 'model = "user"\nno_such_key = 1\n');
    home.write("home/work.config.toml", 'model = "profile"\n');
    const config = await home.open({ profile: "work", ignoresUserFile: true });
    expect((await read(config, home.root)).config.model).toBe("system");
    expect(await config.startup()).toEqual({ ok: true, warnings: [] });
  });

  test("a project that nobody trusts is listed with advice and not used", async () => {
    const home = createTestHome('model = "user"\n');
    const project = createProject(home);
    const result = await read(await home.open(), path.join(project, "sub"));
    const disabledReason =
      "To load project-local config, hooks, and exec policies, " +
      `add ${project} as a trusted project in ${home.configFile}.`;
    expect(result.config.model).toBe("user");
    expect(result.layers?.slice(0, 2)).toMatchObject([
      {
        name: { dotCodexFolder: path.join(project, "sub/.codex") },
        config: { model: "sub" },
        disabledReason,
      },
      { name: { dotCodexFolder: path.join(project, ".codex") }, disabledReason },
    ]);
  });

  test("what a confined command could have written is not used, however much it is trusted", async () => {
    const home = createTestHome();
    const project = createProject(home);
    const sub = path.join(project, "sub");
    home.write("home/config.toml", trusted(project) + trusted(sub));
    const config = await home.open({ isWritten: (file) => file === path.join(sub, ".codex") });
    const result = await read(config, sub);
    expect(result.config.model).toBe("root");
    expect(result.layers?.[0]?.disabledReason).toMatch(
      `${path.join(sub, ".codex")} lies where sandboxed commands can write`,
    );
  });

  test("the folder that was spoken about more closely decides", async () => {
    const home = createTestHome();
    const project = createProject(home);
    const sub = path.join(project, "sub");
    home.write("home/config.toml", trusted(project) + trusted(sub, "untrusted"));
    const result = await read(await home.open(), sub);
    expect(result.config.model).toBe("root");
    expect(result.layers?.[0]?.disabledReason).toMatch(
      `${sub} is marked as untrusted in the effective configuration.`,
    );
  });

  test("other markers can show the root of a project, or none at all", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("project/sub/marker", "");
    const modelWith = async (markers: string) => {
      home.write(
        "home/config.toml",
        `project_root_markers = ${markers}\n${trusted(path.join(project, "sub"))}`,
      );
      const { config, layers } = await read(await home.open(), path.join(project, "sub/deep"));
      return [config.model, layers?.filter(({ name }) => name.type === "project").length];
    };
    expect(await modelWith('["marker"]')).toEqual(["sub", 1]);
    expect(await modelWith("[]")).toEqual([null, 0]);
  });

  test("a repository cannot choose where credentials go", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write(
      "project/.codex/config.toml",
      'openai_base_url = "http://evil"\nnotify = ["evil"]\nmodel = "m"\n[[webhooks]]\nurl = "http://evil"\n',
    );
    home.write("home/config.toml", trusted(project));
    const config = await home.open({ cwd: project });
    expect((await read(config, project)).config).toMatchObject({
      openai_base_url: null,
      notify: null,
      model: "m",
    });
    expect(await config.startup()).toMatchObject({
      warnings: [
        { summary: expect.stringContaining("config.toml: openai_base_url, notify, webhooks. If you want") },
      ],
    });
  });

  test("a repository cannot choose where threads are kept, and nobody is shown the password", async () => {
    const home = createTestHome();
    const project = createProject(home);
    const own = "postgres://user:secret@host/own";
    home.write("project/.codex/config.toml", '[store]\nurl = "postgres://theirs/db"\n');
    home.write("home/config.toml", `${trusted(project)}\n[store]\nurl = "${own}"\n`);
    const config = await home.open({ cwd: project });
    expect(await config.effective({ cwd: project })).toMatchObject({
      value: { values: { store: { url: own } } },
    });
    const shown = await read(config, project);
    expect(shown.config).toMatchObject({ store: { url: "[redacted]" } });
    expect(JSON.stringify(shown)).not.toContain("secret");
  });

  test("a repository cannot choose which threads are deleted", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("project/.codex/config.toml", "[retention]\nmax_age_days = 1\n");
    home.write("home/config.toml", `${trusted(project)}\n[retention]\nmax_bytes = 5\n`);
    const config = await home.open({ cwd: project });
    expect((await read(config, project)).config).toMatchObject({ retention: { max_bytes: 5 } });
    expect(await config.effective({ cwd: project })).toMatchObject({
      value: { values: { retention: { max_age_days: null, max_bytes: 5, keep_named: true } } },
    });
  });

  test("a linked worktree is trusted with its repository and runs the hooks of the main checkout", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("project/.codex/config.toml", '[[hooks.Stop]]\nmatcher = "main"\n');
    home.write("tree/.git", `gitdir: ${project}/.git/worktrees/tree\n`);
    home.write("project/.git/worktrees/tree/gitdir", path.join(home.root, "tree/.git"));
    home.write("project/.git/worktrees/tree/commondir", "../..\n");
    home.write("tree/.codex/config.toml", 'model = "tree"\n[[hooks.Stop]]\nmatcher = "tree"\n');
    home.write("home/config.toml", trusted(project));
    const { config, layers } = await read(await home.open(), path.join(home.root, "tree"));
    expect([config.model, layers?.[0]?.config]).toEqual([
      "tree",
      { model: "tree", hooks: { Stop: [{ matcher: "main" }] } },
    ]);
  });

  test("a folder that only claims to be a worktree is not trusted", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("fake/.git", `gitdir: ${project}/.git/worktrees/tree\n`);
    home.write("elsewhere/.git", `gitdir: ${project}/.git/worktrees/tree\n`);
    home.write("project/.git/worktrees/tree/gitdir", path.join(home.root, "elsewhere/.git"));
    home.write("project/.git/worktrees/tree/commondir", "../..\n");
    home.write("fake/.codex/config.toml", 'model = "fake"\n');
    home.write("home/config.toml", trusted(project));
    expect((await read(await home.open(), path.join(home.root, "fake"))).config.model).toBeNull();
  });

  test("the home folder is no project", async () => {
    const home = createTestHome('model = "user"\n');
    home.write("user/.git/HEAD", "ref");
    symlinkSync(home.home, path.join(home.root, "user/.codex"));
    const { layers } = await read(await home.open(), path.join(home.root, "user"));
    expect(layers?.map(({ name }) => name.type)).toEqual(["user", "system"]);
  });
});

describe("a configuration that cannot be used", () => {
  const cases: [name: string, content: string | Buffer, message: RegExp][] = [
    ["a syntax error", "a = 1\nfoo = = 1\n", /layers: \S+config\.toml:2:7: \S/],
    ["a key that is defined twice", 'model = "a"\nmodel = "b"\n', /layers: \S+config\.toml:2:1: \S/],
    [
      "bytes that are no text",
      Buffer.from([0x61, 0x0a, 0xff]),
      /invalid utf-8 sequence from index 2 \(line 2\)/,
    ],
    [
      "too many bytes",
      Buffer.alloc(10 * 1024 * 1024, "#"),
      /its 10485760 bytes are more than the limit of 8388608/,
    ],
    ["an integer beyond 64 bits", "a = 9223372036854775808\n", /integer does not fit into 64 bits/],
    [
      "a wrong type",
      "model = 3\n",
      /^invalid configuration: invalid type: integer `3`, expected a string\nin `model`\n$/,
    ],
    ["an unknown word", 'sandbox_mode = "x"\n', /unknown variant `x`, expected one of `read-only`, /],
    ["an unknown provider", 'model_provider = "zz"\n', /precedence: Model provider `zz` not found$/],
    ["a legacy profile", 'profile = "w"\n', /legacy `profile = "w"` config is no longer supported/],
    ["profiles without a choice", "[permissions.dev]\n", /does not set `default_permissions`$/],
    ["a choice without profiles", 'default_permissions = "dev"\n', /requires a `\[permissions\]` table$/],
  ];

  test.each(cases)("%s is an error that says where", async (_, content, message) => {
    const home = createTestHome();
    home.write("home/config.toml", content);
    expect(await errorOf(await home.open())).toMatch(message);
  });

  test("a byte order mark and Windows line ends are no errors", async () => {
    const config = await createTestHome('\uFEFFmodel = "m"\r\n[tui]\r\ntheme = "t"\r\n').open();
    expect((await read(config)).config).toMatchObject({ model: "m", tui: { theme: "t" } });
  });

  test("a folder in the place of the file is an error", async () => {
    const home = createTestHome();
    mkdirSync(home.configFile);
    expect(await errorOf(await home.open())).toBe(
      `failed to read configuration layers: Failed to read config file ${home.configFile}: ` +
        `path \`${home.configFile}\` is not a file`,
    );
  });

  test.skipIf(process.getuid?.() === 0)(
    "a file that may not be read is an error [root may read every file]",
    async () => {
      const home = createTestHome("");
      chmodSync(home.configFile, 0);
      expect(await errorOf(await home.open())).toMatch(/Permission denied \(os error 13\)$/);
    },
  );

  test("a symbolic link to itself is an error", async () => {
    const home = createTestHome();
    symlinkSync("config.toml", home.configFile);
    expect(await errorOf(await home.open())).toMatch(/Failed to read config file .*\(os error 40\)$/);
  });

  test("a broken project counts only when it is trusted", async () => {
    const home = createTestHome();
    const project = createProject(home);
    home.write("project/.codex/config.toml", "model = = 1\n");
    const config = await home.open();
    expect(await errorOf(config, project)).toBe("no error");
    home.write("home/config.toml", trusted(project));
    expect(await errorOf(config, project)).toMatch(
      /Error parsing project config file \S+: TOML parse error at line 1, column 9\n {2}\|\n1 \| model = = 1\n {2}\| {9}\^\n/,
    );
  });
});
