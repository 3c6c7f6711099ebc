import { chmodSync, lstatSync, renameSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigValueWriteParams } from "../protocol/generated/types.ts";
import { createTestHome } from "./config.fixture.ts";
import { parseKeyPath } from "./config-edit.ts";
import type { Configuration } from "./configuration.ts";

type Extra = Partial<ConfigValueWriteParams>;

const edit = (keyPath: string, value: unknown, extra: Extra = {}): ConfigValueWriteParams => ({
  keyPath,
  value,
  mergeStrategy: "replace",
  ...extra,
});

/** `ok`, or the code and the message of the refusal. */
async function write(
  config: Configuration,
  keyPath: string,
  value: unknown,
  extra?: Extra,
): Promise<unknown> {
  const written = await config.write(edit(keyPath, value, extra));
  return written.ok ? written.value.status : [written.error.writeCode, written.error.message];
}

/** The version of the user's file, as a client learns it. */
async function versionOf(config: Configuration): Promise<string> {
  const read = await config.read({ includeLayers: true });
  const layers = (read.ok && read.value.layers) || [];
  return layers.find(({ name }) => name.type === "user")?.version ?? "";
}

const file = `# top
model = "a" # trailing

# about tui
[tui]
# inner
animations = false # x
`;

describe("config/value/write", () => {
  test("changes the file, keeps its comments and answers with its new version", async () => {
    const home = createTestHome(file);
    const config = await home.open();
    const written = await config.write(edit("model", "b"));
    expect(written).toEqual({
      ok: true,
      value: {
        status: "ok",
        version: await versionOf(config),
        filePath: home.configFile,
        overriddenMetadata: null,
      },
    });
    expect(home.read("home/config.toml")).toBe(file.replace('"a"', '"b"'));
    expect(home.list("home")).toEqual(["config.toml"]);
  });

  test("makes the file, for its owner only", async () => {
    const home = createTestHome();
    const config = await home.open();
    expect(await write(config, "tui.theme", "dark")).toBe("ok");
    expect(home.read("home/config.toml")).toBe('[tui]\ntheme = "dark"\n');
    expect(statSync(home.configFile).mode & 0o777).toBe(0o600);
  });

  test("null removes a key, and one that is not there is no error", async () => {
    const home = createTestHome(file);
    const config = await home.open();
    expect([await write(config, "tui", null), await write(config, "nope.nope", null)]).toEqual(["ok", "ok"]);
    expect(home.read("home/config.toml")).toBe('# top\nmodel = "a" # trailing\n');
  });

  test("upsert merges a table, replace replaces it", async () => {
    const home = createTestHome(file);
    const config = await home.open();
    await write(config, "tui", { theme: "dark" }, { mergeStrategy: "upsert" });
    expect(home.read("home/config.toml")).toBe(`${file}theme = "dark"\n`);
    await write(config, "tui", { theme: "light" });
    expect(home.read("home/config.toml")).toBe(file.replace(/# inner[^]*/, 'theme = "light"\n'));
  });

  test("keeps the comments inside a list that it changes", async () => {
    const home = createTestHome('notify = [\n  "a", # first\n  "b", # second\n]\n');
    await write(await home.open(), "notify", ["a", "b", "c"]);
    expect(home.read("home/config.toml")).toBe('notify = [\n  "a", # first\n  "b", # second\n  "c",\n]\n');
  });

  test("writes through a symbolic link and keeps the mode of the file", async () => {
    const home = createTestHome(file);
    const real = path.join(home.root, "real.toml");
    renameSync(home.configFile, real);
    chmodSync(real, 0o640);
    symlinkSync(real, home.configFile);
    expect(await write(await home.open(), "model", "b")).toBe("ok");
    expect(lstatSync(home.configFile).isSymbolicLink()).toBe(true);
    expect([home.read("real.toml"), statSync(real).mode & 0o777]).toEqual([
      file.replace('"a"', '"b"'),
      0o640,
    ]);
  });

  test("writes the file that a dangling link points to", async () => {
    const home = createTestHome();
    symlinkSync("elsewhere.toml", home.configFile);
    expect(await write(await home.open(), "model", "b")).toBe("ok");
    expect(home.read("home/elsewhere.toml")).toBe('model = "b"\n');
  });

  test("writes to the profile that was chosen", async () => {
    const home = createTestHome('model = "a"\n');
    const config = await home.open({ profile: "work" });
    expect(await write(config, "model", "b")).toBe("ok");
    expect([home.read("home/config.toml"), home.read("home/work.config.toml")]).toEqual([
      'model = "a"\n',
      'model = "b"\n',
    ]);
  });

  test("says which layer hides the value", async () => {
    const config = await createTestHome().open({ flags: { config: ["model=flag"] } });
    const written = await config.write(edit("model", "b"));
    expect(written).toMatchObject({
      value: {
        status: "okOverridden",
        overriddenMetadata: {
          message: "Overridden by session flags",
          overridingLayer: { name: { type: "sessionFlags" } },
          effectiveValue: "flag",
        },
      },
    });
    expect(await write(config, "model", "flag")).toBe("ok");
  });

  test("does not touch the file when nothing changes", async () => {
    const home = createTestHome(file);
    const before = statSync(home.configFile).ino;
    expect(await write(await home.open(), "model", "a")).toBe("ok");
    expect(statSync(home.configFile).ino).toBe(before);
  });
});

describe("a write that is refused leaves the file alone", () => {
  const invalid = "configValidationError";
  const cases: [keyPath: string, value: unknown, extra: Extra, refusal: unknown[]][] = [
    ["", "x", {}, [invalid, "keyPath must not be empty"]],
    [
      "model",
      3,
      {},
      [invalid, "Invalid configuration: invalid type: integer `3`, expected a string\nin `model`\n"],
    ],
    [
      "model.x.y",
      1,
      {},
      [invalid, "Invalid configuration: invalid type: map, expected a string\nin `model`\n"],
    ],
    ["model.x", 1, {}, [invalid, "cannot set value on non-table parent"]],
    [
      "desktop.a",
      { b: null },
      {},
      [invalid, "invalid value: invalid type: null, expected any valid TOML value"],
    ],
    [
      "log_dir",
      "here",
      {},
      [invalid, expect.stringContaining("deserialized without a base path\nin `log_dir`")],
    ],
    ["profile", "x", {}, [invalid, expect.stringContaining("`profile` is a legacy config selector")]],
    [
      "profiles.x",
      {},
      {},
      [invalid, expect.stringContaining("`profiles` contains legacy config profile tables")],
    ],
    ["mcp_servers.x", {}, {}, [invalid, "Invalid configuration: invalid transport\nin `mcp_servers.x`\n"]],
    [
      "model",
      "b",
      { expectedVersion: "sha256:old" },
      [
        "configVersionConflict",
        "Configuration was modified since last read. Fetch latest version and retry.",
      ],
    ],
    [
      "model",
      "b",
      { filePath: "/other.toml" },
      ["configLayerReadonly", "Only writes to the user config are allowed"],
    ],
  ];

  test.each(cases)("%s = %j %j", async (keyPath, value, extra, refusal) => {
    const home = createTestHome(file);
    expect(await write(await home.open(), keyPath, value, extra)).toEqual(refusal);
    expect(home.read("home/config.toml")).toBe(file);
  });

  test("when the file is broken it says so", async () => {
    const home = createTestHome("model = = 2\n");
    expect(await write(await home.open(), "model", "b")).toEqual([
      undefined,
      `failed to load configuration: ${home.configFile}:1:9: invalid value`,
    ]);
  });

  test("unless it repairs what was wrong", async () => {
    const home = createTestHome("model = 2\n");
    const config = await home.open();
    expect(await write(config, "review_model", "r")).toEqual([
      invalid,
      expect.stringContaining("in `model`"),
    ]);
    expect(await write(config, "model", "b")).toBe("ok");
  });
});

describe("config/batchWrite", () => {
  test("applies its edits in order and all or none", async () => {
    const home = createTestHome('model = "a"\n');
    const config = await home.open();
    expect(await config.batchWrite({ edits: [edit("model", "b"), edit("tui.theme", 5)] })).toMatchObject({
      ok: false,
    });
    expect(home.read("home/config.toml")).toBe('model = "a"\n');
    const edits = [
      edit("a.b", 1),
      edit("a", { c: 1 }, { mergeStrategy: "upsert" }),
      edit("model", 5),
      edit("model", "ok"),
    ];
    expect(await config.batchWrite({ edits })).toMatchObject({ ok: true });
    expect(home.read("home/config.toml")).toBe('model = "ok"\n\n[a]\nb = 1\nc = 1\n');
  });
});

describe("trust", () => {
  test("is written for the repository around a folder, once", async () => {
    const home = createTestHome('model = "a"\n');
    home.write("project/.git/HEAD", "ref");
    home.write("project/sub/file", "");
    const project = path.join(home.root, "project");
    const config = await home.open();
    const expected = `model = "a"\n\n[projects."${project}"]\ntrust_level = "trusted"\n`;
    for (let time = 0; time < 2; time += 1) {
      expect(await config.trustProject("project/sub")).toEqual({ ok: true, value: project });
      expect(home.read("home/config.toml")).toBe(expected);
    }
    expect(await config.effective({ cwd: "project/sub" })).toMatchObject({
      value: { trustLevel: "trusted" },
    });
  });

  test("replaces an earlier refusal and joins an inline table", async () => {
    const home = createTestHome();
    home.write("project/file", "");
    const project = path.join(home.root, "project");
    home.write("home/config.toml", `projects = { "${project}" = { trust_level = "untrusted" } }\n`);
    await (await home.open()).trustProject(project);
    expect(home.read("home/config.toml")).toBe(`projects = { "${project}" = { trust_level = "trusted" } }\n`);
  });
});

describe("writes at the same time", () => {
  test("none is lost, whichever object they go through", async () => {
    const home = createTestHome("# kept\n");
    const configs = [await home.open(), await home.open(), await home.open()];
    const writes = Array.from({ length: 30 }, (_, index) =>
      write(configs[index % 3] as Configuration, `desktop.key${index}`, index),
    );
    expect(await Promise.all(writes)).toEqual(Array.from({ length: 30 }, () => "ok"));
    const read = await (configs[0] as Configuration).read({});
    expect(read.ok && read.value.config.desktop).toEqual(
      Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, index])),
    );
    expect(home.read("home/config.toml")).toMatch(/^# kept\n/);
    expect(home.list("home")).toEqual(["config.toml"]);
  });

  test("of those that expect the same version one wins", async () => {
    const home = createTestHome('model = "a"\n');
    const [first, second] = [await home.open(), await home.open()];
    const expectedVersion = await versionOf(first);
    const outcomes = await Promise.all([
      write(first, "model", "b", { expectedVersion }),
      write(second, "model", "c", { expectedVersion }),
    ]);
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(outcomes).toContainEqual(["configVersionConflict", expect.any(String)]);
  });
});

test("any JSON written at any odd key path is read back", async () => {
  const home = createTestHome(file);
  const config = await home.open();
  const key = fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom("a", ".", '"', "\\", " ", "é", "#", "]", "\n"),
  });
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.dictionary(fc.string(), fc.boolean()),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(key, { minLength: 1, maxLength: 3 }), value, async (keys, expected) => {
      const quoted = keys.map((name) => `"${name.replace(/["\\]/g, "\\$&")}"`);
      const keyPath = ["desktop", "fresh", ...quoted].join(".");
      expect(parseKeyPath(keyPath)).toEqual({ ok: true, path: ["desktop", "fresh", ...keys] });
      expect(await write(config, "desktop", null)).toBe("ok");
      expect(await write(config, keyPath, expected)).toBe("ok");
      const read = await config.read({});
      const found = keys.reduce<unknown>(
        (table, name) => (table as Record<string, unknown>)[name],
        read.ok ? read.value.config.desktop?.["fresh"] : undefined,
      );
      expect(found).toEqual(expected);
      expect(home.read("home/config.toml").startsWith(file)).toBe(true);
    }),
    { numRuns: 40 },
  );
});
