import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { createTempHome } from "../support/temp-home.ts";

async function open(config: string, flags: readonly string[] = []) {
  const folders = await createTempHome({ config });
  onTestFinished(() => folders.remove());
  const start = async () => {
    const heddle = await createHeddle({
      home: folders.home,
      cwd: folders.workspace,
      env: { HOME: folders.user },
      flags: { config: flags },
    });
    onTestFinished(() => heddle.close());
    return heddle.connect({ capabilities: { experimentalApi: true } });
  };
  return {
    client: await start(),
    start,
    workspace: folders.workspace,
    file: () => readFileSync(join(folders.home, "config.toml"), "utf8"),
    edit: (text: string) => writeFileSync(join(folders.home, "config.toml"), text),
    write: (path: string, text: string) => folders.write(path, text),
  };
}

describe("layers", () => {
  test("the nearer place wins, and each value tells where it came from", async () => {
    const { client, workspace, write, edit } = await open('model = "user"\nservice_tier = "user"\n', [
      'model="flag"',
    ]);
    mkdirSync(join(workspace, ".git"));
    await write("workspace/.codex/config.toml", 'model_verbosity = "low"\nservice_tier = "project"\n');
    const cwd = workspace;
    const untrusted = await client.config.read({ cwd, includeLayers: true });
    expect([untrusted.config.model, untrusted.config.service_tier, untrusted.config.model_verbosity]).toEqual(
      ["flag", "user", null],
    );
    expect(untrusted.layers?.find(({ name }) => name.type === "project")?.disabledReason).toContain(
      "trusted project",
    );

    edit(`model = "user"\nservice_tier = "user"\n[projects."${workspace}"]\ntrust_level = "trusted"\n`);
    const trusted = await client.config.read({ cwd });
    expect([trusted.config.model, trusted.config.service_tier, trusted.config.model_verbosity]).toEqual([
      "flag",
      "project",
      "low",
    ]);
    expect([trusted.origins["model"]?.name.type, trusted.origins["service_tier"]?.name.type]).toEqual([
      "sessionFlags",
      "project",
    ]);
  });

  test("a thread's own configuration comes last", async () => {
    const { client } = await open('model = "user"\n', ['model="flag"']);
    expect((await client.thread.start({ config: { model: "thread" } })).model).toBe("thread");
    expect((await client.thread.start({ config: { model: "thread" }, model: "asked" })).model).toBe("asked");
  });
});

describe("trust", () => {
  test("follows from a thread that may write in a folder that its client names", async () => {
    const { client, workspace, write, file } = await open("");
    mkdirSync(join(workspace, ".git"));
    await write("workspace/.codex/config.toml", 'model = "from the project"\n');
    const quiet = await client.thread.start({ cwd: workspace, sandbox: "read-only" });
    expect(file()).toBe("");
    const writing = await client.thread.start({ cwd: workspace, sandbox: "workspace-write" });
    expect(file()).toBe(`[projects."${workspace}"]\ntrust_level = "trusted"\n`);
    expect([quiet.model, writing.model]).toEqual(["heddle-demo", "from the project"]);
  });

  test("is not given to a folder that the user has marked as untrusted", async () => {
    const { client, workspace, edit, file } = await open("");
    const text = `[projects."${workspace}"]\ntrust_level = "untrusted"\n`;
    edit(text);
    await client.thread.start({ cwd: workspace, sandbox: "danger-full-access" });
    expect(file()).toBe(text);
  });
});

describe("writing", () => {
  const TEXT = `# who answers
model = "one" # the best

[tui] # looks
# quiet
show_tooltips = false
`;

  test("changes what was asked and nothing else", async () => {
    const { client, file } = await open(TEXT);
    const written = await client.config.value.write({
      keyPath: "model",
      value: "two",
      mergeStrategy: "replace",
    });
    expect(written.status).toBe("ok");
    expect(file()).toBe(TEXT.replace('"one"', '"two"'));
  });

  test("refuses a version that is no longer true, and a value that cannot be", async () => {
    const { client, file } = await open(TEXT);
    const { layers } = await client.config.read({ includeLayers: true });
    const expectedVersion = layers?.find(({ name }) => name.type === "user")?.version ?? "";
    const write = (value: unknown) =>
      client.config.value.write({ keyPath: "model", value, mergeStrategy: "replace", expectedVersion });
    await write("two");
    await expect(write("three")).rejects.toMatchObject({
      data: { config_write_error_code: "configVersionConflict" },
    });
    await expect(
      client.config.value.write({ keyPath: "model", value: 5, mergeStrategy: "replace" }),
    ).rejects.toMatchObject({ data: { config_write_error_code: "configValidationError" } });
    expect(file()).toContain('"two"');
  });

  test("any writes, one after the other, give every value back and keep every comment", async () => {
    const { client, file, edit } = await open(TEXT);
    const key = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
    const value = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.boolean(),
      fc.integer({ min: -1000, max: 1000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 }), async (entries) => {
        edit(TEXT);
        for (const [name, content] of Object.entries(entries)) {
          const keyPath = `desktop.${JSON.stringify(name)}`;
          await client.config.value.write({ keyPath, value: content, mergeStrategy: "replace" });
        }
        const { config } = await client.config.read({});
        expect({ ...config.desktop }).toEqual({ ...entries });
        for (const comment of ["# who answers", "# the best", "# looks", "# quiet"])
          expect(file()).toContain(comment);
      }),
      { numRuns: 40 },
    );
  });

  test("several servers on one home lose none of each other's writes", async () => {
    const { start, file } = await open(TEXT);
    const clients = await Promise.all([start(), start(), start()]);
    await Promise.all(
      clients.flatMap((client, server) =>
        Array.from({ length: 8 }, (_, index) =>
          client.config.value.write({
            keyPath: `desktop.k${server}_${index}`,
            value: index,
            mergeStrategy: "replace",
          }),
        ),
      ),
    );
    expect(file().match(/k\d_\d/g)?.length).toBe(24);
  });
});

describe("files that are not as they should be", () => {
  test.each([
    ["a broken file", "model = ["],
    ["a key that is set twice", "model = 'a'\nmodel = 'b'"],
    ["a wrong type", "model = 5"],
  ])("%s is reported with its place, and the server serves", async (_, text) => {
    const { start, edit } = await open("");
    edit(text);
    const warnings: { summary: string; details: string | null }[] = [];
    const client = await start();
    client.on("configWarning", (warning) => warnings.push(warning));
    await expect.poll(() => warnings.length).toBeGreaterThan(0);
    expect(warnings[0]?.details).toMatch(/config\.toml:\d+:\d+/);
    expect(await client.thread.loaded.list({})).toEqual({ data: [], nextCursor: null });
  });

  test("a byte order mark and Windows line ends are no fault, and survive a write", async () => {
    const { client, file } = await open('\ufeffmodel = "one"\r\n# c\r\n');
    await client.config.value.write({ keyPath: "model", value: "two", mergeStrategy: "replace" });
    expect((await client.config.read({})).config.model).toBe("two");
    expect(file()).toContain("# c");
  });

  test("unknown keys are kept and mentioned", async () => {
    const { start, file } = await open('unheard_of = 1\nmodel = "m"\n');
    const client = await start();
    const warnings: string[] = [];
    client.on("configWarning", ({ summary }) => warnings.push(summary));
    await expect.poll(() => warnings.join()).toContain("unheard_of");
    await client.config.value.write({ keyPath: "model", value: "n", mergeStrategy: "replace" });
    expect(file()).toBe('unheard_of = 1\nmodel = "n"\n');
  });
});
