/** The values of metrics while the page is open: gauges as they are, counters and histograms by what was added. */
import type { MetricEntry } from "../../protocol/generated/types.ts";

/** Points of a chart. At one every five seconds they cover five minutes. */
export const MAX_POINTS = 60;

export interface MetricHistory {
  readonly name: string;
  readonly help: string;
  readonly kind: MetricEntry["kind"];
  readonly latest: number;
  readonly points: readonly number[];
}

/** Of all samples together: the value, or how many observations a histogram has. */
export function totalOf({ kind, samples }: Pick<MetricEntry, "kind" | "samples">): number {
  return samples.reduce((sum, { value, buckets }) => {
    const count = buckets?.at(-1)?.count ?? 0;
    return sum + (kind === "histogram" ? count : value);
  }, 0);
}

export function addSamples(
  known: readonly MetricHistory[],
  entries: readonly MetricEntry[],
): readonly MetricHistory[] {
  const byName = new Map(known.map((series) => [series.name, series]));
  return entries.map((entry) => {
    const { name, help, kind } = entry;
    const before = byName.get(name);
    const latest = totalOf(entry);
    // The value of a counter from before the page was opened says nothing about now.
    const added = before === undefined ? 0 : Math.max(0, latest - before.latest);
    const point = kind === "gauge" ? latest : added;
    return { name, help, kind, latest, points: [...(before?.points ?? []), point].slice(-MAX_POINTS) };
  });
}

/** The points of a line in a box, from the left edge. */
export function linePoints(values: readonly number[], width: number, height: number): string {
  if (values.length === 0) return "";
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const range = highest - lowest;
  const step = width / Math.max(1, MAX_POINTS - 1);
  return values
    .map((value, index) => {
      const y = range === 0 ? height - 2 : height - 2 - ((value - lowest) / range) * (height - 4);
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}
