import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./rollout.fixture.ts";
import { createWriterLocks, type LockOutcome } from "./writer-lock.ts";

async function acquire(home: string): Promise<LockOutcome> {
  return createWriterLocks(home).acquire("t");
}

const programs = ["/usr/bin/flock", "/bin/flock"].some((path) => existsSync(path));

test.skipIf(!programs)("one writer holds the lock of a thread until it lets go", async () => {
  const home = temporaryFolder();
  const first = await acquire(home);
  const second = await acquire(home);
  expect([first.kind, second]).toEqual([
    "held",
    { kind: "taken", message: "thread t already has an active writer" },
  ]);
  if (first.kind === "held") first.release();
  expect((await acquire(home)).kind).toBe("held");
});

test.skipIf(!programs)("a lock on a file that was removed holds nobody up", async () => {
  const home = temporaryFolder();
  await acquire(home);
  rmSync(join(home, "thread-writer-locks", "t.lock"));
  expect((await acquire(home)).kind).toBe("held");
});

test("where no program can lock, that is said", async () => {
  const home = temporaryFolder();
  expect(await createWriterLocks(home, { program: () => "/does/not/exist" }).acquire("t")).toEqual({
    kind: "unavailable",
    message: `cannot lock ${home}/thread-writer-locks/t.lock: spawn /does/not/exist ENOENT`,
  });
});

const MANY = Array.from({ length: 70 }, (_, at) => `thread-${at}`);

test.skipIf(!programs)("threads that are locked at once are each held, and each only once", async () => {
  const home = temporaryFolder();
  const [ours, theirs] = [createWriterLocks(home), createWriterLocks(home)];
  const held = await theirs.acquire("thread-5");
  const outcomes = await Promise.all(MANY.map((threadId) => ours.acquire(threadId)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(
    MANY.map((threadId) => (threadId === "thread-5" ? "taken" : "held")),
  );
  const again = await Promise.all(MANY.map((threadId) => theirs.acquire(threadId)));
  expect(new Set(again.map(({ kind }) => kind))).toEqual(new Set(["taken"]));
  for (const outcome of [held, ...outcomes]) if (outcome.kind === "held") outcome.release();
  expect((await theirs.acquire("thread-69")).kind).toBe("held");
});

test("where no program can lock, that is said to each that waits", async () => {
  const locks = createWriterLocks(temporaryFolder(), { program: () => "/does/not/exist" });
  const outcomes = await Promise.all(MANY.map((threadId) => locks.acquire(threadId)));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["unavailable"]));
});

test("locks are not leaked into programs that are started meanwhile", async () => {
  const home = temporaryFolder();
  const locks = createWriterLocks(home);
  const outcomes = await Promise.all(MANY.slice(0, 40).map((threadId) => locks.acquire(threadId)));
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  for (const outcome of outcomes) if (outcome.kind === "held") outcome.release();
  expect((await createWriterLocks(home).acquire("thread-0")).kind).toBe(programs ? "held" : "unavailable");
});
