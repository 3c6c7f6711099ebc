import fc from "fast-check";
import { expect, test } from "vitest";
import { processorTime } from "../../base/processor-time.fixture.ts";
import { MAX_YAML_DEPTH, MAX_YAML_LENGTH, parseYaml } from "./parse-yaml.ts";
import { YamlError, type YamlNode } from "./yaml-node.ts";

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
  ["a: first\n  second\n\n  third", { a: "first second\nthird" }],
  ["a:\n  first\n  second", { a: "first second" }],
  ['a: "b\\n\\u00e9\\x41 \\\n  c\n  d"', { a: "b\né\x41 c d" }],
  ["a: 'it''s: # b'", { a: "it's: # b" }],
  ["a: |\n  b\n   c\n\n  d\ne: f", { a: "b\n c\n\nd\n", e: "f" }],
  ["a: >-  # g\n  b\n  c", { a: "b c" }],
  ["a: |2\n   b\n  c", { a: " b\nc\n" }],
  ["a: &x b\nc: *x", { a: "b", c: "b" }],
  ["a: &x\n  b: c\nd: *x", { a: { b: "c" }, d: { b: "c" } }],
  ["a: !!str 5\nb: ! c", { a: "5", b: "c" }],
  ["\"a\" : b\n'c': d", { a: "b", c: "d" }],
  ["a: http://b:c/d\ne: -f\ng: :h\ni: ?j", { a: "http://b:c/d", e: "-f", g: ":h", i: "?j" }],
  ["a:\tb", { a: "b" }],
  ["%YAML 1.2\n---\na: b\n...\n", { a: "b" }],
  ["a: b\r\nc: |\r\n  d\r\n", { a: "b", c: "d\n" }],
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
  ["a: [", "did not find expected node content at line 1 column 5, while parsing a flow node"],
  ["a: [b]: c", "mapping values are not allowed in this context at line 1 column 7"],
  [
    'a: "\\ud800"',
    "found invalid Unicode character escape code at line 1 column 4, while parsing a quoted scalar at line 1 column 4",
  ],
  [
    'a: "\\U00110000"',
    "found unknown escape character at line 1 column 5, while parsing a quoted scalar at line 1 column 4",
  ],
  ["a: b\u0001", "control characters are not allowed at position 4"],
])("%j is refused", (text, message) => {
  expect(() => parseYaml(text)).toThrow(new YamlError(message));
});

test("nesting is limited", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parseYaml(nested(MAX_YAML_DEPTH - 1)).kind).toBe("list");
  expect(() => parseYaml(nested(10_000))).toThrow(/^recursion limit exceeded/);
});

test("any text is parsed or rejected", () => {
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

test("every JSON document without control characters is parsed correctly", () => {
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

test("the length is limited, and parsing takes linear time", () => {
  expect(() => parseYaml(" ".repeat(MAX_YAML_LENGTH + 1))).toThrow(/^the document is longer than 32768/);
  const fill = (piece: string) => piece.repeat((MAX_YAML_LENGTH - 10) / piece.length);
  const documents = [
    ...["a: b\n", "a: @\n", "%a\n", "["].map(fill),
    `a: "${fill("b\n")}"`,
    `&a [${fill("*a,")}]`,
  ];
  for (const text of documents) {
    const parse = () => {
      try {
        parseYaml(text);
      } catch (error) {
        expect(error).toBeInstanceOf(YamlError);
      }
    };
    const used = processorTime(parse, { enough: 1000 });
    expect(used).toBeLessThan(1000);
  }
}, 30_000);

test("repeated aliases share one node", () => {
  const levels = Array.from({ length: 60 }, (_, level) => {
    const above = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array(9).fill(above).join(", ")}]`;
  });
  expect(parseYaml(levels.join("\n"))).toMatchObject({ kind: "map" });
  expect(() => parseYaml("a: &x [*x]")).toThrow(new YamlError("unknown anchor at line 1 column 8"));
});
