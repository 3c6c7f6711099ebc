import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { buildPrograms } from "../../process/fixtures/build-programs.ts";
import { openHelperHost } from "../../process/open-process-host.ts";
import { isGone } from "../../process/process-host.contract.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import { readOutcome } from "../events/read-outcome.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import { type Confine, MAX_STDOUT_BYTES, runConfinedCommand, runHookCommand } from "./run-command.ts";
import { runHooks } from "./run-hooks.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-bad-hooks-"));
const programs = buildPrograms();
const host = openHelperHost({ file: programs.helper });
afterAll(async () => {
  await host.close();
  programs.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Brief extends Partial<ConfiguredHook> {
  readonly inputText?: string;
  readonly cwd?: string;
  readonly home?: string;
  readonly confine?: Confine;
}

/** What a client sees of a hook that runs this script. */
async function run(
  script: string,
  { inputText = '{"prompt":"hi"}', cwd = folder, home = "/", confine, ...more }: Brief = {},
) {
  const { hooks } = await fakeHooks([
    { event: "UserPromptSubmit", timeoutSeconds: 20, ...more, run: () => ({ kind: "interrupted" }) },
  ]).configured();
  const { signal } = new AbortController();
  const shown: string[] = [];
  const call = {
    event: "UserPromptSubmit",
    scope: "turn",
    suffix: null,
    cwd,
    input: {},
    inputText,
    signal,
  } as const;
  const [finished] = await runHooks(
    hooks.map((hook) => ({ hook, call })),
    {
      clock: systemClock,
      createId: () => "run",
      runHandler({ timeoutSeconds }, call) {
        const env = { PATH: process.env["PATH"] ?? "", HOME: home };
        const argv = ["/bin/bash", "-c", script];
        const command = { argv, cwd: call.cwd, env, input: call.inputText, timeoutSeconds, signal };
        const ports = { host, clock: systemClock };
        return confine === undefined
          ? runHookCommand(ports, command)
          : runConfinedCommand(ports, command, confine);
      },
      readOutcome: (hook, result) => readOutcome("UserPromptSubmit", result, hook),
      report: {
        started: ({ status }) => shown.push(status),
        completed: ({ status }) => shown.push(status),
      },
    },
  );
  if (finished === undefined) throw new Error("no hook has run");
  expect(shown).toEqual(["running", finished.run.status]);
  const { status, entries, durationMs } = finished.run;
  return { status, entries, durationMs: durationMs ?? Number.NaN, effect: finished.outcome.effect };
}

const error = (text: string) => ({ kind: "error", text });
const context = (text: string) => ({ kind: "context", text });
const INVALID = "hook returned invalid user prompt submit JSON output";
const LONG = "x".repeat(400_000);
const CUT = { kind: "warning", text: "the hook's output was cut: it was longer than may be" };

function write(name: string, text: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  return path;
}

describe("a hook", () => {
  const plain = write("plain.sh", "#!/bin/sh\necho never\n", 0o644);
  const orphan = write("orphan.sh", "#!/nowhere/sh\necho never\n", 0o755);

  test.each<[string, string, string, readonly object[]]>([
    ["that crashes", "kill -SEGV $$", "failed", [error("hook exited without a status code")]],
    ["that is killed", "kill -9 $$", "failed", [error("hook exited without a status code")]],
    ["that exits with a code", "echo out; exit 3", "failed", [error("hook exited with code 3")]],
    [
      "that says no",
      "echo out; echo ' not this ' >&2; exit 2",
      "blocked",
      [{ kind: "feedback", text: "not this" }],
    ],
    ["that is missing", "/nowhere/hook", "failed", [error("hook exited with code 127")]],
    ["that may not be executed", plain, "failed", [error("hook exited with code 126")]],
    ["whose interpreter is missing", orphan, "failed", [error("hook exited with code 127")]],
    // The exit code of the shell for this error is the one by which hooks deny.
    [
      "that is no script",
      "if then",
      "blocked",
      [{ kind: "feedback", text: expect.stringContaining("syntax error") }],
    ],
    ["that prints half JSON", `echo '{"systemMessage": "h'`, "failed", [error(`${INVALID}\nit is not JSON`)]],
    ["that prints JSON and more", "echo '{} {}'", "failed", [error(`${INVALID}\nit is not JSON`)]],
    ["that prints NUL", "printf 'a\\0b'", "completed", [context("a\0b")]],
    ["that prints binary", "printf 'a\\xff\\xfe\\x80b'", "completed", [context("a\ufffd\ufffd\ufffdb")]],
    [
      "that prints colours",
      "printf '\\033[31mred\\033[0m'",
      "completed",
      [context("\u001b[31mred\u001b[0m")],
    ],
    [
      "that prints colours around JSON",
      "printf '\\033[31m{}\\033[0m'",
      "completed",
      [context("\u001b[31m{}\u001b[0m")],
    ],
    ["that prints blanks", "printf ' \\n\\t '", "completed", []],
    ["that closes its output", "exec >&- 2>&-; sleep 0.1", "completed", []],
    ["that ignores its input", "echo done", "completed", [context("done")]],
    ["that is gone before its input is written", "exec true", "completed", []],
    ["that closes its input", "exec <&-; echo done", "completed", [context("done")]],
    ["that reads all of its input", "wc -c", "completed", [context("400000")]],
    ["that reads some of its input", "head -c 3", "completed", [context("xxx")]],
  ])("%s", async (_, script, status, entries) => {
    expect(await run(script, { inputText: LONG })).toMatchObject({ status, entries });
  });

  test("reads a huge input to its end: a call that is too long to be judged would pass", async () => {
    const inputText = "x".repeat(40 << 20);
    expect(await run("wc -c >&2; exit 2", { inputText })).toMatchObject({
      status: "blocked",
      entries: [{ kind: "feedback", text: `${inputText.length}` }],
    });
  });

  test("that hangs is killed on timeout with its child processes", async () => {
    const pids = join(folder, "pids");
    const { status, entries, durationMs } = await run(
      `trap '' TERM; sleep 60 & echo $! $$ > ${pids}; echo early; while :; do sleep 1; done`,
      { timeoutSeconds: 1 },
    );
    expect({ status, entries }).toEqual({ status: "failed", entries: [error("hook timed out after 1s")] });
    expect(durationMs).toBeGreaterThanOrEqual(1000);
    expect(durationMs).toBeLessThan(3000);
    const remaining = readFileSync(pids, "utf8").trim().split(" ").map(Number);
    expect(await Promise.all(remaining.map(isGone))).toEqual([true, true]);
  });

  test("whose working folder does not exist", async () => {
    const cwd = join(folder, "nowhere");
    expect(await run("true", { cwd })).toMatchObject({
      status: "failed",
      entries: [error(`hook could not be started: folder ${cwd} does not exist`)],
    });
  });

  test("runs no start-up files", async () => {
    writeFileSync(join(folder, ".bashrc"), "echo started >&2");
    expect(await run(`echo no >&2; exit 2`, { home: folder })).toMatchObject({
      entries: [{ kind: "feedback", text: "no" }],
    });
  });

  test.each([
    ["that forks a child which holds its output", "sleep 5 & echo told"],
    ["that leaves a process behind with its output", "(trap '' HUP; exec sleep 5) & disown; echo told"],
    ["that leaves a process behind in a session of its own", "setsid sleep 5 & echo told"],
  ])("%s is over when it has exited itself", async (_, script) => {
    const { status, entries, durationMs } = await run(script);
    expect({ status, entries }).toEqual({ status: "completed", entries: [context("told")] });
    expect(durationMs).toBeLessThan(2000);
  });

  test("may leave a background process running", async () => {
    const [gate, made] = [join(folder, "gate"), join(folder, "made")];
    const script = `(until [ -e ${gate} ]; do sleep 0.05; done; touch ${made}) > /dev/null 2>&1 < /dev/null &`;
    expect(await run(script)).toMatchObject({ status: "completed", entries: [] });
    writeFileSync(gate, "");
    await expect.poll(() => existsSync(made), { timeout: 5000 }).toBe(true);
  });

  test("that prints a lot is truncated, and the user is warned", async () => {
    const { status, entries, effect } = await run("head -c 4000000 /dev/zero | tr '\\0' a");
    expect([status, entries[0]]).toEqual(["completed", CUT]);
    expect(entries[1]).toEqual(context("a".repeat(MAX_STDOUT_BYTES)));
    expect(effect.contexts).toEqual(["a".repeat(MAX_STDOUT_BYTES)]);
  });

  test("that prints a lot of JSON fails", async () => {
    const script = `printf '{"systemMessage":"'; head -c 4000000 /dev/zero | tr '\\0' a; printf '"}'`;
    expect(await run(script)).toMatchObject({
      status: "failed",
      entries: [error(`${INVALID}\nit is not complete: it was longer than may be, and was cut`)],
    });
  });

  test("that complains a lot is cut", async () => {
    const { status, entries } = await run("head -c 4000000 /dev/zero | tr '\\0' a >&2; exit 2");
    expect(status).toBe("blocked");
    expect(entries).toEqual([{ kind: "feedback", text: "a".repeat(1 << 16) }]);
  });

  test("that prints without end has only its time", async () => {
    expect(await run("yes", { timeoutSeconds: 1 })).toMatchObject({
      status: "failed",
      entries: [error("hook timed out after 1s")],
    });
  });

  test.each([
    ["hangs", "sleep 60", "hook timed out after 1s"],
    ["crashes", "kill -9 $$", "hook exited without a status code"],
    ["prints half JSON", "echo '{'", INVALID],
  ])("blocks where it must not fail and %s", async (_, script, reason) => {
    const { status, effect } = await run(script, { timeoutSeconds: 1, onFailure: "closed" });
    expect([status, effect.block]).toEqual(["failed", reason]);
  });
});

describe("a sandboxed hook", () => {
  test.each([
    ["fails", "open", null],
    ["blocks where it must not fail", "closed", expect.stringContaining("asks for a sandbox")],
  ] as const)("does not run without a sandbox: it %s", async (_, onFailure, block) => {
    const confine: Confine = () => ({ ok: false, reason: "bubblewrap is not installed" });
    const { status, entries, effect } = await run("touch made-anyway", { confine, onFailure });
    const words =
      "hook was not run: it asks for a sandbox, which cannot be had here: bubblewrap is not installed";
    expect([status, entries[0]?.text.split("\n")[0]]).toEqual(["failed", words]);
    expect(effect.block).toEqual(block);
    expect(existsSync(join(folder, "made-anyway"))).toBe(false);
  });
});
