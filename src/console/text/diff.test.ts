import { expect, test } from "vitest";
import { changedRanges, pairLines, parseDiff } from "./diff.ts";

const TEXT = `--- a/f
+++ b/f
@@ -3,3 +3,4 @@ function f()
 same
-old line
+new line
+more
 end
\\ No newline at end of file`;

test("lines have their numbers on both sides", () => {
  const { hunks, added, removed } = parseDiff(TEXT);
  expect([added, removed]).toEqual([2, 1]);
  expect(hunks[0]?.lines.map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber])).toEqual([
    ["same", 3, 3],
    ["del", 4, null],
    ["add", null, 4],
    ["add", null, 5],
    ["same", 5, 6],
  ]);
});

test("deleted and added lines stand side by side", () => {
  const pairs = pairLines(parseDiff(TEXT).hunks[0]?.lines ?? []);
  expect(pairs.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ["same", "same"],
    ["old line", "new line"],
    [null, "more"],
    ["end", "end"],
  ]);
});

test("a new file is given as its text", () => {
  const { hunks, added } = parseDiff("one\ntwo\n", "add");
  expect([added, hunks[0]?.lines.map(({ text }) => text)]).toEqual([2, ["one", "two"]]);
});

test("the part that differs is marked, unless it is nearly all", () => {
  expect(changedRanges("for (a < 5)", "for (a < budget())")).toEqual([
    { from: 9, to: 10 },
    { from: 9, to: 17 },
  ]);
  expect(changedRanges("abc", "xyz")).toEqual([null, null]);
  expect(changedRanges("same", "same!")).toEqual([null, { from: 4, to: 5 }]);
});
