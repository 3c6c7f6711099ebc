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

/** A home, a workspace, and hooks in it. */
function createGround() {
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
    place: { cwd, env: { PATH: "/usr/bin:/bin" } },
    open,
    write(path: string, text: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      chmodSync(join(root, path), 0o755);
    },
    /** A confined command gets the workspace. */
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
    const ground = createGround();
    ground.write(file, "echo good");
    const own = await hook(command);
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.write(file, "echo evil");
    expect(await pins.check(own, ground.place)).toContain(
      `${ground.path(file)} has changed since it was trusted`,
    );
    // Another server of the home knows it as well.
    expect(await ground.open().check(own, ground.place)).toContain("heddle hooks trust");
    rmSync(ground.path(file));
    expect(await pins.check(own, ground.place)).toContain(`${ground.path(file)} is gone`);
    ground.write(file, "echo good");
    expect(await pins.check(own, ground.place)).toBeNull();
  });

  test("is pinned at the first sight of a trust, whoever wrote it", async () => {
    const ground = createGround();
    ground.confine();
    ground.write("ws/x.sh", "one");
    const pins = ground.open();
    expect(await pins.check(await hook("./x.sh"), ground.place)).toBeNull();
    ground.write("ws/x.sh", "two");
    expect(await pins.check(await hook("./x.sh"), ground.place)).not.toBeNull();
    // Trusted again with another definition, as the peer does it.
    const again = await hook("./x.sh", { currentHash: `sha256:${"1".repeat(64)}` });
    expect(await pins.check(again, ground.place)).toBeNull();
  });

  test("is refused where it was not there, or lies in a workspace that was never seen", async () => {
    const ground = createGround();
    const own = await hook("./x.sh");
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    ground.write("ws/x.sh", "evil");
    expect(await pins.check(own, ground.place)).toContain("was not there when it was trusted");
    ground.write("ws/sub/x.sh", "evil");
    expect(await pins.check(own, { ...ground.place, cwd: ground.path("ws/sub") })).toContain("was not there");
    ground.write("other/x.sh", "good");
    expect(await pins.check(own, { ...ground.place, cwd: ground.path("other") })).toBeNull();
  });

  test("may change where no confined command can write", async () => {
    const ground = createGround();
    ground.confine();
    ground.write("mine/x.sh", "one");
    const own = await hook(ground.path("mine/x.sh"));
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.write("mine/x.sh", "two");
    expect(await pins.check(own, ground.place)).toBeNull();
    // Once one can, it is too late to look.
    ground.confine(ground.path("mine"));
    expect(await pins.check(own, ground.place)).toContain("has changed");
  });

  test("is what a link leads to, wherever that is", async () => {
    const ground = createGround();
    ground.write("mine/x.sh", "good");
    ground.write("mine/evil.sh", "evil");
    symlinkSync(ground.path("mine"), ground.path("ws/hooks"));
    const own = await hook("hooks/x.sh");
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    rmSync(ground.path("ws/hooks"));
    ground.write("ws/hooks/x.sh", "evil");
    expect(await pins.check(own, ground.place)).toContain("has changed");
  });

  test.each(["x.sh", "./x.sh"])("of a pipe is never waited for: bash %s", async (name) => {
    const ground = createGround();
    ground.write("ws/x.sh", "good");
    const own = await hook(`bash ${name}`);
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    rmSync(ground.path("ws/x.sh"));
    execFileSync("mkfifo", [ground.path("ws/x.sh")]);
    expect(await pins.check(own, ground.place)).toContain("is not a regular file");
  });

  test("that cannot be told is refused where confined commands can write, unless its user wants it so", async () => {
    const ground = createGround();
    const own = await hook("npm run lint");
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    const refusal = await pins.check(own, ground.place);
    expect(refusal).toContain("npm may take from the folder what it runs");
    expect(refusal).toContain("heddle hooks trust --unpinned");
    const content = await pins.look(own, ground.place);
    expect(await pins.renew([{ hook: own, content }], true)).toBe(true);
    expect(await pins.check(own, ground.place)).toBeNull();
    expect(await pins.renew([{ hook: own, content }], false)).toBe(true);
    expect(await pins.check(own, ground.place)).not.toBeNull();
  });

  test("of a module is pinned as well", async () => {
    const ground = createGround();
    ground.write("ws/guard.js", "good");
    const own = { ...(await hook({ type: "module", path: "guard.js" })), source: "sessionFlags" } as const;
    const pins = ground.open();
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.confine();
    ground.write("ws/guard.js", "evil");
    expect(await pins.check(own, ground.place)).not.toBeNull();
    // Where the module lies elsewhere, a file of its name in the workspace is another one.
    const elsewhere = { ...own, key: "elsewhere", source: "user" } as const;
    expect(await pins.check(elsewhere, ground.place)).toBeNull();
    ground.write("ws/guard.js", "other");
    expect(await pins.check(elsewhere, ground.place)).toBeNull();
  });

  test("is trusted anew by its user, and forgotten with the trust", async () => {
    const ground = createGround();
    ground.write("ws/x.sh", "one");
    const own = await hook("./x.sh");
    const pins = ground.open();
    await pins.check(own, ground.place);
    ground.confine();
    ground.write("ws/x.sh", "two");
    expect(await pins.look(own, ground.place)).toMatchObject({
      files: [{ path: ground.path("ws/x.sh"), digest: expect.stringMatching(/^sha256:/) }],
      isSandboxWritable: true,
      refusal: { kind: "changed", message: expect.stringContaining("has changed") },
    });
    await pins.renew([{ hook: own, content: await pins.look(own, ground.place) }], false);
    expect(await pins.check(own, ground.place)).toBeNull();
    ground.write("ws/x.sh", "three");
    await pins.forget([own.key]);
    expect(await pins.check(own, ground.place)).toBeNull();
  });
});

describe("what was pinned", () => {
  test("is in a file that only its user reads", async () => {
    const ground = createGround();
    ground.write("ws/x.sh", "one");
    await ground.open().check(await hook("./x.sh"), ground.place);
    const file = join(ground.home, "hook-pins.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(ground.path("ws/x.sh"));
  });

  test("is not written for hooks that name no file, nor for those that do not run", async () => {
    const ground = createGround();
    const pins = ground.open();
    await pins.check(await hook("true"), ground.place);
    await pins.check(await hook("./x.sh", { trustStatus: "untrusted" }), ground.place);
    await pins.check(await hook("./x.sh", { enabled: false }), ground.place);
    expect(existsSync(join(ground.home, "hook-pins.json"))).toBe(false);
  });

  test.each(["", "{", '{"version":2,"hooks":[]}', '{"version":1,"hooks":[{"hook":1}]}'])(
    "holds nothing back and lets nothing through where it reads %j",
    async (text) => {
      const ground = createGround();
      ground.confine();
      ground.write("ws/x.sh", "one");
      ground.write("mine/x.sh", "one");
      writeFileSync(join(ground.home, "hook-pins.json"), text);
      const pins = ground.open();
      expect(await pins.check(await hook("./x.sh"), ground.place)).toContain("hook-pins.json cannot be read");
      expect(await pins.check(await hook(ground.path("mine/x.sh")), ground.place)).toBeNull();
    },
  );

  test("survives many servers that write at once", async () => {
    const ground = createGround();
    for (const name of ["a", "b", "c", "d"]) ground.write(`ws/${name}.sh`, name);
    await Promise.all(
      ["a", "b", "c", "d"].map(async (name) =>
        ground.open().check(await hook(`./${name}.sh`, { key: name }), ground.place),
      ),
    );
    const text = readFileSync(join(ground.home, "hook-pins.json"), "utf8");
    for (const name of ["a", "b", "c", "d"]) expect(text).toContain(`/ws/${name}.sh`);
  });
});
