import { describe, expect, test } from "vitest";
import { describeVerdict, growthOf, judgeGrowth, showFigure } from "./judge-growth.ts";
import type { Curve } from "./series.ts";

const SIZES = [50, 100, 200, 400, 800, 1600, 3200];
const RANGE = 3150;
const time: Curve = { id: "turn", title: "a turn", unit: "ms" };
const memory: Curve = { id: "memory", title: "memory", unit: "KB" };
const descriptors: Curve = { id: "files", title: "files", unit: "descriptors" };
const grow = (curve: Curve, value: (size: number) => number) =>
  growthOf(
    curve,
    SIZES.map((size) => ({ size, value: value(size) })),
  );
/** A time that grows by this share of its value at the smallest size. */
const timeBy = (share: number, atSmallest = 5) =>
  grow(time, (size) => atSmallest * (1 + (share * (size - 50)) / RANGE));

describe("the growth of a time", () => {
  test("is what is added over all sizes, as a share of the smallest", () => {
    expect(timeBy(2).figure).toBeCloseTo(2, 9);
  });

  test("is the same on a machine that is ten times as slow", () => {
    expect(timeBy(2, 50).figure).toBeCloseTo(timeBy(2, 5).figure, 9);
  });

  test.each<[string, number, number, string]>([
    ["as it was", 2, 2, "pass"],
    ["better", 2, 0.5, "pass"],
    ["29 % worse", 2, 2 * 1.29, "pass"],
    ["31 % worse", 2, 2 * 1.31, "steeper"],
    ["below a quarter, whatever it was", 0.01, 0.24, "pass"],
    ["above a quarter, where it was none", 0.01, 0.26, "steeper"],
    ["below a quarter, where it sank", -0.5, 0.24, "pass"],
    ["above a quarter, where it sank", -0.5, 0.26, "steeper"],
  ])("that is %s", (_name, recorded, found, kind) => {
    expect(judgeGrowth(timeBy(found), recorded).kind).toBe(kind);
  });

  test("that is worse than linear fails, whatever is on record", () => {
    const square = grow(time, (size) => 1 + size ** 2 / 1e5);
    expect(judgeGrowth(square, 1e9).kind).toBe("bends");
    const cliff = grow(time, (size) => (size === 3200 ? 50 : 5));
    expect(judgeGrowth(cliff, 1e9).kind).toBe("bends");
    const logarithmic = grow(time, (size) => size * Math.log2(size));
    expect(judgeGrowth(logarithmic, 1e9).kind).toBe("pass");
  });
});

describe("the growth of anything else", () => {
  test.each([
    { name: "29 % worse", curve: memory, recorded: 60, each: 60 * 1.29, kind: "pass" },
    { name: "31 % worse", curve: memory, recorded: 60, each: 60 * 1.31, kind: "steeper" },
    { name: "half a megabyte in all", curve: memory, recorded: 0, each: 511 / RANGE, kind: "pass" },
    { name: "more than that", curve: memory, recorded: 0, each: 513 / RANGE, kind: "steeper" },
    { name: "eight files in all", curve: descriptors, recorded: 0, each: 7.9 / RANGE, kind: "pass" },
    { name: "three instead of two files", curve: descriptors, recorded: 2, each: 3, kind: "steeper" },
  ])("is what each further one adds: $name", ({ curve, recorded, each, kind }) => {
    const growth = grow(curve, (size) => 18_000 + each * size);
    expect(growth.figure).toBeCloseTo(each, 6);
    expect(judgeGrowth(growth, recorded).kind).toBe(kind);
  });
});

test("what is not on record fails, and says what to do", () => {
  const verdict = judgeGrowth(timeBy(0), undefined);
  expect(verdict.kind).toBe("unrecorded");
  expect(describeVerdict(verdict, timeBy(0))).toContain("--write");
});

test("what could not be measured at some size fails", () => {
  expect(judgeGrowth(timeBy(Number.NaN), 2).kind).toBe("steeper");
  expect(
    judgeGrowth(
      grow(time, (size) => (size === 3200 ? Number.NaN : 5)),
      2,
    ).kind,
  ).not.toBe("pass");
});

test("a failure says how much it grows, and how much it may", () => {
  const growth = timeBy(3);
  expect(describeVerdict(judgeGrowth(growth, 2), growth)).toBe("fail: grows by 300 %, more than 260 %");
});

test.each<[number, Curve, string]>([
  [0.256, time, "26 %"],
  [0.1234, memory, "0.12 KB each"],
  [1234.5, memory, "1235 KB each"],
  [2, descriptors, "2 descriptors each"],
])("the figure %d is shown as %s", (figure, curve, shown) => {
  expect(showFigure(figure, curve)).toBe(shown);
});

test.each<[string, number[]]>([
  ["nothing", []],
  ["one point", [5]],
  ["zeros", [0, 0, 0]],
])("%s has a growth of none, and no verdict is lost in it", (_name, values) => {
  const growth = growthOf(
    time,
    values.map((value, index) => ({ size: index, value })),
  );
  expect(growth.figure).toBe(0);
});
