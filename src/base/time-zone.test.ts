import { expect, test } from "vitest";
import { createDayStarts, isDay, isTimeZone, nextDay } from "./time-zone.ts";

test.each([
  ["UTC", "2026-11-19", "2026-11-19T00:00:00.000Z"],
  ["Europe/Berlin", "2026-11-19", "2026-11-18T23:00:00.000Z"],
  ["Europe/Berlin", "2026-07-01", "2026-06-30T22:00:00.000Z"],
  // The day on which clocks go forward, and the day after.
  ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
  ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00.000Z"],
  ["Asia/Kathmandu", "2026-11-19", "2026-11-18T18:15:00.000Z"],
  ["Pacific/Kiritimati", "2026-11-19", "2026-11-18T10:00:00.000Z"],
  ["America/Los_Angeles", "2026-11-01", "2026-11-01T07:00:00.000Z"],
  ["America/Los_Angeles", "2026-11-02", "2026-11-02T08:00:00.000Z"],
])("in %s the day %s begins at %s", (zone, day, start) => {
  expect(new Date(createDayStarts(zone)(day)).toISOString()).toBe(start);
});

test("days follow each other over the ends of months and years", () => {
  expect(["2026-02-28", "2028-02-28", "2026-12-31"].map(nextDay)).toEqual([
    "2026-03-01",
    "2028-02-29",
    "2027-01-01",
  ]);
});

test.each([
  ["2026-02-29", false],
  ["2028-02-29", true],
  ["2026-1-1", false],
  ["yesterday", false],
  ["2026-13-01", false],
])("%s is a day: %s", (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

test.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["+02:00", false],
  ["Nowhere/Town", false],
])("%s is a time zone: %s", (name, expected) => {
  expect(isTimeZone(name)).toBe(expected);
});
