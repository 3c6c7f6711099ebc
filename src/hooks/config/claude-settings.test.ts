import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome, lateClock, type TestHome } from "../../config/config.fixture.ts";
import { createHookReader } from "./hook-reader.ts";
import { createHooksFiles } from "./hooks-file.ts";
import { createSettingsFiles } from "./settings-file.ts";

const stop = (...commands: readonly string[]) => ({
  Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }],
});
const settings = (hooks: object, more: object = {}) => JSON.stringify({ ...more, hooks });

interface Place {
  readonly cwd?: string;
  readonly thread?: Readonly<Record<string, unknown>>;
  /** The folder that sandboxed commands could write. */
  readonly writable?: string;
}

async function openSource(
  home: TestHome,
  { cwd: folder = "project", thread = {}, writable = "elsewhere" }: Place = {},
) {
  const config = await home.open();
  const cwd = path.join(home.root, folder);
  const initial = await config.effective({ cwd, thread });
  if (!initial.ok) throw new Error(initial.error.message);
  const source = createHookReader({
    initial: initial.value,
    effective: () => config.effective({ cwd, thread }),
    cwd,
    files: createHooksFiles(lateClock),
    settingsFiles: createSettingsFiles(lateClock),
    userHome: path.join(home.root, "user"),
    onClaudeRead() {},
    isSandboxWritable: (file) => file.startsWith(path.join(home.root, writable)),
    otherFiles: [],
    clock: lateClock,
    platform: "linux",
  });
  return {
    async commands() {
      const { hooks } = await source.current();
      return hooks.map(({ handler, dialect }) => `${dialect} ${"command" in handler ? handler.command : ""}`);
    },
    warnings: async () => (await source.current()).warnings,
    hooks: async () => (await source.current()).hooks,
  };
}

const ON = "[hooks]\nclaude = true\n";
const trusting = (home: TestHome, level = "trusted") =>
  `[projects."${home.root}/project"]\ntrust_level = "${level}"\n`;

function createHome(config: (home: TestHome) => string = (home) => `${ON}${trusting(home)}`): TestHome {
  const home = createTestHome();
  home.write("project/.git/HEAD", "ref: refs/heads/main\n");
  home.write("home/config.toml", config(home));
  home.write("home/hooks.json", settings(stop("own")));
  home.write("user/.claude/settings.json", settings(stop("user")));
  home.write("project/.claude/settings.json", settings(stop("project")));
  home.write("project/.claude/settings.local.json", settings(stop("local")));
  home.write("project/sub/.claude/settings.json", settings(stop("nested")));
  return home;
}

const ALL = ["codex own", "claude user", "claude project", "claude local"];

describe("settings of Claude Code", () => {
  test("are listed last, the user's first, then those of the project root", async () => {
    const opened = await openSource(createHome(), { cwd: "project/sub" });
    expect(await opened.commands()).toEqual(ALL);
    expect((await opened.hooks()).map(({ source, displayOrder }) => [source, displayOrder])).toEqual([
      ["user", 0],
      ["user", 1],
      ["project", 2],
      ["project", 3],
    ]);
  });

  test("do not count unless the user asks for them", async () => {
    expect(await (await openSource(createHome(trusting))).commands()).toEqual(["codex own"]);
    const asked = await openSource(createHome(trusting), { thread: { "hooks.claude": true } });
    expect(await asked.commands()).toEqual(ALL);
    const home = createHome(trusting);
    home.write("project/.codex/config.toml", ON);
    expect(await (await openSource(home)).commands()).toEqual(["codex own"]);
    const refused = await openSource(createHome(), { thread: { "hooks.claude": false } });
    expect(await refused.commands()).toEqual(["codex own"]);
  });

  test.each(["untrusted", null])("of a project that is %s do not count", async (level) => {
    const home = createHome((made) => `${ON}${level === null ? "" : trusting(made, level)}`);
    expect(await (await openSource(home)).commands()).toEqual(["codex own", "claude user"]);
  });

  test("do not count where only the administrator's hooks may run", async () => {
    const home = createHome();
    home.write("system/requirements.toml", "allow_managed_hooks_only = true\n");
    expect(await (await openSource(home)).commands()).toEqual([]);
  });

  test.each([
    ["user/.claude/settings.json", ["codex own"]],
    ["project/.claude/settings.local.json", ["codex own", "claude user"]],
  ])("that disable all hooks in %s leave the hooks of other sources enabled", async (file, left) => {
    const home = createHome();
    home.write(file, settings(stop("off"), { disableAllHooks: true }));
    expect(await (await openSource(home)).commands()).toEqual(left);
  });

  test("that sandboxed commands can write disable nothing, and the user is warned", async () => {
    const home = createHome();
    home.write("project/.claude/settings.local.json", settings(stop("local"), { disableAllHooks: true }));
    const opened = await openSource(home, { writable: "project" });
    expect(await opened.commands()).toEqual(ALL);
    expect(await opened.warnings()).toEqual([
      expect.stringMatching(/^disableAllHooks of .* does not count/u),
    ]);
  });

  test("that confined commands can write do not lose trusted hooks in silence", async () => {
    const home = createHome();
    const key = (index: number) => `${home.root}/project/.claude/settings.json:stop:0:${index}`;
    const state = [0, 1, 2].map((index) => `[hooks.state."${key(index)}"]\ntrusted_hash = "sha256:x"\n`);
    home.write("home/config.toml", `${ON}${trusting(home)}${state.join("")}enabled = false\n`);
    const gone = `hooks that were trusted are gone from ${home.root}/project/.claude/settings.json, which sandboxed commands can write: ${key(1)}`;
    const opened = await openSource(home, { writable: "project" });
    expect(await opened.warnings()).toEqual([expect.stringContaining(gone)]);
    expect(await (await openSource(home)).warnings()).toEqual([]);
  });

  test("that repeat a hook count once, as the trusted copy", async () => {
    const home = createHome();
    home.write("project/.claude/settings.json", settings(stop("user", "user")));
    home.write("project/.claude/settings.local.json", settings(stop("user")));
    const opened = await openSource(home);
    const [, first, ...others] = await opened.hooks();
    expect([first?.sourcePath, others]).toEqual([`${home.root}/user/.claude/settings.json`, []]);
    const key = `${home.root}/project/.claude/settings.local.json:stop:0:0`;
    home.write(
      "home/config.toml",
      `${ON}${trusting(home)}[hooks.state."${key}"]\ntrusted_hash = "${first?.currentHash}"\n`,
    );
    expect((await opened.hooks()).slice(1)).toMatchObject([{ key, trustStatus: "trusted" }]);
  });

  test("are read again after a change, and after the user enables them", async () => {
    const home = createHome(trusting);
    const opened = await openSource(home);
    expect(await opened.commands()).toEqual(["codex own"]);
    home.write("home/config.toml", `${ON}${trusting(home)}`);
    expect(await opened.commands()).toEqual(ALL);
    home.write("user/.claude/settings.json", settings(stop("changed")));
    expect(await opened.commands()).toEqual(ALL.with(1, "claude changed"));
  });

  test.each<[text: string, warning: RegExp | null]>([
    ["", null],
    ["{}", null],
    ['{"hooks": null}', null],
    ["{", /^no hooks of .*settings\.json run, because it cannot be read: /u],
    ["[]", /cannot be read: expected an object, found a list$/u],
    ['{"hooks": []}', /hooks: expected a table, found a list$/u],
    [settings({ Setup: [], Interrupt: [], __proto__: [] }), /does not have them: "Setup", "Interrupt"$/u],
    [settings({ Stop: [{ hooks: [{ type: "agent", prompt: "x" }] }] }), /^skipping agent hook in /u],
    [
      settings({ Stop: [{ hooks: [{ type: "command", command: "x", once: true }] }] }),
      /^ignoring once for /u,
    ],
    [
      settings({ Stop: [{ hooks: [{ type: "command", command: "x", if: "Bash(ls)" }] }] }),
      /: if: Stop is about no tool/u,
    ],
    [
      settings({ PreToolUse: [{ hooks: [{ type: "command", command: "x", if: "Edit(*.ts)" }] }] }),
      /: if: expected the name of a tool, or commands such as .*, found "Edit\(\*\.ts\)"$/u,
    ],
    [
      settings({ Stop: [{ hooks: [{ type: "command", command: "x", shell: "powershell" }] }] }),
      /: shell: expected "bash", found "powershell"$/u,
    ],
    [
      settings({ Stop: [{ hooks: [{ type: "command", command: "x", args: [1] }] }] }),
      /: args: expected a list of strings, found a list$/u,
    ],
    [
      settings({ SessionEnd: [{ hooks: [{ type: "command", command: "x", timeout: 60 }] }] }),
      /^clamping SessionEnd hook timeout to 3s in /u,
    ],
  ])("that are %j warn so", async (text, warning) => {
    const home = createHome();
    home.write("user/.claude/settings.json", text);
    const warnings = await (await openSource(home)).warnings();
    expect(warnings).toEqual(warning === null ? [] : [expect.stringMatching(warning)]);
  });

  test("send only the variables that they name as allowed", async () => {
    const home = createHome();
    const headers = { a: "Bearer $TOKEN", b: "${OTHER}x", c: "${TOKEN}" };
    const hook = { type: "http", url: "https://h/", headers, allowedEnvVars: ["TOKEN"] };
    home.write("user/.claude/settings.json", settings({ Stop: [{ hooks: [hook] }] }));
    const [, found] = await (await openSource(home)).hooks();
    expect(found?.handler).toMatchObject({ headers: { a: "Bearer ${TOKEN}", b: "x", c: "${TOKEN}" } });
  });
});
