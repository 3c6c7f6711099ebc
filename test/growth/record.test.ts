import fc from "fast-check";
import { expect, test } from "vitest";
import { growthOf } from "./judge-growth.ts";
import { parseRecord, recordedFigure, recordText, withSeries } from "./record.ts";
import type { Series } from "./series.ts";

const series = (id: string, sizes: readonly number[]): Series => ({
  id,
  sizeOf: "things",
  sizes,
  curves: [{ id: "turn", title: "a turn", unit: "ms" }],
  measure: () => Promise.reject(new Error("not measured here")),
});
const some = series("some", [1, 2, 4]);
const growths = some.curves.map((curve) =>
  growthOf(
    curve,
    some.sizes.map((size) => ({ size, value: 3 + size / 7 })),
  ),
);

test("what was recorded is read again", () => {
  const record = parseRecord(recordText(withSeries(new Map(), some, growths)));
  expect(recordedFigure(record, some, "turn")).toBeCloseTo(growths[0]!.figure, 3);
});

test("what could not be measured is not on record", () => {
  const none = growths.map((growth) => ({ ...growth, figure: Number.NaN }));
  const text = recordText(withSeries(new Map(), some, none));
  expect(JSON.parse(text)).toEqual({ some: { sizes: [1, 2, 4], figures: {} } });
});

test("a series that is measured again leaves the others on record", () => {
  const other = series("other", [1, 2]);
  const both = withSeries(withSeries(new Map(), other, growths), some, growths);
  expect([...withSeries(both, some, growths).keys()]).toEqual(["other", "some"]);
});

test.each<[string, Series, string]>([
  ["another series", series("other", [1, 2, 4]), "turn"],
  ["another curve", some, "page"],
  ["other sizes", series("some", [1, 2, 8]), "turn"],
  ["fewer sizes", series("some", [1, 2]), "turn"],
  ["what every object has", some, "constructor"],
])("a record says nothing of %s", (_name, asked, curve) => {
  expect(recordedFigure(withSeries(new Map(), some, growths), asked, curve)).toBeUndefined();
});

test.each([
  "",
  "nothing",
  "[]",
  "null",
  '{"some":1}',
  '{"some":{"sizes":"1,2,4","figures":{"turn":1}}}',
  '{"some":{"sizes":[1,2,"4"],"figures":{"turn":1}}}',
  '{"some":{"sizes":[1,2,4],"figures":[]}}',
  '{"some":{"sizes":[1,2,4],"figures":{"turn":"1"}}}',
  '{"__proto__":{"sizes":[1,2,4],"figures":{"turn":1}}}',
])("%j has nothing on record", (text) => {
  expect(recordedFigure(parseRecord(text), some, "turn")).toBeUndefined();
});

test("no text is too odd to be read", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseRecord(text)));
});
