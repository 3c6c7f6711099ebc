import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./rollout.fixture.ts";
import { acquireWriterLock, type LockOutcome } from "./writer-lock.ts";

async function acquire(home: string): Promise<LockOutcome> {
  const outcome = await acquireWriterLock(home, "t");
  if (outcome.kind === "held") onTestFinished(() => outcome.release().catch(() => {}));
  return outcome;
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
  if (first.kind === "held") await first.release();
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
  expect(await acquireWriterLock(home, "t", { program: "/does/not/exist" })).toEqual({
    kind: "unavailable",
    message: `cannot lock ${home}/thread-writer-locks/t.lock: spawn /does/not/exist ENOENT`,
  });
});
