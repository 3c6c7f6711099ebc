/** Days of a range, and the bars of the tokens that were used on each of them. */
import type { UsageGroup } from "../../protocol/generated/types.ts";

/** Models with a colour of their own; the others share the last one. */
const SERIES = 3;
export const OTHER_MODELS = "other";

export interface Part {
  readonly series: number;
  readonly tokens: number;
  readonly y: number;
  readonly height: number;
}

export interface Bar {
  readonly day: string;
  readonly x: number;
  readonly width: number;
  readonly total: number;
  readonly parts: readonly Part[];
  readonly hasLabel: boolean;
}

export interface Chart {
  readonly series: readonly string[];
  readonly bars: readonly Bar[];
  readonly ticks: readonly { readonly value: number; readonly y: number }[];
}

export interface ChartSize {
  readonly width: number;
  /** From the upper edge to the axis. */
  readonly height: number;
  /** Left of the first bar. */
  readonly inset: number;
}

const GAP = 0.28;
const LABEL_WIDTH = 56;
const HEADROOM = 12;

/** The last days up to today, the oldest first. */
export function daysOf(count: number, todayMs: number): readonly string[] {
  const today = new Date(todayMs);
  return Array.from({ length: count }, (_, index) => {
    // At noon no change of the clock moves the day.
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index), 12);
    const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, "0"));
    return `${day.getFullYear()}-${month}-${date}`;
  });
}

export const modelOf = ({ model }: Pick<UsageGroup, "model">): string => model ?? "unknown";

export function seriesOf(groups: readonly UsageGroup[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const group of groups) sums.set(modelOf(group), (sums.get(modelOf(group)) ?? 0) + group.totalTokens);
  const names = [...sums].toSorted((one, other) => other[1] - one[1]).map(([name]) => name);
  return names.length <= SERIES + 1 ? names : [...names.slice(0, SERIES), OTHER_MODELS];
}

export function layoutBars(
  groups: readonly UsageGroup[],
  days: readonly string[],
  { width, height, inset }: ChartSize,
): Chart {
  const series = seriesOf(groups);
  const tokens = new Map(days.map((day) => [day, series.map(() => 0)]));
  for (const group of groups) {
    const sums = tokens.get(group.day ?? "");
    if (sums === undefined) continue;
    const named = series.indexOf(modelOf(group));
    const at = named === -1 ? series.length - 1 : named;
    sums[at] = (sums[at] ?? 0) + group.totalTokens;
  }
  const highest = Math.max(1, ...[...tokens.values()].map(sum));
  const step = niceStep(highest / 3);
  const scale = (height - HEADROOM) / highest;
  const slot = (width - inset) / Math.max(1, days.length);
  const labelEvery = Math.max(1, Math.ceil(LABEL_WIDTH / slot));
  const bars = days.map((day, index) => {
    let y = height;
    const sums = tokens.get(day) ?? [];
    const parts = sums.flatMap((count, at) => {
      if (count === 0) return [];
      const high = Math.max(1, count * scale);
      y -= high;
      return [{ series: at, tokens: count, y, height: high }];
    });
    const x = inset + index * slot + (slot * GAP) / 2;
    const hasLabel = (days.length - 1 - index) % labelEvery === 0;
    return { day, x, width: slot * (1 - GAP), total: sum(sums), parts, hasLabel };
  });
  const ticks = [0, 1, 2, 3].map((count) => ({ value: count * step, y: height - count * step * scale }));
  return { series, bars, ticks: ticks.filter(({ y }) => y >= 0) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** 1, 2 or 5 with zeros, the largest that is not above. */
export function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const factor = value / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}

/** `2026-11-04` as the day and the short month of the reader. */
export function dayText(day: string): string {
  const date = new Date(`${day}T12:00:00`);
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
