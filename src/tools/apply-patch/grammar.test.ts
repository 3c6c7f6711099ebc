import fc from "fast-check";
import { expect, test } from "vitest";
import { PATCH_GRAMMAR } from "./apply-patch-tool.ts";
import { parsePatch } from "./parse-patch.ts";

/** The grammar has no recursion, so it can be turned into one regular expression. */
function toRegExp(grammar: string): RegExp {
  const rules = new Map<string, string>();
  for (const [, name = "", body = ""] of grammar.matchAll(/^(\w+): (.+)$/gm)) rules.set(name, body);
  const token = /"([^"]*)"|\/((?:[^/\\]|\\.)+)\/|(\w+)|([()|?+*])|\s+/g;
  const expand = (body: string): string =>
    body.replace(token, (_, ...[literal, pattern, name, sign]: (string | undefined)[]) => {
      if (literal !== undefined) return literal.replace(/[+*.?]/g, "\\$&");
      if (pattern !== undefined) return `(?:${pattern})`;
      if (name === "LF") return "\\n";
      return name === undefined ? (sign ?? "").replace("(", "(?:") : `(?:${expand(rules.get(name) ?? "")})`;
    });
  return new RegExp(`^${expand(rules.get("start") ?? "")}$`);
}

const text = fc.string({ unit: fc.constantFrom("a", "*", "@", " ", "é", '"') });
const path = text.map((name) => `p${name}q`);
const line = fc.tuple(fc.constantFrom("+", "-", " "), text).map((parts) => parts.join(""));
const chunk = fc
  .tuple(
    path.map((name) => `@@ ${name}`),
    fc.array(line, { minLength: 1, maxLength: 3 }),
  )
  .map(([head, lines]) => [head, ...lines]);
const firstChunk = fc.oneof(chunk, fc.array(line, { minLength: 1, maxLength: 3 }));
const hunk = fc.oneof(
  fc
    .tuple(path, fc.array(text, { minLength: 1, maxLength: 3 }))
    .map(([name, lines]) => [`*** Add File: ${name}`, ...lines.map((one) => `+${one}`)]),
  path.map((name) => [`*** Delete File: ${name}`]),
  fc
    .tuple(path, fc.option(path), firstChunk, fc.array(chunk, { maxLength: 2 }), fc.boolean())
    .map(([name, moved, first, chunks, atEnd]) => [
      `*** Update File: ${name}`,
      ...(moved === null ? [] : [`*** Move to: ${moved}`]),
      ...first,
      ...chunks.flat(),
      ...(atEnd ? ["*** End of File"] : []),
    ]),
);
const patch = fc
  .array(hunk, { minLength: 1, maxLength: 3 })
  .map((hunks) => ["*** Begin Patch", ...hunks.flat(), "*** End Patch"].join("\n"));

test("a patch in the strict form fits the grammar and is read", () => {
  const grammar = toRegExp(PATCH_GRAMMAR);
  fc.assert(
    fc.property(patch, fc.constantFrom("", "\n"), (body, end) => {
      expect(grammar.test(body + end)).toBe(true);
      expect(parsePatch(body + end).kind).toBe("patch");
    }),
  );
});

test.each([
  ["", false],
  ["*** Begin Patch\n*** End Patch", false],
  ["*** Begin Patch\n*** Add File: a\nx\n*** End Patch", false],
  ["*** Begin Patch\n*** Update File: a\n*** End Patch", false],
  ["*** Begin Patch\n*** Update File: a\n@@\n@@\n-x\n*** End Patch", false],
  ["*** Begin Patch\n*** Update File: a\n@@\n-x\n*** End of File\n*** Delete File: b\n*** End Patch\n", true],
])("the grammar on %j says %s", (body, fits) => {
  expect(toRegExp(PATCH_GRAMMAR).test(body)).toBe(fits);
});
