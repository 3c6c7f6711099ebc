import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { MetricSpec } from "../../base/metrics/registry.ts";
import { METRICS } from "./metric-table.ts";
import { withMetrics } from "./metrics-page.ts";

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
    readonly datasource?: { readonly uid: string };
  }[];
}

const dashboard = JSON.parse(readFileSync("docs/operating/dashboard.json", "utf8")) as Dashboard;
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets);
const specs = new Map(Object.entries<MetricSpec>(METRICS));

/** Labels that a scraper adds to every series. */
const OF_SCRAPERS = ["job", "instance"];

/** The names under which a metric is read: a histogram is three of them. */
function readAs(name: string): string[] {
  return specs.get(name)?.type === "histogram"
    ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`)
    : [name];
}

const metricOf = new Map(
  [...specs.keys()].flatMap((name) => readAs(name).map((read) => [read, name] as const)),
);
const namesIn = (text: string): string[] => text.match(/heddle_\w+/gu) ?? [];

function labelsOf(read: string): string[] {
  const own = Object.keys(specs.get(metricOf.get(read) ?? "")?.labels ?? {});
  return [...own, ...OF_SCRAPERS, ...(read.endsWith("_bucket") ? ["le"] : [])];
}

test("the dashboard reads every metric there is, and none that is not", () => {
  const read = new Set(targets.flatMap(({ expr }) => namesIn(expr)));
  expect([...read].filter((name) => !metricOf.has(name))).toEqual([]);
  const shown = new Set([...read].map((name) => metricOf.get(name)));
  expect([...specs.keys()].filter((name) => !shown.has(name))).toEqual([]);
});

test.each(targets.map(({ expr, legendFormat }) => [expr, legendFormat]))(
  "%s has labels of its metric",
  (expr, legend) => {
    const [name = ""] = namesIn(expr);
    const matched = [...expr.matchAll(/\{([^}]*)\}/gu)].flatMap(([, inner = ""]) =>
      inner.split(",").map((pair) => pair.split(/[=!]/u, 1)[0] ?? ""),
    );
    const grouped = [...expr.matchAll(/ by \(([^)]*)\)/gu)].flatMap(([, inner = ""]) => inner.split(/,\s*/u));
    const written = [...legend.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label = ""]) => label);
    const known = labelsOf(name);
    expect([...matched, ...grouped].filter((label) => !known.includes(label))).toEqual([]);
    expect(written.filter((label) => !grouped.includes(label))).toEqual([]);
  },
);

test("a counter is read as a rate, and a histogram in quantiles by its buckets", () => {
  const wrong = targets.filter(({ expr }) => {
    const [name = ""] = namesIn(expr);
    const type = specs.get(metricOf.get(name) ?? "")?.type;
    return type !== "gauge" && !expr.includes(`rate(${name}{`);
  });
  expect(wrong).toEqual([]);
});

test("its panels lie beside one another and read what the user has chosen", () => {
  const { panels, templating, schemaVersion } = dashboard;
  expect(schemaVersion).toBeGreaterThanOrEqual(38);
  expect(templating.list.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "datasource datasource",
    "job query",
    "instance query",
  ]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_none, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { datasource, targets: own = [] } of panels)
    if (own.length > 0) expect(datasource?.uid).toBe(`\${datasource}`);
});

test("the page of the documents has the table of metrics, and its rules read what there is", () => {
  const page = readFileSync("docs/operating.md", "utf8");
  expect(withMetrics(page)).toBe(page);
  const [, rules = ""] = page.split("groups:");
  const read = namesIn(rules.split("```")[0] ?? "");
  expect(read.length).toBeGreaterThan(5);
  expect(read.filter((name) => !metricOf.has(name))).toEqual([]);
});

test.each(Object.entries<MetricSpec>(METRICS))(
  "%s is named and declared as Prometheus wants it",
  (name, spec) => {
    const { type, help, labels = {}, buckets = [] } = spec;
    expect(name).toMatch(/^heddle_[a-z]+(?:_[a-z]+)*$/u);
    expect(name.endsWith("_total")).toBe(type === "counter");
    if (type === "histogram") expect(name).toMatch(/_seconds$/u);
    expect(help).toMatch(/^[A-Z].*\.$/u);
    for (const label of Object.keys(labels)) expect(label).toMatch(/^[a-z]+$/u);
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(buckets.length > 0).toBe(type === "histogram");
  },
);
