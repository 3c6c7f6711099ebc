import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { addElement, applyEdits, removeElements, removeMember } from "./edit-json.ts";
import { type JsonNode, memberOf, outlineJson, valueOf } from "./json-outline.ts";

const ENTRY = { type: "command", command: "[ -f a ] && b" };

function outline(text: string): JsonNode {
  const root = outlineJson(text);
  if (typeof root === "string") throw new Error(root);
  return root;
}

function add(
  text: string,
  path: readonly string[] = ["hooks", "Stop"],
  value: unknown = ENTRY,
): string | null {
  const edit = addElement(text, outline(text), path, value);
  return edit === null ? null : applyEdits(text, [edit]);
}

function remove(text: string): string {
  const list = memberOf(memberOf(outline(text), "hooks"), "Stop");
  return applyEdits(
    text,
    removeElements(list, (value) => JSON.stringify(value) === JSON.stringify(ENTRY)),
  );
}

describe("an element that is added", () => {
  test.each([
    ["to nothing", "{}", '{"hooks":{"Stop":[{"type":"command","command":"[ -f a ] && b"}]}}'],
    [
      "to a list in one line",
      '{"hooks": {"Stop": [{"x": 1}]}}',
      '{"hooks": {"Stop": [{"x": 1}, {"type": "command", "command": "[ -f a ] && b"}]}}',
    ],
    [
      "to a list of lines",
      '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1 // one\n\t\t]\n\t}\n}\n',
      '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1,\n\t\t\t{\n\t\t\t\t"type": "command",\n\t\t\t\t"command": "[ -f a ] && b"\n\t\t\t} // one\n\t\t]\n\t}\n}\n',
    ],
    [
      "to a text with line ends of Windows",
      '{\r\n  "a": 1\r\n}',
      '{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": [\r\n      {\r\n        "type": "command",\r\n        "command": "[ -f a ] && b"\r\n      }\r\n    ]\r\n  }\r\n}',
    ],
    [
      "behind a comma that stands at the end",
      '{"hooks":{"Stop":[1,]}}',
      '{"hooks":{"Stop":[1,{"type":"command","command":"[ -f a ] && b"},]}}',
    ],
    [
      "to a list that says nothing",
      '{\n  "hooks": {\n    "Stop": [ ]\n  }\n}',
      '{\n  "hooks": {\n    "Stop": [\n      {\n        "type": "command",\n        "command": "[ -f a ] && b"\n      }\n    ]\n  }\n}',
    ],
  ])("%s is written as the rest is", (_, before, after) => {
    expect(add(before)).toBe(after);
  });

  test.each(['{"hooks": []}', '{"hooks": {"Stop": {}}}', "[]", "1"])("has no place in %s", (text) => {
    expect(add(text)).toBeNull();
  });

  const json = fc.jsonValue({ maxDepth: 3 });
  const lists = fc.dictionary(
    fc.constantFrom("Stop", "Other", "__proto__", "a b"),
    fc.array(json, { maxLength: 3 }),
  );
  const files = fc
    .tuple(
      fc.dictionary(fc.string(), json),
      fc.option(lists, { nil: undefined }),
      fc.constantFrom("", "  ", "\t"),
    )
    .map(([rest, hooks, indent]) =>
      JSON.stringify({ ...rest, ...(hooks !== undefined && { hooks }) }, null, indent),
    );

  test("is there, and everything else is as it was", () => {
    fc.assert(
      fc.property(files, (before) => {
        fc.pre(typeof outlineJson(before) !== "string");
        const after = add(before) ?? "";
        const was = valueOf(outline(before)) as { hooks?: { Stop?: unknown[] } };
        const list = [...(was.hooks?.Stop ?? []), ENTRY];
        expect(JSON.parse(after)).toEqual({ ...was, hooks: { ...was.hooks, Stop: list } });
        expect(JSON.parse(remove(after))).toEqual({
          ...was,
          hooks: { ...was.hooks, Stop: was.hooks?.Stop ?? [] },
        });
      }),
      propertyRuns(300),
    );
  });
});

describe("an element that is taken out", () => {
  const entry = JSON.stringify(ENTRY);
  test.each([
    ["alone", `[ ${entry} ]`, "[]"],
    ["at the beginning", `[${entry}, 1, 2]`, "[1, 2]"],
    ["in the middle", `[1,  ${entry}, 2]`, "[1, 2]"],
    ["at the end", `[1, ${entry}\n]`, "[1\n]"],
    ["often", `[${entry}, 1, ${entry}, ${entry}, 2, ${entry}]`, "[1, 2]"],
  ])("%s takes one comma with it", (_, list, left) => {
    expect(remove(`{"hooks": {"Stop": ${list}}}`)).toBe(`{"hooks": {"Stop": ${left}}}`);
  });

  test("is a member of an object, too", () => {
    const text = '{"a": 1, "hooks": {}}';
    expect(applyEdits(text, removeMember(outline(text), "hooks"))).toBe('{"a": 1}');
  });
});

describe("a text that is no JSON", () => {
  test.each([
    ["", "line 1: a value is missing"],
    ['{"a" 1}', "line 1: a colon is missing"],
    ["{\n  a: 1\n}", "line 2: a key in quotes is missing"],
    ["[1 2]", "line 1: a comma or ] is missing"],
    ["{} x", "line 1: there is text after its value"],
    ['["\\q"]', "line 1: a string contains a character or an escape that JSON does not allow"],
    ["[".repeat(100), "line 1: it is nested more than 64 levels deep"],
    ["/* ", "line 1: a value is missing"],
  ])("%j is refused with its place", (text, fault) => {
    expect(outlineJson(text)).toBe(fault);
  });

  test("is what JSON.parse refuses, too", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('{}[]":,1-.e"\\ an\n')) }), (text) => {
        const isJson = (() => {
          try {
            JSON.parse(text);
            return true;
          } catch {
            return false;
          }
        })();
        // Trailing commas are accepted as well.
        if (isJson) expect(valueOf(outline(text))).toEqual(JSON.parse(text));
        else if (!/,\s*[\]}]/.test(text)) expect(typeof outlineJson(text)).toBe("string");
      }),
      propertyRuns(500),
    );
  });
});
