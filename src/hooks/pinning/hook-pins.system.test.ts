import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { openSandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { ConfiguredHook, HookHandler } from "../configured-hook.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import type { ExecEnv } from "./expand-variables.ts";
import { createFileDigests } from "./file-digests.ts";
import { createHookPins } from "./hook-pins.ts";
import { openPinFile } from "./pin-file.ts";
import { openPrivateCopies } from "./private-copies.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

let ids = 0;

/** A home and a workspace with hooks. */
function createHarness() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-pins-")));
  roots.push(root);
  const [home, cwd] = [join(root, "home"), join(root, "ws")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  const places = openSandboxWritablePaths(join(home, "sandbox"));
  const createId = () => String((ids += 1));
  const open = () => {
    const pins = createHookPins({
      file: openPinFile(home, createId),
      digests: createFileDigests(systemClock),
      copies: openPrivateCopies(home, createId),
      isSandboxWritable: places.contains,
    });
    return {
      ...pins,
      /** Null for a hook that runs, else the message. */
      async check(own: ConfiguredHook, at: ExecEnv) {
        const checked = await pins.check(own, at);
        return checked.kind === "runnable" ? null : checked.refusal.message;
      },
      checked: pins.check,
    };
  };
  return {
    home,
    cwd,
    execEnv: { cwd, env: { PATH: "/usr/bin:/bin" } },
    open,
    write(path: string, text: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      chmodSync(join(root, path), 0o755);
    },
    /** Gives a sandboxed command write access to the folder. */
    confine: (folder = cwd) => places.note({ roots: [folder], protectedPaths: [] }),
    path: (path: string) => join(root, path),
  };
}

async function hook(
  command: string | HookHandler,
  more: Partial<ConfiguredHook> = {},
): Promise<ConfiguredHook> {
  const handler =
    typeof command === "string" ? { type: "command" as const, command, isSandboxed: false } : command;
  const { hooks } = await fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }) }]).configured();
  return { ...(hooks[0] as ConfiguredHook), currentHash: `sha256:${"0".repeat(64)}`, handler, ...more };
}

describe("the content of a hook", () => {
  test.each<[what: string, command: string, file: string]>([
    ["a script", "./x.sh", "ws/x.sh"],
    ["the argument of an interpreter", "bash x.sh", "ws/x.sh"],
    ["a sourced file", ". ./x.sh", "ws/x.sh"],
    ["a file in another folder", "cd hooks && ./x.sh", "ws/hooks/x.sh"],
    ["a file without an ending", "bash plain", "ws/plain"],
  ])("of %s is pinned when it is first seen, and has to stay", async (_, command, file) => {
    const harness = createHarness();
    harness.write(file, "echo good");
    const own = await hook(command);
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.write(file, "echo evil");
    expect(await pins.check(own, harness.execEnv)).toContain(
      `${harness.path(file)} has changed since it was trusted`,
    );
    // Another server on the home detects it as well.
    expect(await harness.open().check(own, harness.execEnv)).toContain("heddle hooks trust");
    rmSync(harness.path(file));
    expect(await pins.check(own, harness.execEnv)).toContain(`${harness.path(file)} is missing`);
    harness.write(file, "echo good");
    expect(await pins.check(own, harness.execEnv)).toBeNull();
  });

  test("is pinned on the first check of a trusted hook, whatever process wrote it", async () => {
    const harness = createHarness();
    harness.confine();
    harness.write("ws/x.sh", "one");
    const pins = harness.open();
    expect(await pins.check(await hook("./x.sh"), harness.execEnv)).toBeNull();
    harness.write("ws/x.sh", "two");
    expect(await pins.check(await hook("./x.sh"), harness.execEnv)).not.toBeNull();
    // Trusted again with another definition, as the peer does.
    const again = await hook("./x.sh", { currentHash: `sha256:${"1".repeat(64)}` });
    expect(await pins.check(again, harness.execEnv)).toBeNull();
  });

  test("is refused where it did not exist before, or is in a workspace that was never checked", async () => {
    const harness = createHarness();
    const own = await hook("./x.sh");
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    harness.write("ws/x.sh", "evil");
    expect(await pins.check(own, harness.execEnv)).toContain("did not exist when it was trusted");
    harness.write("ws/sub/x.sh", "evil");
    expect(await pins.check(own, { ...harness.execEnv, cwd: harness.path("ws/sub") })).toContain(
      "did not exist",
    );
    harness.write("other/x.sh", "good");
    expect(await pins.check(own, { ...harness.execEnv, cwd: harness.path("other") })).toBeNull();
  });

  test("may change where no confined command can write", async () => {
    const harness = createHarness();
    harness.confine();
    harness.write("mine/x.sh", "one");
    const own = await hook(harness.path("mine/x.sh"));
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.write("mine/x.sh", "two");
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    // After a sandboxed command could write, content can no longer be pinned.
    harness.confine(harness.path("mine"));
    expect(await pins.check(own, harness.execEnv)).toContain("has changed");
  });

  test("is that of a symlink's target, wherever it is", async () => {
    const harness = createHarness();
    harness.write("mine/x.sh", "good");
    harness.write("mine/evil.sh", "evil");
    symlinkSync(harness.path("mine"), harness.path("ws/hooks"));
    const own = await hook("hooks/x.sh");
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    rmSync(harness.path("ws/hooks"));
    harness.write("ws/hooks/x.sh", "evil");
    expect(await pins.check(own, harness.execEnv)).toContain("has changed");
  });

  test.each(["x.sh", "./x.sh"])("of a pipe is never waited for: bash %s", async (name) => {
    const harness = createHarness();
    harness.write("ws/x.sh", "good");
    const own = await hook(`bash ${name}`);
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    rmSync(harness.path("ws/x.sh"));
    execFileSync("mkfifo", [harness.path("ws/x.sh")]);
    expect(await pins.check(own, harness.execEnv)).toContain("is not a regular file");
  });

  test("that cannot be determined is refused where sandboxed commands can write, unless its user trusts it unpinned", async () => {
    const harness = createHarness();
    const own = await hook("npm run lint");
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    const refusal = await pins.check(own, harness.execEnv);
    expect(refusal).toContain("npm may take from the folder what it runs");
    expect(refusal).toContain("heddle hooks trust --unpinned");
    const content = await pins.inspect(own, harness.execEnv);
    expect(await pins.renew([{ hook: own, content }], true)).toBe(true);
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    expect(await pins.renew([{ hook: own, content }], false)).toBe(true);
    expect(await pins.check(own, harness.execEnv)).not.toBeNull();
  });

  test("of a module is pinned as well", async () => {
    const harness = createHarness();
    harness.write("ws/guard.js", "good");
    const own = { ...(await hook({ type: "module", path: "guard.js" })), source: "sessionFlags" } as const;
    const pins = harness.open();
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.confine();
    harness.write("ws/guard.js", "evil");
    expect(await pins.check(own, harness.execEnv)).not.toBeNull();
    // If the module is elsewhere, a file of the same name in the workspace is unrelated.
    const elsewhere = { ...own, key: "elsewhere", source: "user" } as const;
    expect(await pins.check(elsewhere, harness.execEnv)).toBeNull();
    harness.write("ws/guard.js", "other");
    expect(await pins.check(elsewhere, harness.execEnv)).toBeNull();
  });

  test("is trusted anew by its user, and forgotten with the trust", async () => {
    const harness = createHarness();
    harness.write("ws/x.sh", "one");
    const own = await hook("./x.sh");
    const pins = harness.open();
    await pins.check(own, harness.execEnv);
    harness.confine();
    harness.write("ws/x.sh", "two");
    expect(await pins.inspect(own, harness.execEnv)).toMatchObject({
      files: [{ path: harness.path("ws/x.sh"), digest: expect.stringMatching(/^sha256:/) }],
      isSandboxWritable: true,
      refusal: { kind: "changed", message: expect.stringContaining("has changed") },
    });
    await pins.renew([{ hook: own, content: await pins.inspect(own, harness.execEnv) }], false);
    expect(await pins.check(own, harness.execEnv)).toBeNull();
    harness.write("ws/x.sh", "three");
    await pins.forget([own.key]);
    expect(await pins.check(own, harness.execEnv)).toBeNull();
  });
});

describe("pins", () => {
  test("is in a file that only its user reads", async () => {
    const harness = createHarness();
    harness.write("ws/x.sh", "one");
    await harness.open().check(await hook("./x.sh"), harness.execEnv);
    const file = join(harness.home, "hook-pins.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(harness.path("ws/x.sh"));
  });

  test("is not written for hooks that name no file, nor for those that do not run", async () => {
    const harness = createHarness();
    const pins = harness.open();
    await pins.check(await hook("true"), harness.execEnv);
    await pins.check(await hook("./x.sh", { trustStatus: "untrusted" }), harness.execEnv);
    await pins.check(await hook("./x.sh", { enabled: false }), harness.execEnv);
    expect(existsSync(join(harness.home, "hook-pins.json"))).toBe(false);
  });

  test.each(["", "{", '{"version":2,"hooks":[]}', '{"version":1,"hooks":[{"hook":1}]}'])(
    "neither block nor allow more than they should where the file reads %j",
    async (text) => {
      const harness = createHarness();
      harness.confine();
      harness.write("ws/x.sh", "one");
      harness.write("mine/x.sh", "one");
      writeFileSync(join(harness.home, "hook-pins.json"), text);
      const pins = harness.open();
      expect(await pins.check(await hook("./x.sh"), harness.execEnv)).toContain(
        "hook-pins.json cannot be read",
      );
      expect(await pins.check(await hook(harness.path("mine/x.sh")), harness.execEnv)).toBeNull();
    },
  );

  test("survive concurrent writes of many servers", async () => {
    const harness = createHarness();
    for (const name of ["a", "b", "c", "d"]) harness.write(`ws/${name}.sh`, name);
    await Promise.all(
      ["a", "b", "c", "d"].map(async (name) =>
        harness.open().check(await hook(`./${name}.sh`, { key: name }), harness.execEnv),
      ),
    );
    const text = readFileSync(join(harness.home, "hook-pins.json"), "utf8");
    for (const name of ["a", "b", "c", "d"]) expect(text).toContain(`/ws/${name}.sh`);
  });
});
