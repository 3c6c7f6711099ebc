import { expect, test } from "vitest";
import { growthSection, plotFile, plotOf } from "./growth-section.ts";
import { growthOf } from "./judge-growth.ts";
import { type GrowthRecord, withSeries } from "./record.ts";
import { SERIES } from "./series.ts";

/** Sample results in which each unit costs a thousandth. */
const measured = SERIES.map((series) => ({
  series,
  growths: series.curves.map((curve) =>
    growthOf(
      curve,
      series.sizes.map((size) => ({ size, value: 3 + size / 1000 })),
    ),
  ),
}));
const record = measured.reduce<GrowthRecord>(
  (known, { series, growths }) => withSeries(known, series, growths),
  new Map(),
);

test("the section shows a plot for every curve on record, and no others", () => {
  const files = measured.flatMap(({ series }) => series.curves.map((curve) => plotFile(series, curve)));
  const shown = (text: string) => [...text.matchAll(/\]\(performance\/([^)]+)\)/gu)].map(([, file]) => file);
  expect(shown(growthSection(SERIES, record))).toEqual(files);
  expect(new Set(files).size).toBe(files.length);
  expect(shown(growthSection(SERIES, new Map()))).toEqual([]);
});

test("plots are small and the same each time", () => {
  for (const { series, growths } of measured) {
    for (const growth of growths) {
      const plot = plotOf(series, growth, "2 × Some Processor @ 2.80GHz, Node v20");
      expect(Buffer.byteLength(plot)).toBeLessThan(8192);
      expect(plotOf(series, growth, "2 × Some Processor @ 2.80GHz, Node v20")).toBe(plot);
    }
  }
});

test("sizes grow, in each series by a factor", () => {
  for (const { sizes } of SERIES) {
    const steps = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    expect(steps.every((step) => step > 0)).toBe(true);
    expect(sizes.at(-1)! / Math.max(1, sizes[0]!)).toBeGreaterThanOrEqual(32);
  }
});
