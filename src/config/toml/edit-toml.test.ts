import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { editToml, withValue } from "./edit-toml.ts";
import { renderPath, renderValue } from "./render-toml.ts";
import {
  createTable,
  isPrefix,
  isTable,
  sameValue,
  type TomlTable,
  type TomlValue,
  valueAt,
} from "./toml-value.ts";

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

/** A document, and which key each of its comments (`# c7`) speaks of. */
interface Commented {
  readonly text: string;
  readonly owners: ReadonlyMap<string, readonly string[]>;
}

/** Writes a table in every style that TOML has, with comments wherever they may stand. */
function createWriter(style: () => number) {
  const lines: string[] = [];
  const owners = new Map<string, readonly string[]>();
  const comment = (path: readonly string[]): string => {
    const text = `# c${owners.size}`;
    owners.set(text, path);
    return text;
  };

  /** Lists go over several lines now and then, also those inside of inline tables. */
  function valueText(path: readonly string[], node: TomlValue): string {
    if (isTable(node)) {
      const pairs = Object.entries(node).map(([key, item]) => {
        const [inner, deep] = (isTable(item) ? Object.entries(item)[0] : undefined) ?? [];
        const isDotted = isTable(item) && Object.keys(item).length === 1 && style() % 2 === 0;
        if (!isDotted || inner === undefined || deep === undefined)
          return `${renderPath([key])} = ${valueText([...path, key], item)}`;
        return `${renderPath([key, inner])} = ${valueText([...path, key, inner], deep)}`;
      });
      return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
    }
    if (!Array.isArray(node) || style() % 2 === 0) return renderValue(node);
    const entries = node.map((item, index) => {
      const above = style() % 3 === 0 ? `  ${comment(path)}\n` : "";
      const comma = index < node.length - 1 || style() % 2 === 0 ? "," : "";
      return `${above}  ${valueText(path, item)}${comma} ${comment(path)}\n`;
    });
    return `[ ${comment(path)}\n${entries.join("")}]`;
  }

  function pair(path: readonly string[], depth: number, node: TomlValue): void {
    lines.push(`${renderPath(path.slice(depth))} = ${valueText(path, node)} ${comment(path)}`);
  }

  function table(path: readonly string[], node: TomlTable): void {
    const later: [string, TomlTable | TomlTable[]][] = [];
    for (const [key, item] of Object.entries(node)) {
      const kind = style() % 4;
      const own = [...path, key];
      const isTables = Array.isArray(item) && item.length > 0 && item.every(isTable);
      if ((isTable(item) || isTables) && kind < 2) {
        later.push([key, item]);
      } else if (isTable(item) && Object.keys(item).length > 0 && kind === 2) {
        for (const [inner, deep] of Object.entries(item)) pair([...own, inner], path.length, deep);
      } else {
        lines.push(comment(own));
        pair(own, path.length, item);
      }
    }
    for (const [key, item] of later) {
      const own = [...path, key];
      for (const entry of Array.isArray(item) ? item : [item]) {
        const name = renderPath(own);
        lines.push("", comment(own), Array.isArray(item) ? `[[${name}]]` : `[${name}]`);
        table(own, entry);
      }
    }
  }

  return {
    write(node: TomlTable, newLine: string): Commented {
      lines.push("# about the file", "");
      table([], node);
      return { text: lines.map((line) => `${line}\n`.replaceAll("\n", newLine)).join(""), owners };
    },
  };
}

const commented = fc
  .record({
    entries: fc.array(fc.tuple(oddKey, value), { maxLength: 5 }),
    styles: fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 40 }),
    newLine: fc.constantFrom("\n", "\r\n"),
  })
  .map(({ entries, styles, newLine }) => {
    let next = 0;
    const style = () => styles[next++ % styles.length] ?? 0;
    return createWriter(style).write(createTable(entries), newLine);
  });

const comments = (text: string) => new Set(text.match(/# c\d+(?=\r?\n)/g));

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

/** The path that an edit replaces: the key itself, or the first value on its path that is not a table. */
function replacedPath(text: string, path: readonly string[]): readonly string[] {
  const root = read(text);
  const obstacle = path.findIndex((_, index) => {
    const found = index === 0 ? undefined : valueAt(root, path.slice(0, index));
    return found !== undefined && !isTable(found);
  });
  return obstacle === -1 ? path : path.slice(0, obstacle);
}

describe("any edit of any document", () => {
  const settings = propertyRuns(300);

  test("gives a document with exactly that change", () => {
    fc.assert(
      fc.property(commented, edit, ({ text }, change) => {
        const path = pathFor(text, change);
        const expected = withValue(read(text), path, change.value);
        const actual = read(editToml(text, { path, value: change.value }));
        expect(sameValue(withoutEmpty(actual), withoutEmpty(expected))).toBe(true);
      }),
      settings,
    );
  });

  test("keeps every comment that does not belong to what it replaces", () => {
    fc.assert(
      fc.property(commented, edit, ({ text, owners }, change) => {
        const path = pathFor(text, change);
        const replaced = replacedPath(text, path);
        const left = comments(editToml(text, { path, value: change.value }));
        const lost = [...owners].filter(
          ([comment, owner]) => !left.has(comment) && !isPrefix(replaced, owner),
        );
        expect(lost).toEqual([]);
      }),
      settings,
    );
  });

  test("changes nothing when it is made once more", () => {
    fc.assert(
      fc.property(commented, edit, ({ text }, change) => {
        const path = pathFor(text, change);
        const once = editToml(text, { path, value: change.value });
        expect(editToml(once, { path, value: change.value })).toBe(once);
      }),
      settings,
    );
  });

  test("keeps every comment when it sets a key that was not there", () => {
    fc.assert(
      fc.property(
        commented,
        fc.array(oddKey, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        scalar,
        ({ text, owners }, keys, pick, item) => {
          const tables = [[], ...existingPaths(read(text)).filter((at) => isTable(valueAt(read(text), at)))];
          const path = [...(tables[pick % tables.length] ?? []), "new key", ...keys];
          expect([...comments(editToml(text, { path, value: item }))].sort()).toEqual(
            [...owners.keys()].sort(),
          );
        },
      ),
      settings,
    );
  });
});

describe("a list with comments", () => {
  const list = ["l = [ # which", '  "a", # first', "  # the next", '  "b", # second', '  "c" # third', "]"];

  test.each<[string, string[], string[]]>([
    ["gets an entry at its end", ["a", "b", "c", "d"], list.toSpliced(4, 1, '  "c", # third', '  "d"')],
    ["gets an entry between others", ["a", "x", "b", "c"], list.toSpliced(2, 0, '  "x",')],
    ["gets an entry at its beginning", ["x", "a", "b", "c"], list.with(1, '  "x", "a", # first')],
    ["loses an entry with its comment", ["a", "c"], list.toSpliced(3, 1)],
    ["loses its last entry", ["a", "b"], list.toSpliced(4, 1)],
    ["has an entry replaced", ["a", "x", "c"], list.with(3, '  "x", # second')],
    ["loses everything", [], ["l = [ # which", "  # the next", "]"]],
  ])("%s", (_, wanted, expected) => {
    expect(edited(list, "l", wanted)).toEqual(expected);
  });
});
