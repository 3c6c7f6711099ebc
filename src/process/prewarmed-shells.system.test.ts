import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import { createLocalHost } from "./local-host.ts";
import { openPrewarmedShells } from "./prewarmed-shells.ts";
import { isGone } from "./process-host.contract.ts";
import type { ProcessHost, ProcessSpec, RunningProcess } from "./process-host.ts";

const ENV = {
  PATH: process.env["PATH"] ?? "/usr/bin:/bin",
  SHLVL: "1",
  __c: "mine",
  "BASH_FUNC_eval%%": "() { echo mine; }",
  "BASH_FUNC_read%%": "() { echo yours; }",
};
const IDLE_MS = 1000;

let folder: string;
let local: ProcessHost;
let clock: ReturnType<typeof createFakeClock>;
/** Records the calls to the underlying host and their outcomes. */
let asked: { readonly spec: ProcessSpec; readonly process: RunningProcess | null }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-shells-"));
  local = createLocalHost({ graceMs: 100 });
  clock = createFakeClock();
  asked = [];
});
afterEach(async () => {
  await local.close();
  rmSync(folder, { recursive: true, force: true });
});

const counting: ProcessHost = {
  async start(spec, onOutput) {
    const outcome = await local.start(spec, onOutput);
    asked.push({ spec, process: outcome.kind === "started" ? outcome.process : null });
    return outcome;
  },
  close: () => local.close(),
};

const open = (more: { readonly maxIdle?: number } = {}) =>
  openPrewarmedShells({ host: counting, clock, idleMs: IDLE_MS, ...more });

const bash = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
  argv: ["/bin/bash", "-c", script],
  cwd: folder,
  env: ENV,
  input: "pipe",
  ...more,
});

async function run(host: ProcessHost, spec: ProcessSpec, input = '{"a":1}\nb') {
  const output = { stdout: "", stderr: "" };
  const outcome = await host.start(spec, (chunk, stream) => {
    output[stream] += chunk.toString();
  });
  if (outcome.kind === "failed") throw outcome.error;
  const { process } = outcome;
  process.write(Buffer.from(input));
  process.endInput();
  const exit = await process.exited;
  await process.closed;
  return { ...output, exit };
}

/** Waits until the missing idle shells are started. */
async function refill(count: number): Promise<readonly RunningProcess[]> {
  clock.advance(50);
  await expect.poll(() => asked.length).toBe(count);
  return asked.flatMap(({ process }) => (process === null ? [] : [process]));
}

describe("a prewarmed shell", () => {
  test.each([
    ["true"],
    ["exit 2"],
    ["cat"],
    ["cat >/dev/null; echo out; echo err >&2; exit 3"],
    ["builtin read -r line; echo got $line; cat"],
    ["echo $0 $# $- $SHLVL $BASH_SUBSHELL $SECONDS"],
    ["env | sort | grep -v ^_="],
    ["echo ${__heddle_script-unset} $__c"],
    ['echo "a  b" \'c"d\' \\$HOME "$(pwd)" é'],
    ["echo one\necho $LINENO\nexit 4"],
    ["set -e\nfalse\necho never"],
    ["set -u; echo $nowhere"],
    ["trap 'echo bye' EXIT; exit 5"],
    ["exec echo replaced"],
    ["kill -TERM $$"],
    ["no-such-program-at-all"],
    ["if"],
    ["echo 'open"],
    ["(exit 6)"],
    ["read; eval"],
    ["return 7"],
    [""],
  ])("does with %j what a new one does", async (script) => {
    const shells = open();
    await run(shells, bash("true"));
    await refill(2);
    const fresh = await run(local, bash(script));
    const ready = await run(shells, bash(script));
    const named = (text: string) =>
      text.replace(/(-c|eval): (line \d+: )?/gu, "").replace(/line \d+: /gu, "");
    expect(ready.exit).toEqual(fresh.exit);
    expect(ready.stdout).toBe(fresh.stdout);
    expect(named(ready.stderr)).toBe(named(fresh.stderr));
    // It was started before the command.
    expect(asked).toHaveLength(2);
    await shells.close();
  });

  test("runs in the folder that currently has the path, not in a deleted one", async () => {
    const shells = open();
    const inside = join(folder, "inside");
    mkdirSync(inside);
    await run(shells, bash("true", { cwd: inside }));
    await refill(2);
    renameSync(inside, join(folder, "old"));
    mkdirSync(inside);
    const spec = bash("pwd -P; touch here; test -e ../inside/here && echo new", { cwd: inside });
    expect((await run(shells, spec)).stdout).toBe(`${inside}\nnew\n`);
    await refill(3);
    rmSync(inside, { recursive: true });
    const gone = await run(shells, bash("echo ran", { cwd: inside }));
    expect(gone).toMatchObject({ exit: { code: 1 }, stdout: "" });
    expect(gone.stderr).toContain("No such file or directory");
    await shells.close();
  });

  test.each([
    ["was turned", "one"],
    ["was turned, while the folder behind it got another name", "moved"],
  ])("follows a link that %s", async (_, way) => {
    const shells = open();
    const [one, two, link] = ["one", "two", "link"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(one);
    mkdirSync(two);
    symlinkSync(one, link);
    await run(shells, bash("true", { cwd: link }));
    await refill(2);
    rmSync(link);
    if (way === "moved") {
      rmSync(two, { recursive: true });
      renameSync(one, two);
      mkdirSync(one);
    }
    symlinkSync(two, link);
    const script = 'echo "$#" "$(pwd -P)" "$PWD"';
    expect((await run(shells, bash(script, { cwd: link }))).stdout).toBe(`0 ${two} ${two}\n`);
    await shells.close();
  });

  test("is ended after the idle timeout and when the host is closed", async () => {
    const shells = open();
    await run(shells, bash("true"));
    const [, idle] = await refill(2);
    clock.advance(IDLE_MS);
    expect(await isGone(idle?.pid ?? 0)).toBe(true);
    await run(shells, bash("true"));
    const [, , , left] = await refill(4);
    await shells.close();
    expect(await isGone(left?.pid ?? 0)).toBe(true);
    await shells.close();
  });

  test("is replaced if it was killed while idle", async () => {
    const shells = open();
    await run(shells, bash("true"));
    const [, waiting] = await refill(2);
    process.kill(waiting?.pid ?? 0, "SIGKILL");
    await waiting?.exited;
    expect((await run(shells, bash("echo fine"))).stdout).toBe("fine\n");
    expect(asked).toHaveLength(3);
    await shells.close();
  });
});

test("there are as many idle shells as ran concurrently, up to the limit", async () => {
  const shells = open({ maxIdle: 3 });
  await Promise.all([1, 2].map(() => run(shells, bash("true"))));
  await refill(4);
  // Another folder needs two as well: the first pool is evicted.
  await Promise.all([1, 2].map(() => run(shells, bash("true", { cwd: "/" }))));
  const all = await refill(8);
  expect(await Promise.all(all.slice(2, 4).map(({ pid }) => isGone(pid)))).toEqual([true, true]);
  const ready = await Promise.all([1, 2].map(() => run(shells, bash("echo there", { cwd: "/" }))));
  expect(ready.map(({ stdout }) => stdout)).toEqual(["there\n", "there\n"]);
  expect(asked).toHaveLength(8);
  await shells.close();
});

describe("replacements", () => {
  const REFILL_MS = 10;
  /** The number of shells after this time; another child runs meanwhile, which is enough time for one to start. */
  const startedAfter = async (ms: number) => {
    clock.advance(ms);
    await run(local, bash("true"));
    return asked.length;
  };

  test("wait until no shell has ended for some time", async () => {
    const shells = open();
    await run(shells, bash("true"));
    expect(await startedAfter(REFILL_MS - 1)).toBe(1);
    await run(shells, bash("true"));
    expect(await startedAfter(REFILL_MS - 1)).toBe(2);
    await refill(3);
    await shells.close();
  });

  test("do not wait for ever while shells keep ending", async () => {
    const shells = open();
    for (let count = 1; count <= 12; count += 1) {
      await run(shells, bash("true"));
      clock.advance(REFILL_MS - 1);
    }
    await expect.poll(() => asked.length).toBe(12 + 1);
    await shells.close();
  });
});

test.each<[string, Partial<ProcessSpec>]>([
  ["another shell", { argv: ["/bin/sh", "-c", "true"] }],
  ["more arguments", { argv: ["/bin/bash", "-c", "true", "name"] }],
  ["a login shell", { argv: ["/bin/bash", "-lc", "true"] }],
  ["a long script", { argv: ["/bin/bash", "-c", `true ${"x".repeat(5000)}`] }],
  ["a start-up file", { env: { ...ENV, BASH_ENV: "/dev/null" } }],
  ["no input", { input: "closed" }],
])("%s is started as it is", async (_, more) => {
  const shells = open();
  const spec = bash("true", more);
  await run(shells, spec);
  clock.advance(50);
  expect(asked.map((each) => each.spec)).toEqual([spec]);
  await shells.close();
});

test("a shell that cannot be started fails each time", async () => {
  const shells = open();
  const spec = bash("true", { cwd: join(folder, "nowhere") });
  for (let time = 0; time < 2; time += 1)
    expect(await shells.start(spec, () => {})).toMatchObject({ kind: "failed" });
  await shells.close();
});
