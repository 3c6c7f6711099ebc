import { expect, test } from "vitest";
import { isRefusal } from "../../base/refusal.ts";
import { readCron } from "./cron-times.ts";
import { ONCE, planScheduledRuns } from "./plan-runs.ts";
import { MAX_MISSED_RUNS, MISSED_AFTER_MS } from "./schedule-limits.ts";

const HOUR = 3_600_000;
const DUE = Date.UTC(2026, 10, 16, 9);

async function hourly() {
  const times = await readCron({ expression: "0 * * * *", timeZone: "Europe/Berlin" }, DUE);
  if (isRefusal(times)) throw new Error(times.message);
  return times;
}

test.each([
  ["skip", []],
  ["once", [DUE + 2 * HOUR]],
  ["all", [DUE, DUE + HOUR, DUE + 2 * HOUR]],
] as const)("a server that was down over three times runs them as `%s` says", async (missed, expected) => {
  const plan = { dueAtMs: DUE, missed, times: await hourly() };
  expect(planScheduledRuns(plan, DUE + 2.5 * HOUR)).toEqual({ times: expected, nextAtMs: DUE + 3 * HOUR });
});

test.each(["skip", "once", "all"] as const)("a run in time is no missed one with `%s`", async (missed) => {
  const plan = { dueAtMs: DUE, missed, times: await hourly() };
  expect(planScheduledRuns(plan, DUE)).toEqual({ times: [DUE], nextAtMs: DUE + HOUR });
  expect(planScheduledRuns(plan, DUE + MISSED_AFTER_MS).times).toEqual([DUE]);
});

test("`all` is bounded: the latest runs are caught up", async () => {
  const plan = { dueAtMs: DUE, missed: "all", times: await hourly() } as const;
  const { times, nextAtMs } = planScheduledRuns(plan, DUE + 1000 * HOUR);
  expect([times.length, times[0], times.at(-1), nextAtMs]).toEqual([
    MAX_MISSED_RUNS,
    DUE + (1001 - MAX_MISSED_RUNS) * HOUR,
    DUE + 1000 * HOUR,
    DUE + 1001 * HOUR,
  ]);
});

test("a single time is skipped if it was missed, and runs late otherwise", () => {
  const at = (missed: "skip" | "once" | "all") =>
    planScheduledRuns({ dueAtMs: DUE, missed, times: ONCE }, DUE + HOUR);
  expect([at("skip"), at("once"), at("all")]).toEqual([
    { times: [], nextAtMs: null },
    { times: [DUE], nextAtMs: null },
    { times: [DUE], nextAtMs: null },
  ]);
});
