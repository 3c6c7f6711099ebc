import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createLocalHost } from "../../process/local-host.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { openExecBench } from "./fixtures/exec-bench.ts";
import { createLoginEnvironments, type LoginEnvironments } from "./login-environment.ts";

const SHELL = { kind: "bash", path: "/bin/bash" } as const;
let home: string;
let host: ProcessHost;
/** Resolves when so many children have ended. */
let ended: Promise<unknown>[];

beforeEach(async () => {
  writablePaths = NOWHERE;
  home = await mkdtemp(join(tmpdir(), "heddle-login-"));
  const local = createLocalHost();
  ended = [];
  host = {
    ...local,
    async start(spec, onOutput) {
      const outcome = await local.start(spec, onOutput);
      if (outcome.kind === "started") ended.push(outcome.process.closed);
      return outcome;
    },
  };
});
afterEach(async () => {
  await host.close();
  await rm(home, { recursive: true });
});

const given = () => ({ HOME: home, PATH: "/usr/bin:/bin", TERM: "dumb", SHLVL: "2" });

let writablePaths: Pick<SandboxWritablePaths, "contains" | "list">;
const NOWHERE = { contains: () => false, list: () => [] };
const openLogins = () =>
  createLoginEnvironments({
    host,
    clock: systemClock,
    folder: home,
    writablePaths,
    seclude: refuseToSeclude,
  });
const refuseToSeclude = () => Promise.resolve({ ok: false, reason: "there is no sandbox here" } as const);

async function settle(logins: LoginEnvironments) {
  expect(logins.get(SHELL, given())).toBe(null);
  while (ended.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(ended);
  await new Promise((resolve) => setImmediate(resolve));
  return logins.get(SHELL, given());
}

test("the environment of start-up files is captured once", async () => {
  await writeFile(
    join(home, ".bash_profile"),
    `echo noise; echo run >> ${home}/runs; export FROM_PROFILE=$'two\\nlines'`,
  );
  await writeFile(join(home, ".bashrc"), "export FROM_RC=yes TERM=other");
  const logins = openLogins();
  const expected = { ...given(), FROM_PROFILE: "two\nlines", FROM_RC: "yes", TERM: "other", PATH: "/bin" };
  // The system's own profile has a say about the path.
  expect({ ...(await settle(logins)), PATH: "/bin" }).toEqual(expected);
  expect({ ...logins.get(SHELL, given()), PATH: "/bin" }).toEqual(expected);
  expect(ended.length).toBe(1);
});

test("failing start-up files are left to each command", async () => {
  await writeFile(join(home, ".bash_profile"), "exit 3");
  expect(await settle(openLogins())).toBe(null);
});

test("commands get the profile's variables whether or not they are captured yet", async () => {
  await writeFile(join(home, ".bash_profile"), "export FROM_PROFILE=yes");
  const environment = { HOME: home, PATH: "/usr/bin:/bin", SHLVL: "2" };
  const bench = openExecBench({ deps: { environment, host } });
  const cmd = "echo $FROM_PROFILE $CODEX_THREAD_ID $CODEX_CI; shopt -q login_shell && echo login";
  const first = await bench.call("exec_command", { cmd });
  await Promise.all(ended);
  const second = await bench.call("exec_command", { cmd });
  const third = await bench.call("exec_command", { cmd, login: false });
  await bench.close();
  expect([first, second, third].map((text) => text.split("Output:\n")[1])).toEqual([
    "yes thread-1 1\nlogin\n",
    "yes thread-1 1\n",
    "thread-1 1\n",
  ]);
  expect(
    bench.events.filter((event) => event.startsWith("begin")).map((event) => event.includes(" -lc ")),
  ).toEqual([true, true, false]);
});

test("start-up files that a confined command could have written are never run", async () => {
  await writeFile(join(home, ".bash_profile"), `echo run >> ${home}/runs; export FROM_PROFILE=yes`);
  writablePaths = { contains: (path) => path.startsWith(home), list: () => [home] };
  expect(await openLogins().find(SHELL, given())).toBe(null);
  expect([ended.length, existsSync(join(home, "runs"))]).toEqual([0, false]);
});

test("an environment captured before sandboxed commands could write its files stays cached", async () => {
  await writeFile(join(home, ".bash_profile"), "export FROM_PROFILE=yes");
  const clock = createFakeClock();
  const logins = createLoginEnvironments({
    host,
    clock,
    folder: home,
    writablePaths: { contains: (path) => writablePaths.contains(path), list: () => writablePaths.list() },
    seclude: refuseToSeclude,
  });
  expect(await logins.find(SHELL, given())).toMatchObject({ FROM_PROFILE: "yes" });
  await writeFile(join(home, ".bash_profile"), "export FROM_PROFILE=changed");
  writablePaths = { contains: () => true, list: () => [home] };
  clock.advance(60 * 60_000);
  expect(await logins.find(SHELL, given())).toMatchObject({ FROM_PROFILE: "yes" });
  expect(ended.length).toBe(1);
});
