import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { editToml, withValue } from "./edit-toml.ts";
import { renderPath, renderValue } from "./render-toml.ts";
import { createTable, isTable, sameValue, type TomlTable, type TomlValue } from "./toml-value.ts";

const read = (text: string): TomlTable => parse(text, { integersAsBigInt: true });
const table = (entries: Record<string, TomlValue>) => createTable(Object.entries(entries));

function edited(lines: readonly string[], path: string, value: TomlValue | undefined): string[] {
  const text = lines.map((line) => `${line}\n`).join("");
  return editToml(text, { path: path.split("/"), value })
    .replace(/\n$/, "")
    .split("\n");
}

const file = [
  "# top",
  'model = "a" # trailing',
  "",
  "# about tui",
  "[tui]",
  "# inner",
  "animations = false # x",
  "",
  '[projects."/a"]',
  'trust_level = "trusted"',
];

describe("setting a value", () => {
  test("replaces an existing value in place", () => {
    expect(edited(file, "model", "b")).toEqual(file.with(1, 'model = "b" # trailing'));
  });

  test("adds a key at the top behind the other keys there", () => {
    expect(edited(file, "review_model", "r")).toEqual(file.toSpliced(2, 0, 'review_model = "r"'));
  });

  test("adds a key to the section that its table has", () => {
    expect(edited(file, "tui/theme", "dark")).toEqual(file.toSpliced(7, 0, 'theme = "dark"'));
  });

  test("adds a table behind its relatives with a header of its own", () => {
    const lines = [...file, "", "[tools]", "x = 1"];
    expect(edited(lines, "projects/b", table({ trust_level: "trusted" }))).toEqual(
      lines.toSpliced(10, 0, "", "[projects.b]", 'trust_level = "trusted"'),
    );
  });

  test("adds a key to a table that only dotted keys define as a dotted key", () => {
    expect(edited(["a.b.c = 1"], "a/b/d", 2n)).toEqual(["a.b.c = 1", "a.b.d = 2"]);
  });

  test("changes only the keys of a table that differ", () => {
    const lines = ["[t]", "# one", "a = 1", "# two", "b = 2", "", "[t.sub]", "c = 3"];
    const wanted = table({ a: 1n, b: 5n, sub: table({ c: 3n }) });
    expect(edited(lines, "t", wanted)).toEqual(lines.with(4, "b = 5"));
  });

  test("changes a key inside an inline table and keeps it inline", () => {
    expect(edited(["t = { a = 1 } # note"], "t/b", true)).toEqual(["t = { a = 1, b = true } # note"]);
  });

  test("turns a single value into a table", () => {
    expect(edited(['a = "x"', "b = 1"], "a", table({ z: 1n }))).toEqual(["b = 1", "", "[a]", "z = 1"]);
  });

  test("turns a table into a single value", () => {
    expect(edited(["a = 1", "", "[b]", "c = 1", "", "[b.d]", "e = 1"], "b", 5n)).toEqual(["a = 1", "b = 5"]);
  });

  test("starts a file that has nothing in it", () => {
    expect(editToml("", { path: ["tui", "theme"], value: "dark" })).toBe('[tui]\ntheme = "dark"\n');
    expect(editToml("\uFEFF", { path: ["model"], value: "m" })).toBe('\uFEFFmodel = "m"\n');
  });

  test("puts a first key below the comment that describes the file and above the first table", () => {
    const lines = ["# my settings", "", "# about tui", "[tui]"];
    expect(edited(lines, "model", "m")).toEqual([
      "# my settings",
      "",
      'model = "m"',
      "",
      "# about tui",
      "[tui]",
    ]);
  });

  test("ends lines as the file does", () => {
    expect(editToml("a = 1\r\n\r\n[t]\r\nb = 2", { path: ["t", "c"], value: 3n })).toBe(
      "a = 1\r\n\r\n[t]\r\nb = 2\r\nc = 3\r\n",
    );
  });
});

describe("removing a key", () => {
  test("takes the comments that belong to it along and leaves one blank line", () => {
    expect(edited(file, "tui", undefined)).toEqual(file.toSpliced(3, 5));
  });

  test("keeps the comment at the top of the file", () => {
    expect(edited(file, "model", undefined)).toEqual(file.toSpliced(1, 1));
  });

  test("removes every entry of a list of tables", () => {
    expect(
      edited(["a = 1", "", "[[x]]", "b = 1", "", "[[x]]", "b = 2", "[x.y]", "c = 1"], "x", undefined),
    ).toEqual(["a = 1"]);
  });

  test("leaves a file alone that does not have it", () => {
    expect(edited(file, "nope/nope", undefined)).toEqual(file);
  });
});

const oddKey = fc.oneof(
  fc.constantFrom("a", "b", "c-d", "1", "__proto__", "constructor"),
  fc.string({
    minLength: 1,
    maxLength: 4,
    unit: fc.constantFrom("a", ".", '"', "'", " ", "é", "\n", "\u007F", "=", "#", "]"),
  }),
);
const scalar: fc.Arbitrary<TomlValue> = fc.oneof(
  fc.string({ unit: fc.constantFrom("x", '"', "'", "#", "\n", "\\", "é", "[", "{", ",", "\u0000") }),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.double({ noNaN: true }),
  fc.boolean(),
);
const value: fc.Arbitrary<TomlValue> = fc.letrec<{ node: TomlValue; table: TomlTable }>((tie) => ({
  node: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("node"), { maxLength: 3 }), tie("table")),
  table: fc.array(fc.tuple(oddKey, tie("node")), { maxLength: 3 }).map((entries) => createTable(entries)),
})).node;

/** Writes a table in every style that TOML has, with a comment on every line. */
function write(path: readonly string[], node: TomlTable, style: () => number, out: string[]): void {
  const later: [string, TomlTable | TomlTable[]][] = [];
  for (const [key, item] of Object.entries(node)) {
    const kind = style() % 4;
    const isTables = Array.isArray(item) && item.length > 0 && item.every(isTable);
    if ((isTable(item) && kind < 2) || (isTables && kind < 2)) {
      later.push([key, item]);
    } else if (isTable(item) && Object.keys(item).length > 0 && kind === 2) {
      for (const [inner, deep] of Object.entries(item))
        out.push(`${renderPath([key, inner])} = ${renderValue(deep)} # c${out.length}`);
    } else {
      out.push(`# c${out.length}`, `${renderPath([key])} = ${renderValue(item)} # c${out.length + 1}`);
    }
  }
  for (const [key, item] of later) {
    for (const entry of Array.isArray(item) ? item : [item]) {
      const name = renderPath([...path, key]);
      out.push("", `# c${out.length + 1}`, Array.isArray(item) ? `[[${name}]]` : `[${name}]`);
      write([...path, key], entry, style, out);
    }
  }
}

const documentText = fc
  .tuple(
    fc.array(fc.tuple(oddKey, value), { maxLength: 5 }),
    fc.infiniteStream(fc.nat()),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([entries, styles, newLine]) => {
    const out: string[] = [];
    write([], createTable(entries), () => styles.next().value as number, out);
    return out.map((line) => line + newLine).join("");
  });

const comments = (text: string) => text.split(/\r?\n/).flatMap((line) => /#( c\d+)$/.exec(line)?.[1] ?? []);

/** Removing the last key of a table that has no header of its own removes the table. */
function withoutEmpty(node: TomlValue): TomlValue {
  if (Array.isArray(node)) return node.map(withoutEmpty);
  if (!isTable(node)) return node;
  const kept = Object.entries(node).map(([key, item]) => [key, withoutEmpty(item)] as const);
  return createTable(kept.filter(([, item]) => !isTable(item) || Object.keys(item).length > 0));
}

function existingPaths(node: TomlTable, prefix: readonly string[] = []): string[][] {
  return Object.entries(node).flatMap(([key, item]) => [
    [...prefix, key],
    ...(isTable(item) ? existingPaths(item, [...prefix, key]) : []),
  ]);
}

const edit = fc.record({
  pick: fc.nat(),
  extra: fc.array(oddKey, { maxLength: 2 }),
  value: fc.option(value, { nil: undefined }),
});

function pathFor(text: string, { pick, extra }: { pick: number; extra: readonly string[] }): string[] {
  const known = existingPaths(read(text));
  const start = known.length === 0 ? [] : (known[pick % (known.length + 1)] ?? []);
  const path = [...start, ...extra];
  return path.length === 0 ? ["a"] : path;
}

test("a number below a list of tables names no entry of it", () => {
  const text = "[[a]]\nx = 1\n[[a]]\nx = 2\n";
  expect(editToml(text, { path: ["a", "1"], value: undefined })).toBe(text);
});

describe("any edit of any document", () => {
  test("gives a document with exactly that change", () => {
    fc.assert(
      fc.property(documentText, edit, (text, change) => {
        const path = pathFor(text, change);
        const expected = withValue(read(text), path, change.value);
        const actual = read(editToml(text, { path, value: change.value }));
        expect(sameValue(withoutEmpty(actual), withoutEmpty(expected))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("keeps every comment when it sets a key that was not there", () => {
    fc.assert(
      fc.property(
        documentText,
        fc.array(oddKey, { minLength: 1, maxLength: 3 }),
        scalar,
        (text, keys, item) => {
          const path = ["new key", ...keys];
          expect(comments(editToml(text, { path, value: item }))).toEqual(comments(text));
        },
      ),
    );
  });
});
