import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { createMemory, createMemoryStore } from "../../store/memory/memory-store.ts";
import type { NewSchedule, OpenRun } from "../../store/schedules.ts";
import {
  ABANDONED_AFTER_MS,
  createBackgroundSchedules,
  GIVE_UP_AFTER_MS,
  RECHECK_MS,
} from "./background-schedules.ts";
import type { Completion } from "./complete-run.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 16, 8, 30);
const NINE = Date.UTC(2026, 10, 16, 9);

/** Servers on one memory, which note the runs that they complete. */
function openHome() {
  const clock = createFakeClock(START);
  const memory = createMemory();
  const createId = createUuidSource(clock);
  const { schedules } = createMemoryStore(memory, { clock, owner: "command line" });
  const completed: string[] = [];

  function openServer(owner: string) {
    const store = createMemoryStore(memory, { clock, owner });
    const changed: string[] = [];
    let looks = 0;
    const missed: number[] = [];
    /** What happens to a run: it is completed, or the server dies before. */
    const runs = {
      complete: async (run: OpenRun): Promise<Completion> => {
        completed.push(`${owner} ${new Date(run.scheduledAtMs).toISOString().slice(11, 16)}`);
        const outcome = { kind: "queued", rowId: run.runKey } as const;
        await store.schedules.finish(run.runKey, outcome);
        return outcome;
      },
    };
    const background = createBackgroundSchedules({
      async schedules() {
        looks += 1;
        return store.schedules;
      },
      complete: (run) => runs.complete(run),
      onChange: (scheduleId) => void changed.push(scheduleId),
      onMissed: (_schedule, dueAtMs) => void missed.push(dueAtMs),
      clock,
      createId,
      log: silentLogger,
    });
    onTestFinished(() => background.stop());
    return { background, runs, changed, missed, looks: () => looks };
  }

  async function add(members: Partial<NewSchedule> = {}) {
    const plan: NewSchedule = {
      scheduleId: createId(),
      name: null,
      when: { type: "cron", expression: "0 * * * *", timeZone: "UTC" },
      work: { target: { type: "thread", threadId: "thread" }, turn: { input: [] } },
      missed: "once",
      state: { kind: "active" },
      nextAtMs: NINE,
      ...members,
    };
    await schedules.add(plan, 10_000);
    return plan.scheduleId;
  }

  /** Time passes in steps, with everything done that needs no timer. */
  async function pass(ms: number, step = ms) {
    for (let passed = 0; passed < ms; passed += step) {
      clock.advance(step);
      await settled();
    }
  }

  return { clock, schedules, completed, openServer, add, pass };
}

/** The first time, the library for cron lines is loaded. */
async function settled() {
  await import("croner");
  for (let turn = 0; turn < 10; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}

test("a schedule runs at its times, and clients are notified", async () => {
  const { schedules, completed, openServer, add, pass } = openHome();
  const scheduleId = await add();
  const server = openServer("one");
  server.background.start();
  await settled();
  await pass(NINE - START - 1000, 1000);
  expect(completed).toEqual([]);
  await pass(1000);
  expect(completed).toEqual(["one 09:00"]);
  await pass(HOUR);
  expect(completed).toEqual(["one 09:00", "one 10:00"]);
  expect(new Set(server.changed)).toEqual(new Set([scheduleId]));
  expect(await schedules.read(scheduleId)).toMatchObject({
    nextAtMs: NINE + 2 * HOUR,
    lastRun: { scheduledAtMs: NINE + HOUR, outcome: { kind: "queued" } },
  });
});

test("one timer serves all schedules, and what another process adds is seen by its next check", async () => {
  const { clock, completed, openServer, add, pass } = openHome();
  for (let count = 0; count < 1000; count += 1) await add({ nextAtMs: NINE + HOUR });
  const server = openServer("one");
  server.background.start();
  await settled();
  expect(clock.waiting).toEqual([RECHECK_MS]);
  const before = server.looks();
  await pass(60_000, 1000);
  expect([server.looks() - before, completed]).toEqual([60_000 / RECHECK_MS, []]);
  await add({ nextAtMs: clock.now() });
  await pass(RECHECK_MS);
  expect(completed).toHaveLength(1);
});

test.each([
  ["skip", []],
  ["once", ["late 11:00"]],
  ["all", ["late 09:00", "late 10:00", "late 11:00"]],
] as const)("a server that was down over three times runs what `%s` says", async (missed, expected) => {
  const { clock, schedules, completed, openServer, add } = openHome();
  const scheduleId = await add({ missed });
  clock.set(NINE + 2.5 * HOUR);
  const late = openServer("late");
  late.background.start();
  await settled();
  expect(completed).toEqual(expected);
  expect(late.missed).toEqual([NINE]);
  expect((await schedules.read(scheduleId))?.nextAtMs).toBe(NINE + 3 * HOUR);
});

test("a clock that is set back repeats no run", async () => {
  const { clock, completed, openServer, add, pass } = openHome();
  await add();
  openServer("one").background.start();
  await settled();
  await pass(NINE - START);
  expect(completed).toEqual(["one 09:00"]);
  clock.set(NINE - 600_000);
  await pass(1_200_000, 60_000);
  expect(completed).toEqual(["one 09:00"]);
  await pass(HOUR, 60_000);
  expect(completed).toEqual(["one 09:00", "one 10:00"]);
});

test("a clock that jumps over the next time is noticed", async () => {
  const { clock, completed, openServer, add, pass } = openHome();
  await add();
  openServer("one").background.start();
  await settled();
  clock.set(NINE);
  await pass(RECHECK_MS);
  expect(completed).toEqual(["one 09:00"]);
});

test("two servers that look at once run a time once", async () => {
  const { completed, openServer, add, pass } = openHome();
  for (let count = 0; count < 20; count += 1) await add();
  for (const owner of ["one", "other"]) openServer(owner).background.start();
  await settled();
  await pass(NINE - START);
  expect(completed).toHaveLength(20);
  await pass(ABANDONED_AFTER_MS * 2, 1000);
  expect(completed).toHaveLength(20);
});

test("what a dead server has claimed is completed by another one, and by the next to start at once", async () => {
  const { completed, openServer, add, pass } = openHome();
  await add();
  const dying = openServer("dying");
  dying.runs.complete = () => new Promise(() => {});
  dying.background.start();
  const other = openServer("other");
  other.background.start();
  await settled();
  await pass(NINE - START);
  dying.background.stop();
  await pass(ABANDONED_AFTER_MS - 1000, 1000);
  expect(completed).toEqual([]);
  await pass(RECHECK_MS + 1000, 1000);
  expect(completed).toEqual(["other 09:00"]);

  const again = openHome();
  await again.add();
  const dead = again.openServer("dead");
  dead.runs.complete = () => new Promise(() => {});
  dead.background.start();
  await settled();
  await again.pass(NINE - START);
  dead.background.stop();
  again.openServer("next").background.start();
  await settled();
  expect(again.completed).toEqual(["next 09:00"]);
});

test("a run that cannot be completed is tried again", async () => {
  const { completed, openServer, add, pass } = openHome();
  await add({ when: { type: "once", atMs: NINE } });
  const server = openServer("one");
  const { complete } = server.runs;
  server.runs.complete = async () => {
    throw new Error("the disk is full");
  };
  server.background.start();
  await settled();
  await pass(NINE - START);
  server.runs.complete = complete;
  await pass(ABANDONED_AFTER_MS + RECHECK_MS, 1000);
  expect(completed).toEqual(["one 09:00"]);
});

test("a run that cannot be completed for an hour has failed, with the reason", async () => {
  const { schedules, openServer, add, pass } = openHome();
  const scheduleId = await add({ when: { type: "once", atMs: NINE } });
  const server = openServer("one");
  server.runs.complete = async () => {
    throw new Error("the disk is full");
  };
  server.background.start();
  await settled();
  await pass(NINE - START);
  await pass(GIVE_UP_AFTER_MS - 60_000, 60_000);
  expect((await schedules.read(scheduleId))?.lastRun?.outcome).toBeNull();
  await pass(120_000, 60_000);
  const outcome = { kind: "failed", message: "the disk is full" };
  expect((await schedules.read(scheduleId))?.lastRun?.outcome).toEqual(outcome);
});
