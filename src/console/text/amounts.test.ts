import { expect, test } from "vitest";
import { costText, shareText, sizeText, uptimeText } from "./amounts.ts";

test("amounts are short", () => {
  expect([0, 999, 1536, 193_000_000, 2_000_000_000].map(sizeText)).toEqual([
    "0 B",
    "999 B",
    "1.5 KB",
    "184 MB",
    "1.9 GB",
  ]);
  expect([shareText(7, 8), shareText(0, 0)]).toEqual(["88 %", null]);
  expect([0, 0.0123, 212.4].map((cost) => costText(cost).replace(",", "."))).toEqual([
    "0.00",
    "0.0123",
    "212.40",
  ]);
});

test("a server was started some time ago", () => {
  expect([1000, 61_000, 3_720_000, 273_600_000].map(uptimeText)).toEqual([
    "less than a minute",
    "1 min",
    "1 h 2 min",
    "3 d 4 h",
  ]);
});
