import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "./fake-clock.fixture.ts";
import { createDeferred } from "./tasks.ts";
import { checkMountResponsive, createPoolGate, runWithDeadline } from "./thread-pool.ts";

function open() {
  const clock = createFakeClock();
  return { clock, gate: createPoolGate({ clock, deadlineMs: 100, maxConcurrent: 2 }) };
}

const TIMEOUT = { kind: "timeout" };

test("work runs up to the limit, and serially on each mount", async () => {
  const { gate } = open();
  const started: number[] = [];
  const works = ["/a", "/a", "/b", "/c"].map((mount, index) => {
    const work = createDeferred<number>();
    const outcome = gate.run(mount, () => {
      started.push(index);
      return work.promise;
    });
    return { end: () => work.resolve(index), outcome };
  });
  expect(started).toEqual([0, 2]);
  for (const step of [2, 0, 1, 3]) {
    works[step]?.end();
    await works[step]?.outcome;
  }
  expect(started).toEqual([0, 2, 3, 1]);
  const values = await Promise.all(works.map(({ outcome }) => outcome));
  expect(values).toEqual([0, 1, 2, 3].map((value) => ({ kind: "done", value })));
});

test("failed work rejects and frees its slot", async () => {
  const { gate } = open();
  for (let count = 0; count < 5; count += 1) {
    await expect(gate.run("/", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  }
  expect(await gate.run("/", async () => 1)).toEqual({ kind: "done", value: 1 });
});

test("a stuck mount is skipped until it responds, and other mounts are not", async () => {
  const { clock, gate } = open();
  const hanging = createDeferred<void>();
  const never = async () => {
    throw new Error("must not run");
  };
  const outcomes = [gate.run("/dead", () => hanging.promise), gate.run("/dead", never)];
  clock.advance(100);
  expect(await Promise.all([...outcomes, gate.run("/dead", never)])).toEqual([TIMEOUT, TIMEOUT, TIMEOUT]);
  expect(["/dead", "/"].map(gate.isStuck)).toEqual([true, false]);
  expect([await gate.run("/", async () => 1), gate.overdue]).toEqual([{ kind: "done", value: 1 }, 1]);
  hanging.resolve();
  await hanging.promise;
  expect([await gate.run("/dead", async () => 2), gate.overdue]).toEqual([{ kind: "done", value: 2 }, 0]);
});

test("work times out immediately when every slot is stuck", async () => {
  const { clock, gate } = open();
  const hang = () => createDeferred<void>().promise;
  const outcomes = [gate.run("/a", hang), gate.run("/b", hang), gate.run("/c", hang)];
  clock.advance(100);
  expect(await Promise.all([...outcomes, gate.run("/d", hang)])).toEqual([
    TIMEOUT,
    TIMEOUT,
    TIMEOUT,
    TIMEOUT,
  ]);
});

test("a folder is responsive during long work on its mount", async () => {
  const long = createDeferred<void>();
  const folder = mkdtempSync(join(tmpdir(), "heddle-answer-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const work = runWithDeadline(folder, () => long.promise);
  expect(await checkMountResponsive(folder)).toBeNull();
  long.resolve();
  expect(await work).toEqual({ kind: "done", value: undefined });
});
