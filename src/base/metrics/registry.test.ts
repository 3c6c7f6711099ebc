import { expect, test } from "vitest";
import { createRegistry, MAX_SERIES, type MetricTable, OTHER } from "./registry.ts";

const TABLE = {
  made_total: { type: "counter", help: "Things.", labels: { kind: null } },
  ended_total: { type: "counter", help: "Ends.", labels: { how: ["well", "badly"], by: ["us", "them"] } },
  both_total: { type: "counter", help: "Two.", labels: { a: null, b: null } },
  size_bytes: { type: "gauge", help: "Size." },
  wait_seconds: { type: "histogram", help: "Waits.", buckets: [1, 2.5] },
} as const satisfies MetricTable;

function open() {
  const registry = createRegistry(TABLE);
  const seriesOf = (name: keyof typeof TABLE) =>
    registry.read().find((each) => each.name === name)?.series ?? [];
  return { registry, seriesOf };
}

test("series with known label values start at zero", () => {
  const { seriesOf } = open();
  const shown = (name: keyof typeof TABLE) => seriesOf(name).map(({ labels, value }) => [labels, value]);
  expect(shown("ended_total")).toEqual([
    [{ how: "well", by: "us" }, 0],
    [{ how: "well", by: "them" }, 0],
    [{ how: "badly", by: "us" }, 0],
    [{ how: "badly", by: "them" }, 0],
  ]);
  expect([shown("made_total"), shown("size_bytes")]).toEqual([[], [[{}, 0]]]);
});

test("counts by label, sets gauges, and sorts observations into buckets with inclusive upper bounds", () => {
  const { registry, seriesOf } = open();
  registry.add("made_total", 2, { kind: "a" });
  registry.add("made_total", 1, { kind: "b" });
  registry.add("made_total", 3, { kind: "a" });
  registry.set("size_bytes", 7);
  registry.set("size_bytes", 5);
  for (const seconds of [0, 1, 1.1, 2.5, 2.6, Infinity]) registry.observe("wait_seconds", seconds);
  expect(seriesOf("made_total").map(({ labels, value }) => [labels["kind"], value])).toEqual([
    ["a", 5],
    ["b", 1],
  ]);
  expect(seriesOf("size_bytes")[0]?.value).toBe(5);
  expect(seriesOf("wait_seconds")[0]?.counts).toEqual([2, 2, 2]);
});

test("label values that concatenate to the same text are two series", () => {
  const { registry, seriesOf } = open();
  registry.add("both_total", 1, { a: 'x","y', b: "" });
  registry.add("both_total", 1, { a: "x", b: '","y' });
  expect(seriesOf("both_total")).toHaveLength(2);
});

test("label values beyond the limit share one series", () => {
  const { registry, seriesOf } = open();
  for (let at = 0; at < MAX_SERIES * 3; at++) registry.add("made_total", 1, { kind: `kind ${at}` });
  registry.add("made_total", 1, { kind: "kind 0" });
  const series = seriesOf("made_total");
  expect(series).toHaveLength(MAX_SERIES + 1);
  expect(series[0]?.value).toBe(2);
  expect(series.at(-1)).toMatchObject({ labels: { kind: OTHER }, value: MAX_SERIES * 2 });
});
