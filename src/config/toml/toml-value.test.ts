import fc from "fast-check";
import { TomlDate } from "smol-toml";
import { describe, expect, test } from "vitest";
import { createTable, fromJson, type Json, sameValue, toJson, valueAt } from "./toml-value.ts";

describe("values in JSON", () => {
  test("dates, large integers and special floats have a JSON form", () => {
    const table = createTable([
      ["date", new TomlDate("1979-05-27T07:32:00Z")],
      ["fraction", new TomlDate("1979-05-27T07:32:00.5Z")],
      ["day", new TomlDate("1979-05-27")],
      ["time", new TomlDate("07:32:00")],
      ["offset", new TomlDate("1979-05-27T07:32:00-07:00")],
      ["large", 9_007_199_254_740_993n],
      ["infinite", Number.POSITIVE_INFINITY],
      ["none", Number.NaN],
    ]);
    expect(toJson(table)).toEqual({
      date: { $__toml_private_datetime: "1979-05-27T07:32:00Z" },
      fraction: { $__toml_private_datetime: "1979-05-27T07:32:00.5Z" },
      day: { $__toml_private_datetime: "1979-05-27" },
      time: { $__toml_private_datetime: "07:32:00" },
      offset: { $__toml_private_datetime: "1979-05-27T07:32:00-07:00" },
      large: 9_007_199_254_740_992,
      infinite: null,
      none: null,
    });
  });

  test("whole numbers become integers and others floats", () => {
    expect(fromJson([1, 1.5, -0.25, 1e21])).toEqual({ ok: true, value: [1n, 1.5, -0.25, 1e21] });
  });

  test("what TOML cannot hold is refused", () => {
    expect(fromJson({ a: [null] })).toEqual({
      ok: false,
      message: "invalid type: null, expected any valid TOML value",
    });
    expect(fromJson(2 ** 63)).toEqual({ ok: false, message: "u64 value was too large" });
  });

  test("a date comes back as a date", () => {
    const json = { $__toml_private_datetime: "1979-05-27" };
    const back = fromJson(json);
    expect(back.ok && toJson(back.value)).toEqual(json);
  });

  test("half a surrogate pair is replaced, because no file can hold it", () => {
    expect(fromJson("a\uD800")).toEqual({ ok: true, value: "a\uFFFD" });
  });

  test("any JSON without null comes back as it was", () => {
    const json: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.string({ unit: "binary" }),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.array(tie("node")),
        fc.dictionary(fc.string({ unit: "grapheme" }), tie("node")),
      ),
    })).node;
    fc.assert(
      fc.property(json, (value) => {
        const toml = fromJson(value);
        expect(toml.ok && toJson(toml.value)).toEqual(value);
      }),
    );
  });
});

test("a value is found through tables and lists", () => {
  const table = createTable([["a", [createTable([["b", 1n]])]]]);
  expect(valueAt(table, ["a", "0", "b"])).toBe(1n);
  expect(valueAt(table, ["a", "b"])).toBeUndefined();
  expect(valueAt(table, ["a", "0", "b", "c"])).toBeUndefined();
});

test("an integer and a float are different values", () => {
  expect(sameValue(1n, 1)).toBe(false);
  expect(sameValue(createTable([["a", [1n]]]), createTable([["a", [1n]]]))).toBe(true);
});
