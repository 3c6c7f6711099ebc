import { expect, test } from "vitest";
import type { UsageGroup } from "../../protocol/generated/types.ts";
import { daysOf, layoutBars, niceStep, seriesOf } from "./usage-chart.ts";

const group = (day: string, model: string | null, totalTokens: number) =>
  ({ day, model, totalTokens }) as UsageGroup;
const SIZE = { width: 140, height: 112, inset: 40 };

test("a range ends today and crosses months", () => {
  const today = new Date(2026, 2, 2, 23, 59).getTime();
  expect(daysOf(4, today)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
});

test("bars are stacked from the axis, and the highest reaches the top", () => {
  const groups = [group("2026-03-01", "a", 60), group("2026-03-01", "b", 40), group("2026-03-02", "b", 10)];
  const { series, bars, ticks } = layoutBars(groups, ["2026-03-01", "2026-03-02"], SIZE);
  expect(series).toEqual(["a", "b"]);
  expect(bars.map(({ total }) => total)).toEqual([100, 10]);
  expect(bars[0]?.parts).toEqual([
    { series: 0, tokens: 60, y: 52, height: 60 },
    { series: 1, tokens: 40, y: 12, height: 40 },
  ]);
  expect(bars[1]?.parts).toEqual([{ series: 1, tokens: 10, y: 102, height: 10 }]);
  expect(ticks.map(({ value }) => value)).toEqual([0, 20, 40, 60]);
  expect(bars.every(({ x, width }) => x >= 40 && x + width <= 140)).toBe(true);
});

test("many models share one colour, and days without use have no bar", () => {
  const groups = ["a", "b", "c", "d", "e", null].map((model, at) => group("2026-03-01", model, 100 - at));
  expect(seriesOf(groups)).toEqual(["a", "b", "c", "other"]);
  const { bars } = layoutBars(groups, ["2026-02-28", "2026-03-01"], SIZE);
  expect(bars.map(({ parts }) => parts.map(({ tokens }) => tokens))).toEqual([
    [],
    [100, 99, 98, 97 + 96 + 95],
  ]);
});

test("nothing at all still has an axis", () => {
  expect(layoutBars([], ["2026-03-01"], SIZE).ticks[0]).toEqual({ value: 0, y: 112 });
  expect([niceStep(0.3), niceStep(7), niceStep(34), niceStep(1999)]).toEqual([1, 5, 20, 1000]);
});
