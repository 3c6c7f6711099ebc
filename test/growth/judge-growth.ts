/** Reduces growth to one figure that is comparable between machines, and compares it with the record. */
import { fitLine, type Line, type Point, valueAt } from "./fit-line.ts";
import type { Curve } from "./series.ts";

export interface Growth {
  readonly curve: Curve;
  readonly points: readonly Point[];
  readonly line: Line;
  /**
   * For a time: the increase by the slope from the smallest size to the largest, as a share of the time at the
   * smallest. Both are longer on a slower machine, but their ratio is not. It is proportional to the slope, which a
   * share of the time at the largest size would not be. For any other unit: the increase per unit of size.
   */
  readonly figure: number;
  /** The value at the largest size, as a multiple of the line's value there. */
  readonly excess: number;
}

/**
 * The maximum ratio of a figure to the recorded one, and of the largest value to the line; above it, growth is not
 * linear.
 */
const ROOM = 1.3;
/**
 * Growth below this is noise: from the smallest size to the largest, as a share of a time, or in the unit. With points
 * that are off by a tenth, as on a machine with other work, a flat line seems to rise or fall by up to a fifth.
 */
const NOISE: Readonly<Record<Curve["unit"], number>> = { ms: 0.25, KB: 512, descriptors: 8 };

/** The largest figure over these sizes that counts as no growth. */
export function noiseOf({ unit }: Curve, sizes: readonly number[]): number {
  return unit === "ms" ? NOISE.ms : NOISE[unit] / Math.max(rangeOf(sizes), LEAST);
}

export function growthOf(curve: Curve, points: readonly Point[]): Growth {
  const line = fitLine(points);
  const first = points[0] ?? NOTHING;
  const last = points.at(-1) ?? NOTHING;
  const added = line.slope * (last.size - first.size);
  const figure = curve.unit === "ms" ? added / Math.max(first.value, LEAST) : line.slope;
  return { curve, points, line, figure, excess: last.value / Math.max(valueAt(line, last.size), LEAST) };
}

const NOTHING: Point = { size: 0, value: 0 };
/** Avoids a division by zero. */
const LEAST = 1e-6;

function rangeOf(sizes: readonly number[]): number {
  return (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
}

export type Verdict =
  | { readonly kind: "pass" }
  /** The slope exceeds the limit of the record. */
  | { readonly kind: "steeper"; readonly most: number }
  /** The largest size exceeds the line through the others. */
  | { readonly kind: "bends" }
  | { readonly kind: "unrecorded" };

export function judgeGrowth(growth: Growth, recorded: number | undefined): Verdict {
  const { curve, points, figure, excess } = growth;
  if (recorded === undefined) return { kind: "unrecorded" };
  const sizes = points.map(({ size }) => size);
  const most = Math.max(recorded * ROOM, noiseOf(curve, sizes));
  // NaN fails every comparison.
  if (!(figure <= most)) return { kind: "steeper", most };
  return excess <= ROOM ? { kind: "pass" } : { kind: "bends" };
}

export function describeVerdict(verdict: Verdict, { figure, excess, curve }: Growth): string {
  switch (verdict.kind) {
    case "pass":
      return "pass";
    case "steeper":
      return `fail: grows by ${showFigure(figure, curve)}, more than ${showFigure(verdict.most, curve)}`;
    case "bends":
      return `fail: the largest size takes ${excess.toFixed(1)} times what a straight line would`;
    case "unrecorded":
      return "fail: no record of these sizes: measure with --write on a quiet machine, and commit what it writes";
  }
}

/** The figure with its unit. */
export function showFigure(figure: number, { unit }: Curve): string {
  if (unit === "ms") return `${(100 * figure).toFixed(0)} %`;
  const shown = Math.abs(figure) >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(2)));
  return `${shown} ${unit} each`;
}
