import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { locateKey, locateValue } from "./config-fault.ts";
import { editToml, withValue } from "./edit-toml.ts";
import { outlineToml } from "./toml-outline.ts";
import { isTable, sameValue, type TomlTable } from "./toml-value.ts";

const odd = `\uFEFF# comment with [brackets] and = signs
  "quoted.key" . 'literal' = """
[not.a.header] # not a comment
""""" # five quotes end it
list = [ # opening
  "a]", 'b#', # comment ]
  [1, { x = "}" }],
]
inline = { a = 1, b = { "c.d" = '''}''' } }
date = 1979-05-27 07:32:00Z # with a space
[ spaced . "header" ] # after
key=1
[[ many ]]
[many.inner]
x = 1
[[many]]
[[many.deep]]
y = 2
[last]`;

const read = (text: string): TomlTable => parse(text, { integersAsBigInt: true });

describe("the outline of a document", () => {
  test("has every statement with its path", () => {
    const outline = outlineToml(odd).map(({ kind, path, valueStart, valueEnd }) => [
      kind,
      path.join("/"),
      odd.slice(valueStart, valueEnd),
    ]);
    expect(outline).toEqual([
      ["pair", "quoted.key/literal", '"""\n[not.a.header] # not a comment\n"""""'],
      ["pair", "list", `[ # opening\n  "a]", 'b#', # comment ]\n  [1, { x = "}" }],\n]`],
      ["pair", "inline", `{ a = 1, b = { "c.d" = '''}''' } }`],
      ["pair", "date", "1979-05-27 07:32:00Z"],
      ["header", "spaced/header", ""],
      ["pair", "spaced/header/key", "1"],
      ["listHeader", "many/0", ""],
      ["header", "many/0/inner", ""],
      ["pair", "many/0/inner/x", "1"],
      ["listHeader", "many/1", ""],
      ["listHeader", "many/1/deep/0", ""],
      ["pair", "many/1/deep/0/y", "2"],
      ["header", "last", ""],
    ]);
  });

  test("lets every key of an odd document be changed and removed", () => {
    const paths = (table: TomlTable, prefix: string[] = []): string[][] =>
      Object.entries(table).flatMap(([key, value]) => [
        [...prefix, key],
        ...(isTable(value) ? paths(value, [...prefix, key]) : []),
      ]);
    const root = read(odd);
    for (const path of paths(root)) {
      // Removing the only key of a table without a header removes that table too.
      for (const value of path.length === 1 ? ["new", undefined] : ["new"]) {
        const expected = withValue(root, path, value);
        expect([path, sameValue(read(editToml(odd, { path, value })), expected)]).toEqual([path, true]);
      }
    }
  });
});

describe("a place in a document", () => {
  const text = 'a = 1\n[t]\nkey = "x"\nin = { b = 2 }\n[[l]]\nc = 3\n';
  const at = (line: number, from: number, to: number) => ({
    file: "f",
    start: { line, column: from },
    end: { line, column: to },
  });

  test("is that of the value, of the pair that holds it, or of the table around it", () => {
    expect(locateValue("f", text, ["t", "key"])).toEqual(at(3, 7, 9));
    expect(locateValue("f", text, ["t", "in", "b"])).toEqual(at(4, 6, 14));
    expect(locateValue("f", text, ["t"])).toEqual(at(2, 2, 2));
    expect(locateValue("f", text, ["t", "missing"])).toEqual(at(2, 2, 2));
    expect(locateValue("f", text, ["nowhere"])).toBeUndefined();
  });

  test("of a key is that of the key itself", () => {
    expect(locateKey("f", text, ["t", "key"])).toEqual(at(3, 1, 3));
    expect(locateKey("f", text, ["l", "0", "c"])).toEqual(at(6, 1, 1));
    expect(locateKey("f", text, ["t", "in", "b"])).toEqual(at(4, 6, 14));
  });
});
