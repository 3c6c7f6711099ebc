import { describe, expect, test } from "vitest";
import type { NewSchedule, Schedules, StoredSchedule } from "../schedules.ts";
import { THREAD_DELETED } from "../schedules.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

const MINUTE = 60_000;
const ALL = { offset: 0, limit: 100 };
const OPEN = { minAgeMs: 0, limit: 100 };

function newSchedule(scheduleId: string, members: Partial<NewSchedule> = {}): NewSchedule {
  return {
    scheduleId,
    name: null,
    when: { type: "cron", expression: "30 2 * * *", timeZone: "Europe/Berlin" },
    work: {
      target: { type: "thread", threadId: "thread" },
      turn: { input: [{ type: "text", text: "ä😀" }] },
    },
    missed: "once",
    state: { kind: "active" },
    nextAtMs: null,
    ...members,
  };
}

async function added(schedules: Schedules, schedule: NewSchedule): Promise<StoredSchedule> {
  const outcome = await schedules.add(schedule, 100);
  if (outcome.kind === "full") throw new Error("there is no room");
  return outcome.schedule;
}

const runAt = (scheduledAtMs: number, runKey = `run-${scheduledAtMs}`) => ({
  runKey,
  scheduledAtMs,
  threadId: "thread",
});

export function schedulesContract(createHarness: CreateHarness): void {
  async function open() {
    const harness = createHarness();
    const { schedules } = await harness.open();
    return { harness, schedules };
  }

  describe("schedules", () => {
    test("are stored as given, with the store's time, up to a limit", async () => {
      const { harness, schedules } = await open();
      const given = newSchedule("a", {
        name: "nightly",
        work: { target: { type: "newThread", params: { cwd: "/repo" } }, turn: { input: [] } },
        nextAtMs: harness.now() + MINUTE,
      });
      const now = harness.now();
      const stored = { ...given, revision: 1, lastRun: null, createdAtMs: now, updatedAtMs: now };
      expect(await schedules.add(given, 2)).toEqual({ kind: "added", schedule: stored });
      const other = await added(
        schedules,
        newSchedule("b", { state: { kind: "disabled", reason: "why" }, when: { type: "once", atMs: 1 } }),
      );
      expect(await schedules.add(newSchedule("c"), 2)).toEqual({ kind: "full" });
      expect(await schedules.list(ALL)).toEqual({ schedules: [stored, other], total: 2 });
      expect(await schedules.list({ offset: 1, limit: 1 })).toEqual({ schedules: [other], total: 2 });
      expect([await schedules.read("a"), await schedules.read("c")]).toEqual([stored, null]);
    });

    test("are changed and claimed at the revision that was read, and at no other one", async () => {
      const { harness, schedules } = await open();
      const { revision, ...first } = await added(schedules, newSchedule("a", { nextAtMs: harness.now() }));
      harness.advance(1000);
      const plan = { ...newSchedule("a"), missed: "all", state: { kind: "paused" } } as const;
      const changed = await schedules.update("a", revision, plan);
      expect(changed).toEqual({
        ...first,
        ...plan,
        revision: revision + 1,
        updatedAtMs: harness.now(),
      });
      const claim = { runs: [runAt(1)], state: { kind: "active" }, nextAtMs: null } as const;
      expect(await schedules.update("a", revision, plan)).toBeNull();
      expect(await schedules.claim("a", revision, claim)).toBe(false);
      expect(await schedules.claim("gone", 1, claim)).toBe(false);
      expect(await schedules.openRuns(OPEN)).toEqual([]);
      expect(await schedules.read("a")).toEqual(changed);
    });

    test("are due by the store's clock, the longest first, unless they are not active", async () => {
      const { harness, schedules } = await open();
      const now = harness.now();
      expect([await schedules.due(9), await schedules.nextAtMs()]).toEqual([[], null]);
      await added(schedules, newSchedule("later", { nextAtMs: now + 2 * MINUTE }));
      await added(schedules, newSchedule("now", { nextAtMs: now }));
      await added(schedules, newSchedule("past", { nextAtMs: now - MINUTE }));
      await added(schedules, newSchedule("paused", { state: { kind: "paused" } }));
      const ids = async (limit = 9) => (await schedules.due(limit)).map(({ scheduleId }) => scheduleId);
      expect([await ids(), await ids(1), await schedules.nextAtMs()]).toEqual([
        ["past", "now"],
        ["past"],
        now - MINUTE,
      ]);
      harness.advance(2 * MINUTE);
      expect(await ids()).toEqual(["past", "now", "later"]);
    });

    test("run a time once, whichever of several processes claims it", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const at = harness.now();
      await added(one.schedules, newSchedule("a", { nextAtMs: at }));
      const [seen] = await one.schedules.due(1);
      const [same] = await other.schedules.due(1);
      const claim = (runKey: string) => ({
        runs: [runAt(at, runKey)],
        state: { kind: "active" } as const,
        nextAtMs: at + MINUTE,
      });
      const claims = await Promise.all([
        one.schedules.claim("a", seen?.revision ?? 0, claim("one")),
        other.schedules.claim("a", same?.revision ?? 0, claim("other")),
      ]);
      expect(claims.filter((isWinner) => isWinner)).toHaveLength(1);
      const winner = claims[0] ? "one" : "other";
      expect((await other.schedules.openRuns(OPEN)).map(({ runKey }) => runKey)).toEqual([winner]);
      expect(await other.schedules.nextAtMs()).toBe(at + MINUTE);
    });

    test("have open runs with their work, also of a dead process, until one process closes them", async () => {
      const harness = createHarness();
      const dead = await harness.openDead();
      const before = newSchedule("a", { nextAtMs: harness.now() });
      const { revision } = await added(dead.schedules, before);
      const runs = [runAt(1), runAt(2)];
      await dead.schedules.claim("a", revision, { runs, state: { kind: "finished" }, nextAtMs: null });
      const { schedules } = await harness.open();
      await schedules.update("a", revision + 1, newSchedule("a", { missed: "skip", name: "changed" }));
      expect(await schedules.openRuns(OPEN)).toEqual(
        runs.map((run) => ({ ...run, scheduleId: "a", claimedAtMs: harness.now(), work: before.work })),
      );
      expect(await schedules.openRuns({ minAgeMs: 0, limit: 1 })).toHaveLength(1);
      const claimedAtMs = harness.now();
      expect((await schedules.read("a"))?.lastRun).toEqual({ ...runAt(2), claimedAtMs, outcome: null });
      const outcome = { kind: "queued", rowId: "row" } as const;
      expect(await schedules.finish("run-1", outcome)).toBe(true);
      expect(await schedules.finish("run-1", { kind: "failed", message: "late" })).toBe(false);
      expect(await schedules.finish("run-2", outcome)).toBe(true);
      expect(await schedules.openRuns(OPEN)).toEqual([]);
      expect((await schedules.read("a"))?.lastRun).toEqual({ ...runAt(2), claimedAtMs, outcome });
    });

    test("have abandoned runs: those of some age, and those from before the clock was set back", async () => {
      const { harness, schedules } = await open();
      const { revision } = await added(schedules, newSchedule("a", { nextAtMs: harness.now() }));
      await schedules.claim("a", revision, { runs: [runAt(1)], state: { kind: "active" }, nextAtMs: null });
      const old = async () => (await schedules.openRuns({ minAgeMs: MINUTE, limit: 9 })).length;
      expect(await old()).toBe(0);
      harness.advance(MINUTE);
      expect(await old()).toBe(1);
      harness.advance(-2 * MINUTE);
      expect(await old()).toBe(1);
    });

    test("that are removed are gone with their open runs", async () => {
      const { harness, schedules } = await open();
      const { revision } = await added(schedules, newSchedule("a", { nextAtMs: harness.now() }));
      await schedules.claim("a", revision, { runs: [runAt(1)], state: { kind: "active" }, nextAtMs: null });
      expect([await schedules.remove("a"), await schedules.remove("a")]).toEqual([true, false]);
      expect([await schedules.openRuns(OPEN), (await schedules.list(ALL)).total]).toEqual([[], 0]);
      expect(await schedules.finish("run-1", { kind: "queued", rowId: "row" })).toBe(false);
    });

    test("of a deleted thread are disabled, with the reason, and others are not", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const { schedules } = store;
      const nextAtMs = harness.now();
      const first = await added(schedules, newSchedule("a", { nextAtMs }));
      const work = { target: { type: "newThread", params: {} }, turn: {} } as const;
      const other = await added(schedules, newSchedule("b", { nextAtMs, work }));
      await store.forgetQueue("thread");
      expect(await schedules.read("a")).toMatchObject({
        state: { kind: "disabled", reason: THREAD_DELETED },
        nextAtMs: null,
        revision: first.revision + 1,
      });
      expect(await schedules.read("b")).toEqual(other);
    });
  });
}
