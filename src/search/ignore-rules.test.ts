import { describe, expect, test } from "vitest";
import { parseIgnoreRules } from "./ignore-rules.ts";

const hides = (rules: string, path: string) =>
  parseIgnoreRules(rules).decide(path.replace(/\/$/, ""), path.endsWith("/"));

describe("a rule", () => {
  test.each([
    ["name", "name", true],
    ["name", "a/name", true],
    ["name", "a/names", null],
    ["name/", "a/name/", true],
    ["name/", "a/name", null],
    ["/name", "name", true],
    ["/name", "a/name", null],
    ["a/name", "a/name", true],
    ["a/name", "b/a/name", null],
    ["*.log", "a/b.log", true],
    ["*.log", "a/.log", true],
    ["*.tar.gz", "a/b.tar.gz", true],
    ["*.log", "a/b.logs", null],
    ["a*c", "abbc", true],
    ["a*c", "ab/c", null],
    ["a/*", "a/b", true],
    ["a/*", "a/b/c", null],
    ["a?c", "abc", true],
    ["**/x", "a/b/x", true],
    ["**/x", "x", true],
    ["a/**/x", "a/x", true],
    ["a/**/x", "a/b/c/x", true],
    ["a/**/**/x", "a/x", true],
    ["a/**/**/x", "a/b/x", true],
    ["a/**/b*/**/x", "a/c/bd/bx/e/x", true],
    ["a/**/b*/**/x", "a/c/bd", null],
    ["**/a/b*c*d", "x/a/bcbcdd", true],
    ["**/a/b*c*d", "x/a/bcbc/d", null],
    ["**/a/**/b/**/c", "a/b/a/b/c", true],
    ["a**/b", "ax/b", true],
    ["a**/b", "ax/y/b", null],
    ["*a*b*a", "xaxbxa", true],
    ["*a*b*a", "xaxbxb", null],
    ["a/**", "a/b/c", true],
    ["a/**", "a", null],
    ["[ab].txt", "b.txt", true],
    ["[!ab].txt", "b.txt", null],
    ["[!ab].txt", "c.txt", true],
    ["[a-c]x", "bx", true],
    ["x.[oa]", "x.o", true],
    ["\\#x", "#x", true],
    ["\\!x", "!x", true],
    ["#x", "#x", null],
    ["x  ", "x", true],
    ["x\\ ", "x ", true],
    ["a{b,c}", "a{b,c}", true],
    ["a.b+(c)", "a.b+(c)", true],
    ["[z-a]", "z", null],
    ["", "x", null],
  ])("%j and %j: %j", (rule, path, expected) => {
    expect(hides(rule, path)).toBe(expected);
  });
});

test("the last matching rule applies, and a negated rule includes the path again", () => {
  expect(hides("*.log\n!keep.log", "a/keep.log")).toBe(false);
  expect(hides("!keep.log\n*.log", "a/keep.log")).toBe(true);
  expect(hides("*.log\r\n!keep.log\r\nkeep*", "keep.log")).toBe(true);
});

test("a pattern with many wildcards does not backtrack", () => {
  expect(hides(`${"*a".repeat(30)}*b`, "a".repeat(250))).toBe(null);
  expect(hides(`${"**/a/".repeat(30)}b`, "a/".repeat(1000))).toBe(null);
});
