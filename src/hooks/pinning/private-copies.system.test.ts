import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { CommandHandler, ConfiguredHook, HookHandler } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import { createFileDigests } from "./file-digests.ts";
import { createHookPins } from "./hook-pins.ts";
import { openPinFile } from "./pin-file.ts";
import { openPrivateCopies } from "./private-copies.ts";

const roots: string[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A workspace that sandboxed commands can write, with hooks of the user. */
function setUp(files: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-copies-")));
  roots.push(root);
  const [home, cwd] = [join(root, "home"), join(root, "ws")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
    chmodSync(join(cwd, path), 0o755);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  let ids = 0;
  const createId = () => String((ids += 1));
  const pins = createHookPins({
    file: openPinFile(home, createId),
    // Later than all file times, so that every digest that may be cached is cached.
    digests: createFileDigests({ ...systemClock, now: () => systemClock.now() + 10_000 }),
    copies: openPrivateCopies(home, createId),
    isSandboxWritable: (path) =>
      (path.startsWith(`${cwd}/`) || path === cwd) &&
      !path.startsWith(join(cwd, ".git/")) &&
      path !== join(cwd, ".git"),
  });
  const env = { PATH: process.env["PATH"] ?? "" };
  async function check(handler: HookHandler, more: Partial<ConfiguredHook> = {}) {
    const { hooks } = await fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }) }]).configured();
    const hook: ConfiguredHook = {
      ...(hooks[0] as ConfiguredHook),
      key: JSON.stringify(handler),
      currentHash: `sha256:${"0".repeat(64)}`,
      source: "sessionFlags",
      handler,
      ...more,
    };
    return pins.check(hook, { cwd, env });
  }
  function start(handler: HookHandler, hook: Pick<ConfiguredHook, "env"> = {}) {
    const argv = execForm(handler as CommandHandler, hook) ?? [
      "sh",
      "-c",
      (handler as CommandHandler).command,
    ];
    const { stdout, stderr } = spawnSync(argv[0] ?? "", argv.slice(1), {
      cwd,
      env: { ...env, ...hook.env },
      encoding: "utf8",
    });
    return (stdout + stderr).trim();
  }
  return { root, home, cwd, write, check, start, pins };
}

const command = (text: string, args?: readonly string[]): CommandHandler => ({
  type: "command",
  command: text,
  isSandboxed: false,
  ...(args !== undefined && { args }),
});

async function runnable(checked: ReturnType<ReturnType<typeof setUp>["check"]>): Promise<HookHandler> {
  const found = await checked;
  if (found.kind === "refused") throw new Error(found.refusal.message);
  return found.handler;
}

describe("a script that sandboxed commands can write runs as a private copy", () => {
  const SCRIPT = { "x.sh": "#!/bin/sh\necho good $1\n", "hooks/y.sh": "#!/bin/sh\necho good $1\n" };

  test.each<[text: string, args?: readonly string[]]>([
    ["./x.sh"],
    ["'./x.sh' a"],
    ["sh x.sh"],
    ["bash -eu ./x.sh a"],
    ["cd hooks && ./y.sh"],
    ['"$PWD"/x.sh'],
    ['sh "$PWD/x.sh" a'],
    ["[ -x ./x.sh ] && ./x.sh | cat"],
    ['sh ./x.sh "it\'s"'],
    [". ./x.sh"],
    ["timeout 5 ./x.sh a"],
    ["./x.sh", ["a"]],
    ["sh", ["./x.sh", "a"]],
  ])("%s %j", async (text, args) => {
    const { cwd, write, check, start } = setUp(SCRIPT);
    const handler = await runnable(check(command(text, args)));
    write("x.sh", "#!/bin/sh\necho evil\n");
    write("hooks/y.sh", "#!/bin/sh\necho evil\n");
    expect(start(handler)).toMatch(/^good/u);
    expect(await check(command(text, args))).toMatchObject({
      kind: "refused",
      refusal: { kind: "changed", message: expect.stringContaining(cwd) },
    });
  });

  test("so that nothing beside it is loaded", async () => {
    const { write, check, start } = setUp({ "guard.py": "import json\nprint(json.dumps('good'))\n" });
    const handler = await runnable(check(command("python3 guard.py")));
    write("json.py", "def dumps(_): return 'evil'\n");
    expect(start(handler)).toBe('"good"');
  });

  test("also for a module", async () => {
    const { cwd, check, home } = setUp({ "guard.mjs": "export default () => 'good';\n" });
    const handler = await runnable(check({ type: "module", path: join(cwd, "guard.mjs") }));
    expect(handler).toMatchObject({
      type: "module",
      path: expect.stringContaining(join(home, "hook-copies")),
    });
  });

  test("which is recreated after the hook has written to it", async () => {
    const { check, start, home } = setUp(SCRIPT);
    const handler = await runnable(check(command("./x.sh")));
    const copy = (handler as CommandHandler).command;
    expect(copy.startsWith(home)).toBe(true);
    chmodSync(copy, 0o700);
    writeFileSync(copy, "#!/bin/sh\necho evil\n");
    expect(start(await runnable(check(command("./x.sh"))))).toBe("good");
  });

  test("except where its user trusts it unpinned", async () => {
    const { check, pins, cwd } = setUp({ "x.sh": 'cd "$(dirname "$0")"\n' });
    expect(await check(command("./x.sh"))).toMatchObject({ kind: "refused" });
    const { hooks } = await fakeHooks([{ event: "Stop", run: () => ({ kind: "interrupted" }) }]).configured();
    const hook = { ...(hooks[0] as ConfiguredHook), handler: command("./x.sh") };
    const execEnv = { cwd, env: {} };
    await pins.renew([{ hook, content: await pins.inspect(hook, execEnv) }], true);
    expect(await pins.check(hook, execEnv)).toEqual({ kind: "runnable", handler: command("./x.sh") });
  });
});

describe("a script does not run where no private copy can replace it", () => {
  test.each<[what: string, text: string, files: Readonly<Record<string, string>>]>([
    ["it goes to its own folder", "./x.sh", { "x.sh": 'cd "$(dirname "$0")"; ./y\n' }],
    ["it sources a neighbour", "bash x.sh", { "x.sh": '. "${BASH_SOURCE[0]%/*}/lib.sh"\n' }],
    ["it sources a file of the folder", "bash x.sh", { "x.sh": "true; . ./lib.sh\n" }],
    ["it sources a name", "bash x.sh", { "x.sh": "if true; then source lib.sh; fi\n" }],
    ["it requires a neighbour", "node x.cjs", { "x.cjs": 'require("./lib");\n' }],
    ["it imports a package", "node x.mjs", { "x.mjs": 'import "left-pad";\n' }],
    ["it names its file", "python3 x.py", { "x.py": "open(__file__)\n" }],
    ["two files have its name", "cd a && ./x.sh", { "x.sh": "", "a/x.sh": "" }],
    ["it is not there", "./x.sh", {}],
    ["its word is in pieces", "./x\\.sh", { "x.sh": "" }],
    ["code names it", "awk 'BEGIN { system(\"./x.sh\") }'", { "x.sh": "" }],
  ])("%s", async (_, text, files) => {
    expect(await setUp(files).check(command(text))).toMatchObject({
      kind: "refused",
      refusal: { kind: "unpinnable", message: expect.stringContaining("heddle hooks trust --unpinned") },
    });
  });

  test("and counts as changed where it could be pinned before", async () => {
    const { check, cwd, write } = setUp({});
    execFileSync("git", ["init", "-q"], { cwd });
    expect((await check(command("git status"))).kind).toBe("runnable");
    write(".gitmodules", "");
    expect(await check(command("git status"))).toMatchObject({
      kind: "refused",
      refusal: { kind: "changed", message: expect.stringContaining("submodules") },
    });
    expect(await check(command("git diff"))).toMatchObject({
      kind: "refused",
      refusal: { kind: "unpinnable" },
    });
  });
});

/** Maps a file, dirties its page, and writes to it on demand, which changes no timestamp of the file. */
const MAPPER = `
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
page = mmap.mmap(fd, 0, mmap.MAP_SHARED)
page[0:1] = page[0:1]
print("mapped", flush=True)
sys.stdin.readline()
text = sys.argv[2].encode()
page[0:len(text)] = text
print("written", flush=True)
sys.stdin.readline()
`;

const HAS_PYTHON = spawnSync("python3", ["-c", "import mmap"]).status === 0;

describe("a write through a memory map", () => {
  test.skipIf(!HAS_PYTHON)("is seen, although no time of the file changes", async () => {
    const good = "#!/bin/sh\necho good\n";
    const evil = "#!/bin/sh\necho evil\n";
    const { cwd, check, start } = setUp({ "x.sh": good });
    const handler = await runnable(check(command("./x.sh")));
    const child = spawn("python3", ["-c", MAPPER, join(cwd, "x.sh"), evil], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    children.push(child);
    await once(child.stdout, "data");
    expect((await check(command("./x.sh"))).kind).toBe("runnable");
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect(await check(command("./x.sh"))).toMatchObject({ kind: "refused", refusal: { kind: "changed" } });
    expect(start(handler)).toBe("good");
  });
});
