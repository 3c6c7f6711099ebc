import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import type { TokenCommandSettings } from "../provider-settings.ts";
import { createTokenSource } from "./token-command.ts";

const PATH = process.env["PATH"];

/** A shell command that counts its runs. */
function open(script: string, own: Partial<TokenCommandSettings> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "heddle-token-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const clock = { ms: 1000, monotonic: () => clock.ms };
  const args = ["-c", `echo x >> runs; ${script}`];
  const command = { command: "sh", args, timeoutMs: 5000, refreshIntervalMs: 300, cwd, ...own };
  const source = createTokenSource(command, { clock, env: { PATH, NAME: "of-user" } });
  return { source, clock, runs: () => readFileSync(join(cwd, "runs"), "utf8").length / 2 };
}

test("the program's output is cached as token until it expires", async () => {
  const { source, clock, runs } = open('echo " token-$NAME "');
  const token = { kind: "token", token: "token-of-user" };
  expect(await Promise.all([source.get(), source.get()])).toEqual([token, token]);
  clock.ms += 299;
  expect([await source.get(), runs()]).toEqual([token, 1]);
  clock.ms += 1;
  expect([await source.get(), runs()]).toEqual([token, 2]);
});

test("only a rejected token is refreshed", async () => {
  const { source, runs } = open("echo t$(wc -l < runs)", { refreshIntervalMs: 0 });
  expect(await source.get()).toEqual({ kind: "token", token: "t1" });
  source.discard("another");
  expect([await source.get(), runs()]).toEqual([{ kind: "token", token: "t1" }, 1]);
  source.discard("t1");
  expect([await source.get(), runs()]).toEqual([{ kind: "token", token: "t2" }, 2]);
});

test.each([
  ["exit 3", "ended with exit code 3"],
  ["echo no login >&2; exit 1", "ended with exit code 1: no login"],
  ["echo", "printed nothing"],
  ["echo a; echo b", "printed more than a token"],
])("%j is told to the user, and tried again by whoever asks next", async (script, reason) => {
  const { source, runs } = open(script);
  const fault = {
    kind: "fault",
    message: `the program \`sh\`, which prints the token for the provider, ${reason}`,
  };
  expect([await source.get(), await source.get(), runs()]).toEqual([fault, fault, 2]);
});

test("a hanging program is killed, and a missing one is named", async () => {
  const hanging = await open("sleep 60", { timeoutMs: 50 }).source.get();
  expect(hanging).toMatchObject({ message: expect.stringContaining("did not end in 50 ms") });
  const missing = await open("", { command: "/nowhere/token" }).source.get();
  expect(missing).toMatchObject({ message: expect.stringContaining("`/nowhere/token`") });
});

test("a refused program is not run, and the error contains the reason", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "heddle-token-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const command = { command: "sh", args: ["./token.sh"], timeoutMs: 5000, refreshIntervalMs: 300, cwd };
  const asked: unknown[] = [];
  const source = createTokenSource(command, {
    clock: { monotonic: () => 0 },
    env: { PATH },
    refuseProgram(argv, folder) {
      asked.push([argv, folder]);
      return "it may be anybody's";
    },
  });
  expect(await source.get()).toEqual({
    kind: "fault",
    message: "the program `sh`, which prints the token for the provider, was not run: it may be anybody's",
  });
  expect(asked).toEqual([[["sh", "./token.sh"], cwd]]);
});
