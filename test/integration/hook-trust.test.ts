/** Hooks on the command line: which run, why others do not, and what is trusted. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

interface ListedHook {
  readonly key: string;
  readonly isRun: boolean;
  readonly whyNot: string | null;
  readonly refusal: string | null;
  readonly files: readonly { readonly path: string }[];
}

const stop = (...commands: readonly string[]) =>
  JSON.stringify({ hooks: { Stop: [{ hooks: commands.map((command) => ({ type: "command", command })) }] } });

async function open(...commands: readonly string[]) {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  await home.write("home/hooks.json", stop(...commands));
  const script = join(home.workspace, "x.sh");
  writeFileSync(script, "#!/bin/sh\n");
  chmodSync(script, 0o755);
  async function heddle(...args: readonly string[]) {
    const child = new Child({
      command: HEDDLE.command,
      args: [...HEDDLE.args, ...args],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    const { code } = await child.exit;
    return { code, stdout: child.stdout, stderr: child.stderr };
  }
  return {
    home,
    script,
    heddle,
    key: (index: number) => `${join(home.home, "hooks.json")}:stop:0:${index}`,
    async list() {
      const { stdout } = await heddle("hooks", "list", "--json");
      return (JSON.parse(stdout) as { hooks: ListedHook[] }).hooks;
    },
    /** As a server does before it starts a sandboxed command there. */
    confine: () =>
      home.write(
        "home/sandbox/writable-places.jsonl",
        `${JSON.stringify({ roots: [home.workspace], kept: [] })}\n`,
      ),
  };
}

describe("heddle hooks", () => {
  test("trusts a hook with the files that it names, and takes that back", async () => {
    const { home, script, heddle, key, list, confine } = await open("./x.sh", "true");
    expect(await list()).toMatchObject([
      { key: key(0), isRun: false, whyNot: "untrusted", files: [{ path: script }] },
      { key: key(1), isRun: false, whyNot: "untrusted", files: [] },
    ]);
    const shown = await heddle("hooks", "trust", "--yes", key(0));
    expect(shown).toMatchObject({ code: 0, stdout: "trusted 1 hook\n" });
    expect(shown.stderr).toContain(script);
    expect(readFileSync(join(home.home, "config.toml"), "utf8")).toMatch(
      /\[hooks\.state\."[^"]+:stop:0:0"\]\ntrusted_hash = "sha256:/,
    );
    expect(await list()).toMatchObject([{ isRun: true }, { isRun: false }]);

    await confine();
    writeFileSync(script, "#!/bin/sh\necho evil\n");
    expect(await list()).toMatchObject([
      {
        isRun: false,
        whyNot: "refused",
        refusal: expect.stringContaining("has changed since it was trusted"),
      },
      { isRun: false },
    ]);
    const { stdout } = await heddle("doctor");
    expect(stdout).toContain("has changed since it was trusted");
    expect(stdout).toContain("0 of 2 run");
    expect(await heddle("hooks", "trust", "--all", "--yes", "--json")).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ keys: [key(0), key(1)] })}\n`,
    });
    expect(await list()).toMatchObject([{ isRun: true }, { isRun: true }]);

    expect((await heddle("hooks", "untrust", "--yes", "stop:0:0")).code).toBe(0);
    expect((await heddle("hooks", "untrust", "--disable", "--yes", "stop:0:1")).code).toBe(0);
    expect(await list()).toMatchObject([{ whyNot: "untrusted" }, { whyNot: "disabled" }]);
    expect((await heddle("hooks", "trust", "--enable", "--yes", "stop:0:1")).code).toBe(0);
    expect(await list()).toMatchObject([{ whyNot: "untrusted" }, { isRun: true }]);
  });

  test("trusts what cannot be pinned only where that is said", async () => {
    const { heddle, list, confine } = await open("npm run lint");
    await confine();
    expect((await heddle("hooks", "trust", "--yes")).stderr).toContain(
      "will not run where sandboxed commands",
    );
    expect(await list()).toMatchObject([{ isRun: false, whyNot: "refused" }]);
    expect((await heddle("hooks", "trust", "--unpinned", "--yes")).code).toBe(0);
    expect(await list()).toMatchObject([{ isRun: true }]);
  });

  test.each([
    [["hooks"], 2, "Commands:"],
    [["hooks", "trust"], 1, "use --yes"],
    [["hooks", "trust", "nothing", "--yes"], 2, "there is no hook 'nothing'"],
    [["hooks", "trust", "stop", "--yes"], 2, "'stop' stands for 2 hooks"],
    [["hooks", "untrust", "--yes"], 2, "--all"],
    [["hooks", "list", "extra"], 2, "unexpected argument 'extra'"],
  ])("%j ends with code %i", async (args, code, says) => {
    const { heddle } = await open("true", "false");
    const ended = await heddle(...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(says);
  });
});
