import { expect, test } from "vitest";
import { describeCron, fromLocalField, toLocalField } from "./describe-schedule.ts";

test.each([
  ["30 2 * * 1-5", "Weekdays at 02:30"],
  ["5 9 * * *", "Every day at 09:05"],
  ["0 * * * *", "Every hour"],
  ["15 * * * *", "Every hour at minute 15"],
  ["*/10 * * * *", "Every 10 minutes"],
  ["* * * * *", "Every minute"],
  ["0 18 * * 5", "Fridays at 18:00"],
  ["0 18 * * 7", "Sundays at 18:00"],
  ["0 18 1 * *", null],
  ["0 9-17 * * *", null],
  ["nonsense", null],
])("the cron line `%s` is %s", (line, words) => {
  expect(describeCron(line)).toBe(words);
});

test("the field of a form has the time of the browser's zone", () => {
  const at = Math.floor(Date.UTC(2026, 10, 20, 9, 0) / 1000);
  expect(fromLocalField(toLocalField(at * 1000))).toBe(at);
  expect(fromLocalField("")).toBe(null);
});
