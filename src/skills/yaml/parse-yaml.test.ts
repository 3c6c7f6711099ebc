import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_DEPTH, YamlError } from "./cursor.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { YamlNode } from "./yaml-node.ts";

type Value = string | Value[] | { [key: string]: Value };

function plain(node: YamlNode): Value {
  if (node.kind === "scalar") return node.text;
  if (node.kind === "list") return node.items.map(plain);
  return Object.fromEntries(
    node.entries.map(({ key, value }) => [key.kind === "scalar" ? key.text : key.kind, plain(value)]),
  );
}

test.each<[string, Value]>([
  ["", ""],
  ["# only a comment", ""],
  ["a: b", { a: "b" }],
  ["a:  b  # c\n\n# d\ne: f#g", { a: "b", e: "f#g" }],
  ["a:\n  b: c\n  d:\n    e: f\ng:", { a: { b: "c", d: { e: "f" } }, g: "" }],
  ["a:\n- b\n- c\nd: e", { a: ["b", "c"], d: "e" }],
  [
    "a:\n  - b: c\n    d: e\n  -\n    f: g\n  - - h\n    - i",
    { a: [{ b: "c", d: "e" }, { f: "g" }, ["h", "i"]] },
  ],
  [
    "a: [b, 'c, d', {e: f, g: [h]}, i: j,]\nk: {}",
    { a: ["b", "c, d", { e: "f", g: ["h"] }, { i: "j" }], k: {} },
  ],
  ["a: [\n  b, # c\n  d\n]", { a: ["b", "d"] }],
  ["a: first\n  second\n\n  third", { a: "first second  third" }],
  ["a:\n  first\n  second", { a: "first second" }],
  ['a: "b\\n\\u00e9\\x41 \\\n  c\n  d"', { a: "b\né\x41 c d" }],
  ["a: 'it''s: # b'", { a: "it's: # b" }],
  ["a: |\n  b\n   c\n\n  d\ne: f", { a: "b\n c\n\nd", e: "f" }],
  ["a: >-  # g\n  b\n  c", { a: "b\nc" }],
  ["a: |2\n   b\n  c", { a: " b\nc" }],
  ["a: &x b\nc: *x", { a: "b", c: "b" }],
  ["a: &x\n  b: c\nd: *x", { a: { b: "c" }, d: { b: "c" } }],
  ["a: !!str 5\nb: ! c", { a: "5", b: "c" }],
  ["\"a\" : b\n'c': d", { a: "b", c: "d" }],
  ["a: http://b:c/d\ne: -f\ng: :h\ni: ?j", { a: "http://b:c/d", e: "-f", g: ":h", i: "?j" }],
  ["a:\tb", { a: "b" }],
  ["%YAML 1.2\n---\na: b\n...\n", { a: "b" }],
  ["a: b\r\nc: |\r\n  d\r\n", { a: "b", c: "d" }],
])("%j is read", (text, value) => {
  expect(plain(parseYaml(text))).toEqual(value);
});

test.each([
  ["a: b: c", "mapping values are not allowed in this context at line 1 column 5"],
  ["a: b\n  c: d", "mapping values are not allowed in this context at line 2 column 4"],
  ["a: - b", "block sequence entries are not allowed in this context at line 1 column 4"],
  ["a: b\n- c", "did not find expected key at line 2 column 1, while parsing a block mapping"],
  ["a:\n    b: c\n  d: e", "did not find expected key at line 3 column 3, while parsing a block mapping"],
  ['a: "b" c', "did not find expected key at line 1 column 8, while parsing a block mapping"],
  [
    "a: b\nc\nd: e",
    "could not find expected ':' at line 3 column 1, while scanning a simple key at line 2 column 1",
  ],
  [
    "a: 'b",
    "found unexpected end of stream at line 1 column 6, while scanning a quoted scalar at line 1 column 4",
  ],
  [
    'a: "\\q"',
    "found unknown escape character at line 1 column 5, while parsing a quoted scalar at line 1 column 4",
  ],
  [
    "a: [b",
    "did not find expected ',' or ']' at line 1 column 6, while parsing a flow sequence at line 1 column 4",
  ],
  [
    "a: @b",
    "found character that cannot start any token at line 1 column 4, while scanning for the next token",
  ],
  [
    "a:\n\tb: c",
    "found character that cannot start any token at line 2 column 1, while scanning for the next token",
  ],
  ["a: ,b", "did not find expected node content at line 1 column 4, while parsing a block node"],
  ["a: *b", "unknown anchor at line 1 column 4"],
  [
    "a: |b",
    "did not find expected comment or line break at line 1 column 5, while scanning a block scalar at line 1 column 4",
  ],
  ["a: b\n...\nc: d", "deserializing from YAML containing more than one document is not supported"],
  ["a: b\u0001", "control characters are not allowed at position 4"],
])("%j is refused", (text, message) => {
  expect(() => parseYaml(text)).toThrow(new YamlError(message));
});

test("nesting has a limit", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parseYaml(nested(MAX_DEPTH - 1)).kind).toBe("list");
  expect(() => parseYaml(nested(100_000))).toThrow(/^recursion limit exceeded/);
});

test("whatever the text is, it is read or refused", () => {
  const marks = fc.constantFrom(...Array.from(" \n\t:-#'\"[]{},|>&*!%@`?~ab\\"));
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.array(marks, { maxLength: 60 }).map((all) => all.join("")),
  );
  fc.assert(
    fc.property(text, (source) => {
      try {
        parseYaml(source);
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
      }
    }),
    { numRuns: 2000 },
  );
});

test("every JSON document without control characters is read as it is", () => {
  const text = fc.string({ unit: "grapheme" }).filter((value) => !/[\p{Cc}\u2028\u2029]/u.test(value));
  const { tree } = fc.letrec<{ tree: Value }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(plain(parseYaml(JSON.stringify(value)))).toEqual(value);
    }),
  );
});

test.each([
  "\t".repeat(200_000),
  " ".repeat(200_000),
  `a: "${"b\n".repeat(100_000)}"`,
  `a:${" b".repeat(100_000)}`,
])("a long document takes time in proportion to its length", (text) => {
  const started = performance.now();
  try {
    parseYaml(text);
  } catch (error) {
    expect(error).toBeInstanceOf(YamlError);
  }
  expect(performance.now() - started).toBeLessThan(2000);
});
