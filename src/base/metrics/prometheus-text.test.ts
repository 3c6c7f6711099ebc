import fc from "fast-check";
import parse from "parse-prometheus-text-format";
import { expect, test } from "vitest";
import { toPrometheusText } from "./prometheus-text.ts";
import { createRegistry, type Metric } from "./registry.ts";

test("each metric type is rendered in the Prometheus format", () => {
  const registry = createRegistry({
    made_total: { type: "counter", help: "Things\nthat \\ were made.", labels: { kind: null } },
    size_bytes: { type: "gauge", help: "Size." },
    wait_seconds: { type: "histogram", help: "Waits.", labels: { of: ["us"] }, buckets: [0.5, 2] },
  });
  registry.add("made_total", 3, { kind: 'a "b" \\ \n c' });
  registry.set("size_bytes", Infinity);
  for (const seconds of [0.25, 1, 4]) registry.observe("wait_seconds", seconds, { of: "us" });
  expect(toPrometheusText(registry.read())).toBe(
    [
      "# HELP made_total Things\\nthat \\\\ were made.",
      "# TYPE made_total counter",
      'made_total{kind="a \\"b\\" \\\\ \\n c"} 3',
      "# HELP size_bytes Size.",
      "# TYPE size_bytes gauge",
      "size_bytes +Inf",
      "# HELP wait_seconds Waits.",
      "# TYPE wait_seconds histogram",
      'wait_seconds_bucket{of="us",le="0.5"} 1',
      'wait_seconds_bucket{of="us",le="2"} 2',
      'wait_seconds_bucket{of="us",le="+Inf"} 3',
      'wait_seconds_sum{of="us"} 5.25',
      'wait_seconds_count{of="us"} 3',
      "",
    ].join("\n"),
  );
});

const label = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("\\", "\n", '"', "n", "}", "{", ",", "=", "#", " ") }),
);

test("any label value survives another parser", () => {
  fc.assert(
    fc.property(label, label, fc.double({ noNaN: true }), (first, second, value) => {
      const metric: Metric = {
        name: "odd_total",
        type: "counter",
        help: "Odd.",
        series: [{ labels: { first, second }, value, counts: null }],
      };
      const [family, ...more] = parse(toPrometheusText([metric]));
      expect(more).toEqual([]);
      const sample = family?.metrics[0] as { readonly labels: object; readonly value: string };
      expect(sample.labels).toEqual({ first, second });
      expect(Number(sample.value.replace("Inf", "Infinity"))).toBe(value === 0 ? 0 : value);
    }),
  );
});
