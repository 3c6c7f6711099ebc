/** Measures the points of a series. */
import type { Side } from "../bench/bench.ts";
import { median } from "../bench/median.ts";
import type { Point } from "./fit-line.ts";
import type { Curve, Series } from "./series.ts";

/** The points of each curve, smallest size first. */
export type Points = Readonly<Record<string, readonly Point[]>>;

/**
 * Every other round goes from the largest size to the smallest, so that a machine that becomes busier does not look
 * like growth. Other work only ever adds to a time, so that the fastest round counts.
 */
export async function measureSeries(series: Series, side: Side, rounds: number): Promise<Points> {
  const found = new Map(series.sizes.map((size) => [size, [] as Readonly<Record<string, number>>[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const size of round % 2 === 0 ? series.sizes : series.sizes.toReversed())
      found.get(size)?.push(await series.measure(side, size));
  }
  const pointsOf = ({ id, unit }: Curve): Point[] =>
    [...found].map(([size, rounds]) => {
      const values = rounds.map((each) => each[id] ?? Number.NaN);
      return { size, value: unit === "ms" ? Math.min(...values) : median(values) };
    });
  return Object.fromEntries(series.curves.map((curve) => [curve.id, pointsOf(curve)]));
}
