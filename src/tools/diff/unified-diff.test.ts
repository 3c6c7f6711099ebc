import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines, type LineRun } from "./line-diff.ts";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (text: string) => Array.from(text, (letter) => `${letter}\n`).join("");

describe("a unified diff", () => {
  test.each<[string, string, string, number, string]>([
    ["shows nothing for equal texts", "a\n", "a\n", 3, ""],
    [
      "shows a change with its context",
      lines("abcde"),
      lines("abXde"),
      1,
      "@@ -2,3 +2,3 @@\n b\n-c\n+X\n d\n",
    ],
    ["counts from nothing", "", "a\n", 3, "@@ -0,0 +1 @@\n+a\n"],
    ["counts to nothing", "a\nb\n", "", 3, "@@ -1,2 +0,0 @@\n-a\n-b\n"],
    ["names the line before an empty range", lines("abc"), lines("ac"), 0, "@@ -2 +1,0 @@\n-b\n"],
    [
      "marks a missing newline",
      "a\nb",
      "a\nc",
      3,
      "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
    ],
    ["marks a newline that comes", "a", "a\n", 3, "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"],
    [
      "splits hunks that lie further apart than twice the context",
      lines("aXbcdXe"),
      lines("aYbcdYe"),
      1,
      "@@ -1,3 +1,3 @@\n a\n-X\n+Y\n b\n@@ -5,3 +5,3 @@\n d\n-X\n+Y\n e\n",
    ],
    [
      "joins hunks that lie closer",
      lines("aXbcXe"),
      lines("aYbcYe"),
      1,
      "@@ -1,6 +1,6 @@\n a\n-X\n+Y\n b\n c\n-X\n+Y\n e\n",
    ],
    ["puts a repeated block at its end", lines("f{}"), lines("f{}f{}"), 0, "@@ -3,0 +4,3 @@\n+f\n+{\n+}\n"],
  ])("%s", (_, ...[before, after, context, diff]) => {
    expect(unifiedDiff(before, after, context)).toBe(diff);
  });
});

function replay(before: readonly string[], after: readonly string[], runs: readonly LineRun[]): string[] {
  const result: string[] = [];
  let old = 0;
  let young = 0;
  for (const { kind, length } of runs) {
    if (kind === "equal") result.push(...before.slice(old, old + length));
    if (kind === "added") result.push(...after.slice(young, young + length));
    if (kind !== "added") old += length;
    if (kind !== "removed") young += length;
  }
  expect([old, young]).toEqual([before.length, after.length]);
  return result;
}

/** The length of the longest common subsequence, the slow way. */
function keptAtMost(before: readonly string[], after: readonly string[]): number {
  const row = Array.from({ length: after.length + 1 }, () => 0);
  for (const line of before) {
    let diagonal = 0;
    for (const [index, other] of after.entries()) {
      const above = row[index + 1] ?? 0;
      row[index + 1] = line === other ? diagonal + 1 : Math.max(above, row[index] ?? 0);
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}

describe("the difference of two lists", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 30 });

  test("turns the one into the other and keeps as much as can be kept", () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const runs = diffLines(before, after);
        expect(replay(before, after, runs)).toEqual(after);
        const kept = runs.filter((run) => run.kind === "equal").reduce((sum, run) => sum + run.length, 0);
        expect(kept).toBe(keptAtMost(before, after));
      }),
    );
  });

  test("is right also when the work allowed is not enough to find the shortest", () => {
    fc.assert(
      fc.property(list, list, fc.nat({ max: 40 }), (before, after, steps) => {
        expect(replay(before, after, diffLines(before, after, steps))).toEqual(after);
      }),
    );
  });

  test("is bounded for long lists that have nothing in common", () => {
    const before = Array.from({ length: 50_000 }, (_, index) => `old ${index}`);
    const after = Array.from({ length: 50_000 }, (_, index) => `new ${index}`);
    expect(diffLines(before, after)).toEqual([
      { kind: "removed", length: 50_000 },
      { kind: "added", length: 50_000 },
    ]);
  });
});
