import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestHome, lateClock, type TestHome } from "./config.fixture.ts";
import type { Configuration } from "./configuration.ts";
import type { Effective } from "./get-effective.ts";

describe("the effective configuration", () => {
  test("has a value for every key", async () => {
    const effective = await (await createTestHome().open()).effective();
    expect(effective).toMatchObject({
      ok: true,
      value: {
        values: {
          approvals: { timeout_sec: 86_400 },
          queue: { after_interrupt: "continue", max_per_thread: 100 },
          limits: { max_pending_requests: 1024 },
          hooks: null,
        },
        requirements: null,
        trustLevel: undefined,
        warnings: [],
      },
    });
  });

  test("what a thread asks for is above everything else", async () => {
    const home = createTestHome('model = "user"\n[tui]\ntheme = "user"\nanimations = false\n');
    const config = await home.open({ flags: { config: ["model=flag"] } });
    const effective = await config.effective({
      thread: { model: "thread", "tui.theme": "thread", bypass_hook_trust: true },
    });
    expect(effective).toMatchObject({
      value: {
        values: { model: "thread", tui: { theme: "thread", animations: false } },
        warnings: [],
      },
    });
  });

  test("warns of wishes that mean nothing", async () => {
    const effective = await (await createTestHome().open()).effective({ thread: { foo: 1 } });
    expect(effective.ok && effective.value.warnings).toEqual([
      "Codex is ignoring 1 unrecognized configuration setting. Check for typos or deprecated settings.\n" +
        "  session-flags: `foo` is ignored.",
    ]);
  });

  test.each([
    [{ model: 3 }, "invalid type: integer `3`, expected a string\nin `model`\n"],
    [{ model_provider: "zz" }, "Model provider `zz` not found"],
    [{ bypass_hook_trust: "x" }, "`bypass_hook_trust` override must be a boolean"],
  ])("the wish %j is refused", async (thread, message) => {
    expect(await (await createTestHome().open()).effective({ thread })).toEqual({
      ok: false,
      error: { message },
    });
  });

  test("a broken file is refused with its place", async () => {
    const home = createTestHome("[tui]\nanimations = 3\n");
    expect(await (await home.open()).effective()).toEqual({
      ok: false,
      error: { message: `${home.configFile}:2:14: invalid type: integer \`3\`, expected a boolean` },
    });
  });

  test("layers name the folder whose hooks belong to them", async () => {
    const home = createTestHome();
    home.write("project/.codex/hooks.json", "{}");
    const effective = await (await home.open()).effective({ cwd: "project" });
    const layers = effective.ok ? effective.value.layers : [];
    expect(layers.map(({ source, hooksFolder }) => [source.type, hooksFolder])).toEqual([
      ["system", undefined],
      ["user", undefined],
      ["project", path.join(home.root, "project/.codex")],
    ]);
  });

  test("secrets are there for the server itself", async () => {
    const exporter = '{ otlp-grpc = { endpoint = "e", headers = { key = "secret" } } }';
    const effective = await (await createTestHome(`otel.exporter = ${exporter}\n`).open()).effective();
    expect(effective).toMatchObject({
      value: { values: { otel: { exporter: { "otlp-grpc": { headers: { key: "secret" } } } } } },
    });
  });
});

describe("a repeated read", () => {
  const valueOf = async (read: ReturnType<Configuration["effective"]>): Promise<Effective> => {
    const effective = await read;
    if (!effective.ok) throw new Error(effective.error.message);
    return effective.value;
  };

  test("returns the same object for the same request", async () => {
    const home = createTestHome('model = "a"\n');
    home.write("project/.codex/config.toml", 'model = "b"\n');
    const config = await home.open({ clock: lateClock });
    const request = { cwd: "project", thread: { "tui.theme": "x" } };
    const first = await valueOf(config.effective(request));
    expect(await valueOf(config.effective({ ...request }))).toBe(first);
    expect(await valueOf(config.effective({ cwd: "project" }))).not.toBe(first);
    expect(await valueOf(config.effective({ ...request, cwd: "." }))).not.toBe(first);
  });

  test.each<[string, (home: TestHome, config: Configuration) => unknown]>([
    ["a changed user file", (home) => home.write("home/config.toml", 'model = "b"\n')],
    ["a new project file", (home) => home.write("project/.codex/config.toml", 'model = "b"\n')],
    ["a repository around the folder", (home) => home.write(".git/HEAD", "ref: refs/heads/main\n")],
    [
      "new requirements",
      (home) => home.write("system/requirements.toml", 'allowed_approval_policies = ["never"]\n'),
    ],
    ["a feature that is switched while running", (_home, config) => config.setFeatures({ memories: true })],
    ["new trust in the project", (_home, config) => config.trustProject("project")],
  ])("sees %s", async (_what, change) => {
    const home = createTestHome('model = "a"\n');
    home.write("project/README", "");
    const config = await home.open();
    const first = await valueOf(config.effective({ cwd: "project" }));
    await change(home, config);
    expect(await valueOf(config.effective({ cwd: "project" }))).not.toBe(first);
  });
});

describe("features", () => {
  test("are switched by files, by flags, and while running unless one of these names them", async () => {
    const home = createTestHome(
      "[features]\nmemories = true\ncollab = false\n[features.multi_agent_v2]\nenabled = true\n",
    );
    const config = await home.open({ flags: { disable: ["mentions_v2"] } });
    config.setFeatures({ memories: false, tool_suggest: false });
    const effective = await config.effective();
    const features = effective.ok ? effective.value.features : new Map<string, boolean>();
    const names = ["memories", "multi_agent", "multi_agent_v2", "mentions_v2", "tool_suggest", "shell_tool"];
    expect(names.map((name) => features.get(name))).toEqual([true, false, true, false, false, true]);
  });
});
