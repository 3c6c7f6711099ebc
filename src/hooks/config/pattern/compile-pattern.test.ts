import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../base/property-runs.fixture.ts";
import { compilePattern } from "./compile-pattern.ts";

function matches(pattern: string, subject: string): boolean | string {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.matches(subject) : compiled.reason;
}

describe("a pattern", () => {
  test.each<[pattern: string, yes: readonly string[], no: readonly string[]]>([
    ["^Bash$", ["Bash"], ["BashOutput", "xBash"]],
    ["mcp__.*", ["mcp__a__b", "xmcp__"], ["mcp_"]],
    ["^mcp__(?:fs|git)__(read|write).*$", ["mcp__fs__read", "mcp__git__write_file"], ["mcp__fs__delete"]],
    ["(?i)bash", ["BASH", "bAsH"], ["bas"]],
    ["(?i:b)ash", ["Bash", "bash"], ["BASH"]],
    ["a(?i)b|c", ["aB", "C"], ["AB"]],
    ["^[^a-c]+$", ["xyz"], ["xbz"]],
    ["^[]a]$", ["]", "a"], ["b"]],
    ["^[a-z&&[^aeiou]]$", ["b"], ["a"]],
    ["^[a-z--[aeiou]]$", ["b"], ["a"]],
    ["^[a-c~~[b-d]]$", ["a", "d"], ["b"]],
    ["^[[:alpha:][:^ascii:]]+$", ["aé"], ["1"]],
    ["^\\p{L}\\p{Greek}\\pN$", ["éα1"], ["1α1"]],
    ["^\\P{L}$", ["1"], ["a"]],
    ["^\\d{2,3}$", ["12", "123", "١٢"], ["1", "1234"]],
    ["^a{2}$", ["aa"], ["a", "aaa"]],
    ["^a{2,}?$", ["aa", "aaaa"], ["a"]],
    ["^(ab|)+c$", ["c", "ababc"], ["abac"]],
    ["\\bcat\\b", ["a cat!"], ["concat"]],
    ["\\<a\\>", ["b a c"], ["ab"]],
    ["(?m)^b$", ["a\nb"], ["ab"]],
    ["a.b", ["axb", "a😀b"], ["a\nb"]],
    ["(?s)a.b", ["a\nb"], ["ab"]],
    ["(?x) a \\ b # c", ["a b"], ["ab"]],
    [`(?x)a # ${"long ".repeat(100)}\nb`, ["ab"], ["a"]],
    ["^\\x41\\u{42}\\u0043$", ["ABC"], ["abc"]],
    ["(?P<n>a)(?<m>b)", ["ab"], ["a"]],
    ["", ["", "x"], []],
    ["a|", ["", "b"], []],
  ])("%s has its meaning", (pattern, yes, no) => {
    expect([...yes, ...no].map((subject) => matches(pattern, subject))).toEqual([
      ...yes.map(() => true),
      ...no.map(() => false),
    ]);
  });

  test.each([
    ["(?=a)", "look-around, including look-ahead and look-behind, is not supported", "^^^"],
    ["x(?<!a)", "look-around, including look-ahead and look-behind, is not supported", " ^^^^"],
    ["(a)\\1", "backreferences are not supported", "   ^^"],
    ["(", "unclosed group", "^"],
    ["a)", "unopened group", " ^"],
    ["[a", "unclosed character class", "^"],
    ["a**[", "unclosed character class", "   ^"],
    ["+", "repetition operator missing expression", "^"],
    ["a{", "unclosed counted repetition", " ^"],
    ["a{x}", "repetition quantifier expects a valid decimal", " ^"],
    ["a{3,2}", "invalid repetition count range, the start must be <= the end", " ^^^^^"],
    ["[z-a]", "invalid character class range, the start must be <= the end", " ^^^"],
    ["\\q", "unrecognized escape sequence", "^^"],
    ["\\", "incomplete escape sequence, reached end of pattern prematurely", "^"],
    ["\\p{Nope}", "Unicode property not found", "^^^^^^^^"],
    ["(?z)", "unrecognized flag", "  ^"],
  ])("%s is rejected with the peer's message", (pattern, error, marks) => {
    expect(matches(pattern, "")).toBe(`regex parse error:\n    ${pattern}\n    ${marks}\nerror: ${error}`);
  });

  test.each([
    ["(a{1000}){1000}", "the pattern needs more than 10000 states; repeat less in it"],
    ["a".repeat(20_000), "the pattern is longer than 16384 characters"],
  ])("%# that would cost too much is refused", (pattern, reason) => {
    expect(matches(pattern, "")).toBe(reason);
  });

  test.each([
    "(".repeat(5000),
    "[".repeat(5000),
    `a${"*".repeat(5000)}`,
    "(?:".repeat(5000),
    "\\p{".repeat(2000),
  ])("%# that is nested without end is refused", (pattern) => {
    expect(compilePattern(pattern).ok).toBe(false);
  });

  test.each(["(a+)+$", "^(a|a)*$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
    "%s costs no more than its size times the subject",
    (pattern) => {
      expect(matches(pattern, `${"a".repeat(500)}!`)).toBe(false);
    },
  );

  test("a subject above the length limit matches", () => {
    expect(matches("b", "a".repeat(512))).toBe(false);
    expect(matches("b", "a".repeat(513))).toBe(true);
  });

  test.each([
    ["sets within sets that ignore case", `(?i)${"[".repeat(40)}a${"]".repeat(40)}`],
    ["a large set that is repeated", `[${"bcdefgh".repeat(2000)}]{3000}x`],
  ])("%s are evaluated once for each character", (_, pattern) => {
    expect(matches(pattern, "é".repeat(500))).toBe(false);
    expect(matches(pattern, "b".repeat(500))).toBe(false);
  });

  const { pattern: patterns } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "^", "$", "\\b", ""),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `${left}${right}`),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(?:${left}|${right})`),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?"))
        .map(([inner, repeat]) => `(?:${inner})${repeat}`),
    ),
  }));

  test("matches where the engine of JavaScript finds a match", () => {
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 6 }),
        (pattern, subject) => {
          expect(matches(pattern, subject)).toBe(new RegExp(pattern, "u").test(subject));
        },
      ),
      propertyRuns(300),
    );
  });

  test("any text is either parsed or rejected", () => {
    const unit = fc.constantFrom(...Array.from("()[]{}|*+?^$\\.-,:<>=!&~#aAbpPxu019 \né😀"));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), fc.string({ unit }), (pattern, subject) => {
        expect(typeof matches(pattern, subject)).toMatch(/boolean|string/u);
      }),
      propertyRuns(500),
    );
  });
});
