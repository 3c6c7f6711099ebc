import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome } from "./config.fixture.ts";
import { openConfig } from "./configuration.ts";

describe("at the start", () => {
  test("a good configuration has nothing to say", async () => {
    const config = await createTestHome('model = "m"\n[queue]\nafter_interrupt = "pause"\n').open();
    expect(await config.startup()).toEqual({ ok: true, warnings: [] });
  });

  test("unknown keys are listed, the first three by name", async () => {
    const home = createTestHome(
      "foo = 1\n[bar]\nbaz = 2\n[features]\nnope = true\n[mcp_servers.x]\ncommand = 'c'\nq = 1\n",
    );
    const line = (key: string) => `  user (${home.configFile}): \`${key}\` is ignored.`;
    expect(await (await home.open()).startup()).toEqual({
      ok: true,
      warnings: [
        {
          summary: [
            "Codex is ignoring 4 unrecognized configuration settings. Check for typos or deprecated settings.",
            line("bar"),
            line("features.nope"),
            line("foo"),
            "  ... and 1 more ignored settings.",
          ].join("\n"),
          details: null,
        },
      ],
    });
  });

  test("one unknown flag is named in the singular", async () => {
    const config = await createTestHome().open({ flags: { config: ["foo.bar=1"] } });
    expect(await config.startup()).toEqual({
      ok: true,
      warnings: [
        {
          summary:
            "Codex is ignoring 1 unrecognized configuration setting. Check for typos or deprecated settings.\n" +
            "  session-flags: `foo` is ignored.",
          details: null,
        },
      ],
    });
  });

  test("a broken file is a warning that points to the place", async () => {
    const home = createTestHome('model = "a"\n\nmodel_context_window = "x"\n');
    const message = 'invalid type: string "x", expected i64';
    expect(await (await home.open()).startup()).toEqual({
      ok: true,
      warnings: [
        {
          summary: "Invalid configuration; using defaults.",
          details: `${home.configFile}:3:24: ${message}`,
          path: home.configFile,
          range: { start: { line: 3, column: 24 }, end: { line: 3, column: 26 } },
        },
      ],
    });
  });

  test("a project that is not trusted is named", async () => {
    const home = createTestHome();
    home.write("project/.codex/config.toml", "");
    const project = path.join(home.root, "project");
    const report = await (await home.open({ cwd: project })).startup();
    expect(report).toEqual({
      ok: true,
      warnings: [
        {
          summary:
            "Project-local config, hooks, and exec policies are disabled in the following folders until the project " +
            `is trusted, but skills still load.\n    1. ${project}/.codex\n       To load project-local config, hooks, ` +
            `and exec policies, add ${project} as a trusted project in ${home.configFile}.\n`,
          details: null,
        },
      ],
    });
  });

  test.each([
    [["model=3"], "invalid type: integer `3`, expected a string\nin `model`\n"],
    [["profile=work"], /^legacy `profile = "work"` config is no longer supported/],
  ])("the flags %j keep the server from starting", async (flags, message) => {
    const config = await createTestHome().open({ flags: { config: flags } });
    expect(await config.startup()).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  test("a flag may name a provider that the file defines", async () => {
    const home = createTestHome('[model_providers.mine]\nname = "Mine"\n');
    const config = await home.open({ flags: { config: ["model_provider=mine"] } });
    expect(await config.startup()).toEqual({ ok: true, warnings: [] });
  });
});

describe("with strict configuration", () => {
  test.each([
    ['\nfoo = "bar"\n', "2:1: unknown configuration field `foo`"],
    ['model = "x"\n[tui]\nzzz = 1\n', "3:1: unknown configuration field `tui.zzz`"],
    ["[features]\nzzz = true\n", "2:1: unknown configuration field `features.zzz`"],
    ["model = 4\n", "1:9: invalid type: integer `4`, expected a string"],
    [
      "[[skills.config]]\nenabled = true\n[[skills.config]]\nenabled = true\nq = 1\n",
      "5:1: unknown configuration field `skills.config.1.q`",
    ],
  ])("%j keeps the server from starting", async (text, place) => {
    const home = createTestHome(text);
    const config = await home.open({ strict: true });
    expect(await config.startup()).toEqual({ ok: false, message: `${home.configFile}:${place}` });
  });

  test("so does an unknown flag", async () => {
    const config = await createTestHome().open({ strict: true, flags: { config: ["foo.bar=1"] } });
    const message = "unknown configuration field `foo` in -c/--config override";
    expect(await config.startup()).toEqual({ ok: false, message });
  });
});

describe("opening", () => {
  const options = { userHome: "/", cwd: "/", createId: () => "id" };

  test("makes the home folder for its owner", async () => {
    const { root } = createTestHome();
    const home = path.join(root, "a/b");
    expect(await openConfig({ ...options, home })).toMatchObject({ ok: true, config: { home } });
  });

  test("refuses a home that is a file", async () => {
    const { configFile } = createTestHome("");
    expect(await openConfig({ ...options, home: configFile })).toEqual({
      ok: false,
      message: `cannot use the home folder ${configFile}: it is not a folder; move it away, or set HEDDLE_HOME to another path`,
    });
  });

  test("refuses a profile that is no plain name", async () => {
    const { home } = createTestHome();
    expect(await openConfig({ ...options, home, profile: "../x" })).toEqual({
      ok: false,
      message: "invalid --profile value `../x`; pass a plain name such as `work`",
    });
  });

  test("a profile must not be defined in two places", async () => {
    const home = createTestHome('[profiles.work]\nmodel = "x"\n');
    const config = await home.open({ profile: "work" });
    expect(await config.read({})).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("--profile `work` cannot be used while") },
    });
  });
});
