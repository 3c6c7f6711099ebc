import { expect, test } from "vitest";
import { ageOf, countText, durationText, withTilde } from "./time.ts";

test("ages and durations use the largest unit that says something", () => {
  const ages = [0, 59, 60, 3599, 3600, 90_000].map((age) => ageOf(1_000_000 - age, 1_000_000_000));
  expect(ages).toEqual(["now", "now", "1 min", "59 min", "1 h", "1 d"]);
  expect([12, 2900, 52_000, 72_000, 7_500_000].map(durationText)).toEqual([
    "12 ms",
    "2.9 s",
    "52 s",
    "1 min 12 s",
    "2 h 5 min",
  ]);
});

test("large numbers are short", () => {
  expect([0, 999, 1000, 81_300, 612_000, 999_500, 1_234_567].map(countText)).toEqual([
    "0",
    "999",
    "1k",
    "81.3k",
    "612k",
    "1M",
    "1.2M",
  ]);
});

test("the home folder is a tilde, and only as a whole name", () => {
  expect([withTilde("/home/me/a", "/home/me"), withTilde("/home/mean", "/home/me")]).toEqual([
    "~/a",
    "/home/mean",
  ]);
});
