import { expect, test } from "vitest";
import type { MetricEntry } from "../../protocol/generated/types.ts";
import { addSamples, linePoints, MAX_POINTS, totalOf } from "./metric-history.ts";

const entry = (kind: MetricEntry["kind"], ...values: number[]): MetricEntry => ({
  name: kind,
  kind,
  help: "",
  samples: values.map((value) => ({
    labels: {},
    value,
    buckets:
      kind === "histogram"
        ? [
            { le: 1, count: 1 },
            { le: null, count: 3 },
          ]
        : null,
    count: null,
  })),
});

test("a gauge has its values, a counter what was added", () => {
  const first = addSamples([], [entry("gauge", 4, 1), entry("counter", 100)]);
  expect(first.map(({ points }) => points)).toEqual([[5], [0]]);
  const second = addSamples(first, [entry("gauge", 2), entry("counter", 103)]);
  expect(second.map(({ points, latest }) => [points, latest])).toEqual([
    [[5, 2], 2],
    [[0, 3], 103],
  ]);
  // A server that was started again counts from zero.
  expect(addSamples(second, [entry("counter", 1)])[0]?.points).toEqual([0, 3, 0]);
});

test("a histogram counts its observations", () => {
  expect(totalOf(entry("histogram", 12.5))).toBe(3);
});

test("old points are dropped", () => {
  let series = addSamples([], [entry("gauge", 0)]);
  for (let value = 1; value <= MAX_POINTS; value += 1) series = addSamples(series, [entry("gauge", value)]);
  expect(series[0]?.points).toHaveLength(MAX_POINTS);
  expect(series[0]?.points[0]).toBe(1);
});

test("a line stays within its box", () => {
  expect(linePoints([1, 3], 59, 20)).toBe("0.0,18.0 1.0,2.0");
  expect(linePoints([7, 7], 59, 20)).toBe("0.0,18.0 1.0,18.0");
  expect(linePoints([], 59, 20)).toBe("");
});
