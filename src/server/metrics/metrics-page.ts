/** The table of metrics as the part of a page between two marks. */
import { withGeneratedPart } from "../../base/generated-part.ts";
import { markdownTable } from "../../base/markdown-table.ts";
import type { MetricSpec } from "../../base/metrics/registry.ts";
import { METRICS } from "./metric-table.ts";

/** Throws where the page has no such part. */
export function withMetrics(page: string): string {
  const rows = Object.entries<MetricSpec>(METRICS).map(([name, { type, labels = {}, help }]) => [
    `\`${name}\``,
    type,
    Object.keys(labels)
      .map((label) => `\`${label}\``)
      .join(", "),
    help,
  ]);
  const table = markdownTable(["Metric", "Type", "Labels", "What it says"], rows);
  return withGeneratedPart(page, "src/server/metrics", `${table}\n`);
}
