/** Converts metrics to the data model of the OpenTelemetry SDK, under the same names. */
import { type HrTime, ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import type { Metric, MetricSeries } from "../../../base/metrics/registry.ts";

/** All metrics are cumulative since `startedAtMs`. */
export function toOtlpMetrics(metrics: readonly Metric[], startedAtMs: number, nowMs: number): MetricData[] {
  const times = { startTime: toTime(startedAtMs), endTime: toTime(nowMs) };
  return metrics.filter(({ series }) => series.length > 0).map((metric) => toMetricData(metric, times));
}

type Times = Pick<DataPoint<unknown>, "startTime" | "endTime">;

function toMetricData(metric: Metric, times: Times): MetricData {
  const { name, help, type, series, buckets = [] } = metric;
  const about = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = <T>(valueOf: (one: MetricSeries) => T): DataPoint<T>[] =>
    series.map((one) => ({ ...times, attributes: one.labels, value: valueOf(one) }));
  switch (type) {
    case "counter":
      return {
        ...about,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: points(({ value }) => value),
      };
    case "gauge":
      return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points(({ value }) => value) };
    case "histogram":
      return {
        ...about,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: points(({ value: sum, counts }) => {
          const own = [...(counts ?? [])];
          const count = own.reduce((all, one) => all + one, 0);
          return { buckets: { boundaries: [...buckets], counts: own }, sum, count };
        }),
      };
  }
}

/** Derived from the suffix of the Prometheus name, so that collectors do not append another one. */
function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/u.test(name)) return "s";
  return /_bytes(?:_total)?$/u.test(name) ? "By" : "";
}

function toTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
}
