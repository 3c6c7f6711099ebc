import { rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createTestHome, lateClock, type TestHome } from "../../config/config.fixture.ts";
import type { EffectiveRequest } from "../../config/get-effective.ts";
import { createHookReader, type HookReader } from "./hook-reader.ts";
import { createHooksFiles } from "./hooks-file.ts";
import { createSettingsFiles } from "./settings-file.ts";
import { findSkipReason } from "./skip-reason.ts";
import { skippedHooksWarning } from "./skipped-hooks.ts";

const stop = (...commands: readonly string[]) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }] } });
const stopToml = (command: string) =>
  `[[hooks.Stop]]\nhooks = [{ type = "command", command = "${command}" }]\n`;

interface Opened {
  readonly source: HookReader;
  /** The number of times that the configuration was read after the first read. */
  readonly reads: () => number;
}

async function openSource(
  home: TestHome,
  request: Omit<EffectiveRequest, "cwd"> & { readonly cwd?: string } = {},
  clock = lateClock,
): Promise<Opened> {
  const config = await home.open();
  const cwd = path.join(home.root, request.cwd ?? "project");
  const initial = await config.effective({ ...request, cwd });
  if (!initial.ok) throw new Error(initial.error.message);
  let reads = 0;
  const source = createHookReader({
    initial: initial.value,
    effective() {
      reads += 1;
      return config.effective({ ...request, cwd });
    },
    cwd,
    files: createHooksFiles(clock),
    settingsFiles: createSettingsFiles(clock),
    userHome: path.join(home.root, "user"),
    onClaudeRead() {},
    isSandboxWritable: () => false,
    otherFiles: [path.join(home.root, "system/requirements.toml")],
    clock,
    platform: "linux",
  });
  return { source, reads: () => reads };
}

/** Runs in a separate tick, because reads within one tick share a snapshot. */
async function commandsOf({ source }: Opened): Promise<string[]> {
  await setImmediate();
  const { hooks } = await source.current();
  return hooks.map(({ source, handler }) => `${source} ${handler.type === "command" ? handler.command : ""}`);
}

const trusting = (home: TestHome) => `[projects."${home.root}/project"]\ntrust_level = "trusted"\n`;

describe("hooks", () => {
  test.each([
    ["open", "open"],
    ["continue", "open"],
    ["closed", "closed"],
    ["block", "closed"],
  ])("of a table may set onFailure = %s", async (word, meaning) => {
    const home = createTestHome();
    const table = stopToml("x").replace(" }]", `, onFailure = "${word}" }]`);
    home.write("home/config.toml", table);
    home.write("system/requirements.toml", table);
    const { hooks, warnings } = await (await openSource(home)).source.current();
    expect([hooks.map(({ onFailure }) => onFailure), warnings]).toEqual([[meaning, meaning], []]);
  });

  test.each(["hooks.json", "config.toml", "requirements.toml"])(
    "count from the next event on when the system folder appears with its %s",
    async (name) => {
      const home = createTestHome();
      home.write("home/config.toml", "");
      const opened = await openSource(home);
      expect(await commandsOf(opened)).toEqual([]);
      home.write(`system/${name}`, name.endsWith(".json") ? stop("late") : stopToml("late"));
      expect(await commandsOf(opened)).toEqual(["system late"]);
      rmSync(path.join(home.root, "system"), { recursive: true });
      expect(await commandsOf(opened)).toEqual([]);
    },
  );

  test("of all sources are listed in one order", async () => {
    const home = createTestHome();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("home/config.toml", `${trusting(home)}${stopToml("user toml")}`);
    home.write("home/hooks.json", stop("user json"));
    home.write("system/requirements.toml", stopToml("required"));
    home.write("system/config.toml", stopToml("system toml"));
    home.write("system/hooks.json", stop("system json"));
    home.write("system/managed_config.toml", stopToml("legacy"));
    home.write("project/.codex/hooks.json", stop("root"));
    home.write("project/sub/.codex/config.toml", stopToml("nested"));
    const flag = [{ hooks: [{ type: "command", command: "flag" }] }];
    const opened = await openSource(home, { cwd: "project/sub", thread: { "hooks.Stop": flag } });
    expect(await commandsOf(opened)).toEqual([
      "system required",
      "system system json",
      "system system toml",
      "user user json",
      "user user toml",
      "project root",
      "project nested",
      "sessionFlags flag",
      "legacyManagedConfigFile legacy",
    ]);
    const { hooks, warnings } = await opened.source.current();
    expect(hooks.map(({ displayOrder }) => displayOrder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(hooks.flatMap(({ isManaged, displayOrder }) => (isManaged ? [displayOrder] : []))).toEqual([
      0, 1, 2, 8,
    ]);
    expect(hooks.at(-2)?.key).toBe("/<session-flags>/config.toml:stop:0:0");
    expect(warnings).toEqual(
      ["system", "home"].map(
        (folder) =>
          `loading hooks from both ${home.root}/${folder}/hooks.json and ${home.root}/${folder}/config.toml; prefer a single representation for this layer`,
      ),
    );
  });

  test("of a project that is not trusted do not count", async () => {
    const home = createTestHome();
    home.write("project/.codex/hooks.json", stop("project"));
    expect(await commandsOf(await openSource(home))).toEqual([]);
  });

  test("of a linked worktree are those of the main checkout, with their keys", async () => {
    const home = createTestHome();
    home.write("home/config.toml", trusting(home));
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("project/.git/worktrees/tree/commondir", "../..\n");
    home.write("project/.git/worktrees/tree/gitdir", `${home.root}/tree/.git\n`);
    home.write("project/.codex/hooks.json", stop("main"));
    home.write("tree/.git", `gitdir: ${home.root}/project/.git/worktrees/tree\n`);
    home.write("tree/.codex/hooks.json", stop("tree"));
    const opened = await openSource(home, { cwd: "tree" });
    expect((await opened.source.current()).hooks.map(({ key }) => key)).toEqual([
      `${home.root}/project/.codex/hooks.json:stop:0:0`,
    ]);
  });

  test("are only those of the administrator where requirements say so", async () => {
    const home = createTestHome(stopToml("user"));
    home.write("system/requirements.toml", `allow_managed_hooks_only = true\n${stopToml("required")}`);
    expect(await commandsOf(await openSource(home))).toEqual(["system required"]);
  });

  test("have the folder of the administrator's programs as their source", async () => {
    const home = createTestHome();
    home.write("system/requirements.toml", `[hooks]\nmanaged_dir = "/opt/hooks"\n${stopToml("required")}`);
    const { hooks } = await (await openSource(home)).source.current();
    expect(hooks.map(({ key, sourcePath }) => [key, sourcePath])).toEqual([
      ["/opt/hooks:stop:0:0", "/opt/hooks"],
    ]);
  });

  test("that the administrator requires and that cannot run are reported separately", async () => {
    const home = createTestHome(
      '[[hooks.PreToolUse]]\nmatcher = "["\nhooks = [{ type = "command", command = "c" }]\n',
    );
    home.write("system/requirements.toml", '[[hooks.Stop]]\nhooks = [{ type = "command", command = "" }]\n');
    const { requiredFailures, warnings } = await (await openSource(home)).source.current();
    expect(requiredFailures).toEqual([
      `skipping empty hook command in ${home.root}/system/requirements.toml (hooks.Stop[0].hooks[0])`,
    ]);
    expect(warnings).toHaveLength(2);
  });

  test("can be switched off as a whole", async () => {
    const home = createTestHome(`features.hooks = false\n${stopToml("user")}`);
    expect(await commandsOf(await openSource(home))).toEqual([]);
  });

  test.each<[whose: string, file: string, left: readonly string[]]>([
    ["the project's", "project/.codex/config.toml", ["system required", "user user"]],
    ["the user's", "home/config.toml", ["system required"]],
    ["the administrator's", "system/requirements.toml", ["system required"]],
  ])("disabled in %s file, those of other sources remain enabled", async (_, file, left) => {
    const home = createTestHome();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    const texts = {
      "home/config.toml": `${trusting(home)}${stopToml("user")}`,
      "system/requirements.toml": stopToml("required"),
      "project/.codex/config.toml": stopToml("project"),
    };
    for (const [name, text] of Object.entries(texts))
      home.write(name, name === file ? `features.hooks = false\n${text}` : text);
    expect(await commandsOf(await openSource(home))).toEqual(left);
  });
});

describe("a change", () => {
  test("of a file is detected, and without a change nothing is read again", async () => {
    const home = createTestHome();
    const file = home.write("home/hooks.json", stop("one"));
    const opened = await openSource(home);
    expect(await commandsOf(opened)).toEqual(["user one"]);
    const before = await opened.source.current();
    expect(await opened.source.current()).toBe(before);
    expect(opened.reads()).toBe(0);
    writeFileSync(file, stop("one", "two"));
    expect(await commandsOf(opened)).toEqual(["user one", "user two"]);
    home.write("home/config.toml", stopToml("three"));
    expect(await commandsOf(opened)).toEqual(["user one", "user two", "user three"]);
    rmSync(file);
    expect(await commandsOf(opened)).toEqual(["user three"]);
    expect(opened.reads()).toBe(3);
  });

  test("of equal size a moment after another is seen too", async () => {
    const home = createTestHome();
    const file = home.write("home/hooks.json", stop("one"));
    const opened = await openSource(home, {}, systemClock);
    const now = new Date();
    utimesSync(file, now, now);
    expect(await commandsOf(opened)).toEqual(["user one"]);
    writeFileSync(file, stop("two"));
    utimesSync(file, now, now);
    expect(await commandsOf(opened)).toEqual(["user two"]);
  });

  test("in a trusted project without hooks is detected", async () => {
    const home = createTestHome();
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write("home/config.toml", trusting(home));
    const opened = await openSource(home);
    expect(await commandsOf(opened)).toEqual([]);
    home.write("project/.codex/hooks.json", stop("new"));
    expect(await commandsOf(opened)).toEqual(["project new"]);
  });

  test("hidden by recent timestamps is detected, but not checked for by events in quick succession", async () => {
    const home = createTestHome();
    home.write("home/hooks.json", stop("one"));
    let time = 0;
    const opened = await openSource(home, {}, { ...systemClock, monotonic: () => time });
    await commandsOf(opened);
    for (const [at, reads] of [
      [99, 0],
      [100, 1],
      [199, 1],
      [200, 2],
    ] as const) {
      time = at;
      await commandsOf(opened);
      expect(opened.reads()).toBe(reads);
    }
  });

  test("that breaks the configuration leaves the previous hooks in force", async () => {
    const home = createTestHome(stopToml("user"));
    const opened = await openSource(home);
    expect(await commandsOf(opened)).toEqual(["user user"]);
    home.write("home/config.toml", "= 3");
    expect(await opened.source.current()).toMatchObject({
      hooks: [{}],
      errors: [{ message: expect.any(String) as string }],
    });
  });

  test("of the user's state for a hook is detected", async () => {
    const home = createTestHome();
    home.write("home/hooks.json", stop("one"));
    const opened = await openSource(home);
    const [hook] = (await opened.source.current()).hooks;
    expect(hook?.trustStatus).toBe("untrusted");
    home.write("home/config.toml", `[hooks.state."${hook?.key}"]\ntrusted_hash = "${hook?.currentHash}"\n`);
    expect((await opened.source.current()).hooks).toMatchObject([{ trustStatus: "trusted" }]);
  });
});

describe("hooks that do not run", () => {
  test("are listed in one warning with the reason and the remedy", async () => {
    const home = createTestHome();
    home.write("home/hooks.json", stop("one", "two", "three"));
    const key = (index: number) => `${home.home}/hooks.json:stop:0:${index}`;
    home.write(
      "home/config.toml",
      `[hooks.state]\n"${key(1)}" = { trusted_hash = "x" }\n"${key(2)}" = { enabled = false }\n`,
    );
    const { hooks, ...rest } = await (await openSource(home)).source.current();
    expect(hooks.map(findSkipReason)).toEqual(["untrusted", "modified", "disabled"]);
    expect(skippedHooksWarning({ hooks, ...rest })).toBe(
      [
        "2 hooks do not run. Look at them, and then trust them with `heddle hooks trust`.",
        `  ${key(0)} is not trusted: one`,
        `  ${key(1)} has changed since it was trusted: two`,
      ].join("\n"),
    );
  });

  test("are few where trust is bypassed: those that are switched off", async () => {
    const home = createTestHome();
    home.write("home/hooks.json", stop("one", "two"));
    home.write(
      "home/config.toml",
      `[hooks.state]\n"${home.home}/hooks.json:stop:0:1" = { enabled = false }\n`,
    );
    const { source } = await openSource(home, { thread: { bypass_hook_trust: true } });
    const found = await source.current();
    expect(found.hooks.map(findSkipReason)).toEqual([null, "disabled"]);
    expect(skippedHooksWarning(found)).toBeNull();
  });
});
