import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePatch } from "./parse-patch.ts";
import { patchOf } from "./patch-folder.fixture.ts";
import { seekLines } from "./seek-lines.ts";
import { updateText } from "./update-text.ts";

function update(text: string, ...lines: string[]): string {
  const parsed = parsePatch(patchOf("*** Update File: f", ...lines));
  if (parsed.kind === "invalid") return parsed.message;
  const [hunk] = parsed.patch.hunks;
  if (hunk?.kind !== "update") return "no update";
  const updated = updateText(text, hunk.chunks, "/f");
  return updated.kind === "text" ? updated.text : updated.message;
}

describe("lines are found", () => {
  test.each<[string, string[], string[], number, boolean, number | undefined]>([
    ["as they are", ["a", "b", "c"], ["b", "c"], 0, false, 1],
    ["only after the start", ["a", "b", "a"], ["a"], 1, false, 2],
    ["without trailing white space", ["a", "b \t"], ["b"], 0, false, 1],
    ["without white space around them", ["a", "\t b"], ["  b "], 0, false, 1],
    ["with typographic signs as ASCII", ["x – “y”\u00a0z’s"], ['x - "y" z\'s'], 0, false, 0],
    ["exactly before loosely", [" b", "b"], ["b"], 0, false, 1],
    ["at the end if they end the file", ["a", "b", "a"], ["a"], 0, true, 2],
    ["nowhere else if they end the file", ["a", "b"], ["a"], 0, true, undefined],
    ["not beyond the end", ["a"], ["a", "b"], 0, false, undefined],
    ["at once if there are none", ["a"], [], 1, false, 1],
  ])("%s", (_, ...[lines, needle, from, atEnd, place]) => {
    expect(seekLines(lines, needle, from, atEnd)).toBe(place);
  });
});

test("lines are found in time that grows with their number only", () => {
  const lines = Array.from({ length: 200_000 }, () => "same");
  expect(seekLines(lines, [...lines.slice(0, 100_000), "other"], 0, false)).toBe(undefined);
});

test("lines are found where a plain search finds them", () => {
  const list = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 });
  fc.assert(
    fc.property(list, list, fc.nat({ max: 3 }), (lines, needle, from) => {
      fc.pre(needle.length > 0);
      const places = lines.map((_, at) => at).filter((at) => at >= from);
      const plain = places.find((at) => needle.every((line, offset) => lines[at + offset] === line));
      expect(seekLines(lines, needle, from, false)).toBe(plain);
    }),
  );
});

describe("an update", () => {
  test.each<[string, string, string[], string]>([
    ["replaces lines", "a\nb\nc\n", ["@@", " a", "-b", "+B", " c"], "a\nB\nc\n"],
    ["starts below its header", "x\nf\nx\n", ["@@ f", "-x", "+y"], "x\nf\ny\n"],
    ["has chunks in order", "a\nb\na\nb\n", ["@@", "-a", "+1", "@@", "-a", "+2"], "1\nb\n2\nb\n"],
    ["puts added lines without context at the end", "a\nb\n", ["@@ a", "+z"], "a\nb\nz\n"],
    ["ends the last line", "a\nb", ["@@", "-a", "+A"], "A\nb\n"],
    ["forgives an empty line for the last newline", "a\nb\n", ["@@", "-b", "+B", " "], "a\nB\n"],
    ["keeps the file's own context lines", "a  \nb\n", ["@@", " a", "-b", "+B"], "a  \nB\n"],
    ["keeps CRLF", "a\r\nb\r\n", ["@@", "-b", "+B", "+C"], "a\r\nB\r\nC\r\n"],
    ["keeps CR", "a\rb\r", ["@@", "-b", "+B"], "a\rB\r"],
    ["keeps each ending of a mixed file", "1\r\n2\r3\n4\r\n", ["@@", " 2", "-3", "+t"], "1\r\n2\rt\r\n4\r\n"],
    ["ends the last line as the first", "a\r\nb", ["@@", "-a", "+A"], "A\r\nb\r\n"],
    ["fills an empty file", "", ["@@", "+a"], "a\n"],
    ["can empty a file", "a\n", ["@@", "-a"], ""],
    ["keeps a byte order mark", "\ufeffa\nb\n", ["@@", "-b", "+B"], "\ufeffa\nB\n"],
  ])("%s", (_, before, lines, after) => {
    expect(update(before, ...lines)).toBe(after);
  });

  test("that does not match reports the missing lines", () => {
    expect(update("a\n", "@@", " a", "-b", "+c")).toBe("Failed to find expected lines in /f:\na\nb");
    expect(update("a\n", "@@ nope", "-a")).toBe("Failed to find context 'nope' in /f");
  });

  test("that ends the file does not match lines of an earlier chunk", () => {
    const lines = ["@@", "-one", "+first", "@@", "-one", "+second", "*** End of File"];
    expect(update("one\n", ...lines)).toBe("Failed to find expected lines in /f:\none");
  });

  test("derived from any two texts turns the one into the other", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "\t", "é", "+", "-", "@") });
    const lines = fc.array(line, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const chunk = ["@@", ...before.map((text) => `-${text}`), ...after.map((text) => `+${text}`)];
        const text = (all: string[]) => all.map((one) => `${one}\n`).join("");
        expect(update(text(before), ...chunk)).toBe(text(after));
      }),
    );
  });
});
