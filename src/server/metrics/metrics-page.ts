/** Writes the table of metrics into the generated part of a page. */
import { withGeneratedPart } from "../../base/generated-part.ts";
import { markdownTable } from "../../base/markdown-table.ts";
import type { MetricSpec } from "../../base/metrics/registry.ts";
import { METRICS } from "./metric-table.ts";

/** Throws if the page has no generated part. */
export function withMetrics(page: string): string {
  const rows = Object.entries<MetricSpec>(METRICS).map(([name, { type, labels = {}, help }]) => [
    `\`${name}\``,
    type,
    Object.keys(labels)
      .map((label) => `\`${label}\``)
      .join(", "),
    help,
  ]);
  const table = markdownTable(["Metric", "Type", "Labels", "Description"], rows);
  return withGeneratedPart(page, "src/server/metrics", `${table}\n`);
}
