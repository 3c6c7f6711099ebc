/** A straight line through measured points. */
import { median } from "../bench/median.ts";

export interface Point {
  readonly size: number;
  readonly value: number;
}

export interface Line {
  /** The value at size 0. */
  readonly base: number;
  /** The increase per unit of size. */
  readonly slope: number;
}

/**
 * The weighted median of the slopes between all pairs of points (Theil and Sen): unlike a least-squares fit, it is
 * robust against outliers. A pair is weighted by the root of its distance, because pairs of near sizes are mostly
 * noise; weighted by the distance itself, the largest size would dominate.
 */
export function fitLine(points: readonly Point[]): Line {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).flatMap((other): Slope[] => {
      const distance = other.size - one.size;
      if (distance === 0) return [];
      return [{ slope: (other.value - one.value) / distance, weight: Math.sqrt(Math.abs(distance)) }];
    }),
  );
  const slope = weightedMedian(slopes);
  return { slope, base: median(points.map(({ size, value }) => value - slope * size)) };
}

interface Slope {
  readonly slope: number;
  readonly weight: number;
}

/** The slope with half of the weight below it; 0 if there is none. */
function weightedMedian(slopes: readonly Slope[]): number {
  const sorted = slopes.toSorted((one, other) => one.slope - other.slope);
  let left = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { slope, weight } of sorted) {
    left -= weight;
    if (!(left > 0)) return slope;
  }
  return 0;
}

export function valueAt({ base, slope }: Line, size: number): number {
  return base + slope * size;
}
