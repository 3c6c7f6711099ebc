/** How something grows, in one figure that two machines agree on, and whether it has become worse than it was. */
import { fitLine, type Line, type Point, valueAt } from "./fit-line.ts";
import type { Curve } from "./series.ts";

export interface Growth {
  readonly curve: Curve;
  readonly points: readonly Point[];
  readonly line: Line;
  /**
   * Of a time, what the slope adds from the smallest size to the largest, as a share of the time at the smallest: both
   * are longer on a slower machine, and their ratio is not. It follows a steeper slope in proportion, which a share of
   * the time at the largest size would not. Of anything else, what each further one adds, in the unit.
   */
  readonly figure: number;
  /** How many times the largest size takes what the line says of it. */
  readonly excess: number;
}

/** How many times the figure on record a figure may be, and the largest size what the line says; more is not linear. */
const ROOM = 1.3;
/**
 * What cannot be told from no growth: from the smallest size to the largest, a share of a time, or in the unit. Where
 * points are a tenth off, as on a machine with other work, a level line seems to grow or to sink by up to a fifth.
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
/** Divides what would otherwise be divided by nothing. */
const LEAST = 1e-6;

function rangeOf(sizes: readonly number[]): number {
  return (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
}

export type Verdict =
  | { readonly kind: "pass" }
  /** The slope is above what the record allows. */
  | { readonly kind: "steeper"; readonly most: number }
  /** The largest size takes more than a line through the others says. */
  | { readonly kind: "bends" }
  | { readonly kind: "unrecorded" };

export function judgeGrowth(growth: Growth, recorded: number | undefined): Verdict {
  const { curve, points, figure, excess } = growth;
  if (recorded === undefined) return { kind: "unrecorded" };
  const sizes = points.map(({ size }) => size);
  const most = Math.max(recorded * ROOM, noiseOf(curve, sizes));
  // What is no number is within nothing.
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

/** The figure in words, with its unit. */
export function showFigure(figure: number, { unit }: Curve): string {
  if (unit === "ms") return `${(100 * figure).toFixed(0)} %`;
  const shown = Math.abs(figure) >= 100 ? figure.toFixed(0) : String(Number(figure.toPrecision(2)));
  return `${shown} ${unit} each`;
}
