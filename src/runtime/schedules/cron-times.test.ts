import { describe, expect, test } from "vitest";
import { isRefusal } from "../../base/refusal.ts";
import { type CronTimes, readCron } from "./cron-times.ts";
import { MAX_CRON_LENGTH } from "./schedule-limits.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

async function read(expression: string, timeZone: string): Promise<CronTimes> {
  const times = await readCron({ expression, timeZone }, NOW);
  if (isRefusal(times)) throw new Error(times.message);
  return times;
}

/** The next runs, each asked from the one before. */
async function runs(expression: string, timeZone: string, from: string, count: number): Promise<string[]> {
  const times = await read(expression, timeZone);
  const found: string[] = [];
  let at = Date.parse(from);
  while (found.length < count) {
    at = times.next(at) ?? Number.NaN;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

const BERLIN = "Europe/Berlin";
const NEW_YORK = "America/New_York";

describe("runs at a change of the clocks", () => {
  test.each([
    ["30 2 * * *", BERLIN, "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"]],
    ["30 2 * * *", NEW_YORK, "2026-03-07T12:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    ["30 2 * * *", BERLIN, "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["30 2 * * *", BERLIN, "2026-10-25T01:10Z", ["2026-10-26T01:30"]],
    ["30 2 * * *", NEW_YORK, "2026-10-31T12:00Z", ["2026-11-01T07:30", "2026-11-02T07:30"]],
    ["30 1 * * *", NEW_YORK, "2026-10-31T12:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    ["30 1 * * *", NEW_YORK, "2026-11-01T06:10Z", ["2026-11-02T06:30"]],
    ["0 * * * *", BERLIN, "2026-03-28T23:30Z", ["2026-03-29T00:00", "2026-03-29T01:00", "2026-03-29T02:00"]],
    [
      "0 * * * *",
      BERLIN,
      "2026-10-24T22:30Z",
      ["2026-10-24T23:00", "2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"],
    ],
    [
      "0 * * * *",
      NEW_YORK,
      "2026-11-01T04:30Z",
      ["2026-11-01T05:00", "2026-11-01T06:00", "2026-11-01T07:00"],
    ],
  ])("`%s` in %s after %s", async (expression, timeZone, from, expected) => {
    expect(await runs(expression, timeZone, from, expected.length)).toEqual(expected);
  });
});

describe("the last time", () => {
  test.each([
    ["* * * * *", BERLIN],
    ["30 2 * * *", BERLIN],
    ["30 1 * * *", NEW_YORK],
    ["0 * * * *", NEW_YORK],
    ["7,39 */5 * * 1-5", BERLIN],
    ["15 6 29 2 *", "UTC"],
  ])("of `%s` in %s is the one that counting finds", async (expression, timeZone) => {
    const times = await read(expression, timeZone);
    const first = times.next(Date.UTC(2026, 9, 24)) ?? 0;
    let last = first;
    for (let step = 0; step < 60; step += 1) {
      const next = times.next(last) ?? Infinity;
      for (const until of [last, last + 1, last + MINUTE - 1, next - 1])
        if (until < next && until < first + 1e12) expect(times.last(first, until)).toBe(last);
      if (next === Infinity) break;
      last = next;
    }
  });

  test("is found after a year of minutes in few steps", async () => {
    const times = await read("* * * * *", BERLIN);
    const first = Date.UTC(2026, 0, 1);
    expect(times.last(first, first + 365 * 86_400_000 + 5)).toBe(first + 365 * 86_400_000);
  });
});

test.each([
  ["* * *", "UTC", "has 3 fields: it needs five"],
  ["", "UTC", "has 0 fields"],
  ["0 * * * * *", "UTC", "has 6 fields"],
  ["@daily", "UTC", "has one field"],
  ["2026-12-01T00:00:00", "UTC", "has one field"],
  ["61 * * * *", "UTC", "`61 * * * *` is not valid: "],
  ["a b c d e", "UTC", "is not valid"],
  ["*/0 * * * *", "UTC", "is not valid"],
  [`${"1,".repeat(MAX_CRON_LENGTH)}1 * * * *`, "UTC", "too long"],
  ["0 0 30 2 *", "UTC", "never runs"],
  ["* * * * *", "Mars/Base", "unknown time zone `Mars/Base`"],
  ["* * * * *", "", "unknown time zone"],
  ["* * * * *", "+02:00", "unknown time zone"],
])("`%s` in `%s` is refused: %s", async (expression, timeZone, message) => {
  const refused = await readCron({ expression, timeZone }, NOW);
  expect(isRefusal(refused) && refused.message).toContain(message);
});
