import { expect, test } from "vitest";
import type { HookTiming } from "../../store/activity.ts";
import { summarizeHooks } from "./hook-stats.ts";

const timing = (durationMs: number | null, more: Partial<HookTiming> = {}): HookTiming => ({
  eventName: "stop",
  sourcePath: "/hooks.json",
  displayOrder: 0,
  status: "completed",
  durationMs,
  ...more,
});

test("each hook has its counts and percentiles", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => timing(100 - at));
  const other = [
    timing(7, { displayOrder: 1, status: "blocked" }),
    timing(null, { displayOrder: 1, status: "failed" }),
  ];
  expect(summarizeHooks([...hundred, ...other])).toEqual([
    {
      eventName: "stop",
      sourcePath: "/hooks.json",
      displayOrder: 0,
      runs: 100,
      blocked: 0,
      failed: 0,
      p50Ms: 50,
      p95Ms: 95,
    },
    {
      eventName: "stop",
      sourcePath: "/hooks.json",
      displayOrder: 1,
      runs: 2,
      blocked: 1,
      failed: 1,
      p50Ms: 7,
      p95Ms: 7,
    },
  ]);
  expect(summarizeHooks([])).toEqual([]);
});
