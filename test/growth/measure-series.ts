/** The points of a series: what was found at each size. */
import type { Side } from "../bench/bench.ts";
import { median } from "../bench/median.ts";
import type { Point } from "./fit-line.ts";
import type { Curve, Series } from "./series.ts";

/** For each curve of the series its points, the smallest first. */
export type Points = Readonly<Record<string, readonly Point[]>>;

/**
 * Every other round goes from the largest size to the smallest, so that a machine that gets busier in the meantime does
 * not look like growth. Whatever else the machine does only ever adds to a time, which is why the quietest round counts.
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
