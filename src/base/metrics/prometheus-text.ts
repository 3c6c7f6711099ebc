/** Metrics in the text format of Prometheus, version 0.0.4. */
import type { Metric, MetricSeries } from "./registry.ts";

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join("");
}

function renderMetric({ name, type, help, buckets = [], series }: Metric): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  const lines = series.map((one) =>
    one.counts === null ? renderLine(name, one.labels, one.value) : renderHistogram(name, buckets, one),
  );
  return head + lines.join("");
}

/** Prometheus buckets are cumulative: each one includes the counts of all lower buckets. */
function renderHistogram(
  name: string,
  buckets: readonly number[],
  { labels, value, counts }: MetricSeries,
): string {
  let count = 0;
  const lines = (counts ?? []).map((own, at) => {
    count += own;
    return renderLine(`${name}_bucket`, { ...labels, le: renderNumber(buckets[at] ?? Infinity) }, count);
  });
  const totals = [renderLine(`${name}_sum`, labels, value), renderLine(`${name}_count`, labels, count)];
  return [...lines, ...totals].join("");
}

function renderLine(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${renderNumber(value)}\n`;
}

function renderNumber(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
