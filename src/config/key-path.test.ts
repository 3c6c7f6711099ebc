import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKeyPath } from "./config-edit.ts";

const quoted = (path: readonly string[]) => path.map((key) => `"${key.replace(/["\\]/g, "\\$&")}"`).join(".");

describe("a key path", () => {
  test.each([
    ["model", ["model"]],
    ["a.b.c", ["a", "b", "c"]],
    ["plugins.a@b", ["plugins", "a@b"]],
    ['projects."/x.y".trust_level', ["projects", "/x.y", "trust_level"]],
    ['a."b\\"q\\\\".c', ["a", 'b"q\\', "c"]],
    ['a."b"c', ["a", "bc"]],
  ])("%s has segments", (text, path) => {
    expect(parseKeyPath(text)).toEqual({ ok: true, path });
  });

  test.each([
    ["", "keyPath must not be empty"],
    ["  ", "keyPath must not be empty"],
    ["a..b", "keyPath segments must not be empty"],
    [".a", "keyPath segments must not be empty"],
    ["a.", "keyPath segments must not be empty"],
    ['a.""', "keyPath segments must not be empty"],
    ['a."b', "unterminated quoted keyPath segment"],
    ['a.b"c', "invalid quoted keyPath segment"],
    ['a."b\\', "unterminated escape in keyPath"],
  ])("%j is refused", (text, message) => {
    expect(parseKeyPath(text)).toEqual({ ok: false, message });
  });

  test("can name any keys with quotes", () => {
    const keys = fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(keys, (path) => {
        expect(parseKeyPath(quoted(path))).toEqual({ ok: true, path });
      }),
    );
  });
});
