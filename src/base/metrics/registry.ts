/**
 * In-memory counters, gauges and histograms, declared in one table. A metric has one series for each combination of label
 * values, up to a limit, so that label values chosen by clients cannot exhaust memory.
 */

export interface MetricSpec {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Label names with their possible values, whose series exist from the start; null for an open set of values. */
  readonly labels?: Readonly<Record<string, readonly string[] | null>>;
  /** Histogram only: the upper bounds of the buckets in ascending order, without the final +Inf. */
  readonly buckets?: readonly number[];
}

export type MetricTable = Readonly<Record<string, MetricSpec>>;

type NamesOf<T extends MetricTable, K extends MetricSpec["type"]> = {
  [N in keyof T & string]: T[N]["type"] extends K ? N : never;
}[keyof T & string];

/** A metric without labels takes no label argument. */
type LabelArguments<S extends MetricSpec> =
  S["labels"] extends Readonly<Record<string, unknown>>
    ? [labels: { readonly [L in keyof S["labels"]]: string }]
    : [];

export interface Registry<T extends MetricTable> {
  add<N extends NamesOf<T, "counter">>(name: N, amount: number, ...labels: LabelArguments<T[N]>): void;
  set<N extends NamesOf<T, "counter" | "gauge">>(
    name: N,
    value: number,
    ...labels: LabelArguments<T[N]>
  ): void;
  observe<N extends NamesOf<T, "histogram">>(name: N, value: number, ...labels: LabelArguments<T[N]>): void;
  /** A snapshot of all metrics, in the order of the table. */
  read(): readonly Metric[];
}

export interface Metric extends MetricSpec {
  readonly name: string;
  readonly series: readonly MetricSeries[];
}

export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** For a histogram, the sum of all observations. */
  readonly value: number;
  /** Histogram only: the number of observations in each bucket, not cumulative, +Inf last. */
  readonly counts: readonly number[] | null;
}

/** Beyond this many series of a metric, further label values are counted as `OTHER`. */
export const MAX_SERIES = 512;
export const OTHER = "other";

interface OpenSeries {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
  readonly counts: number[] | null;
}

interface OpenMetric {
  readonly spec: MetricSpec;
  readonly labelNames: readonly string[];
  readonly series: Map<string, OpenSeries>;
}

export function createRegistry<T extends MetricTable>(table: T): Registry<T> {
  const metrics = new Map(Object.entries(table).map(([name, spec]) => [name, openMetric(spec)]));

  function seriesOf(name: string, labels: Readonly<Record<string, string>> = {}): OpenSeries {
    const metric = metrics.get(name);
    if (metric === undefined) throw new Error(`no metric is called ${name}`);
    return find(metric, labels);
  }

  return {
    add(name, amount, ...[labels]) {
      seriesOf(name, labels).value += amount;
    },
    set(name, value, ...[labels]) {
      seriesOf(name, labels).value = value;
    },
    observe(name, value, ...[labels]) {
      const series = seriesOf(name, labels);
      const buckets = table[name]?.buckets ?? [];
      const found = buckets.findIndex((end) => value <= end);
      const at = found === -1 ? buckets.length : found;
      series.value += value;
      if (series.counts !== null) series.counts[at] = (series.counts[at] ?? 0) + 1;
    },
    read: () =>
      [...metrics].map(([name, { spec, series }]) => ({ name, ...spec, series: [...series.values()] })),
  };
}

function openMetric(spec: MetricSpec): OpenMetric {
  const { labels = {} } = spec;
  const metric = { spec, labelNames: Object.keys(labels), series: new Map<string, OpenSeries>() };
  for (const existing of combinations(Object.entries(labels))) find(metric, existing);
  return metric;
}

/** All combinations of label values; none if a label has an open set of values. */
function combinations(
  labels: readonly (readonly [string, readonly string[] | null])[],
): Readonly<Record<string, string>>[] {
  const [first, ...rest] = labels;
  if (first === undefined) return [{}];
  const [name, values] = first;
  return (values ?? []).flatMap((value) => combinations(rest).map((more) => ({ [name]: value, ...more })));
}

function find({ spec, labelNames, series }: OpenMetric, given: Readonly<Record<string, string>>): OpenSeries {
  const keyOf = (labels: Readonly<Record<string, string>>): string =>
    labelNames.length === 1
      ? (labels[labelNames[0] ?? ""] ?? OTHER)
      : JSON.stringify(labelNames.map((name) => labels[name] ?? OTHER));
  const existing = series.get(keyOf(given));
  if (existing !== undefined) return existing;
  const isFull = series.size >= MAX_SERIES;
  const labels = Object.fromEntries(
    labelNames.map((name) => [name, isFull ? OTHER : (given[name] ?? OTHER)]),
  );
  const key = keyOf(labels);
  const counts = spec.type === "histogram" ? Array<number>((spec.buckets?.length ?? 0) + 1).fill(0) : null;
  const found = series.get(key) ?? { labels, value: 0, counts };
  series.set(key, found);
  return found;
}
