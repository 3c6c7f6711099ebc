import fc from "fast-check";
import { expect, test } from "vitest";
import { parseShell } from "./parse-shell.ts";
import { scanScript as scanAny } from "./scan-script.ts";
import { openShellGrammar } from "./shell-grammar.ts";

const scanScript = (script: string) => scanAny(script, 100_000);
const words = (script: string) => scanScript(script)?.commands.map((command) => command.words);

test("words are unquoted, with a placeholder for expansions", () => {
  expect(
    words('echo a\\b "c \\$d" \'e f\' g"h"\'i\' $\'\\x6a\\n\' $"k" =z {} $A "$B-l" ${C:-d} * ~'),
  ).toEqual([["echo", "ab", "c $d", "e f", "ghi", "j\n", "k", "=z", "{}", "$_", "$_-l", "$_", "*", "~"]]);
});

test("braces and literal command output expand to several words", () => {
  expect(words("{rm,-r} -{f,v}x {a} {b,c")).toEqual([["rm", "-r", "-fx", "-vx", "{a}", "{b,c"]]);
  expect(words('$(echo a b) "$(printf %s-%s c d e)"')).toEqual([
    ["echo", "a", "b"],
    ["printf", "%s-%s", "c", "d", "e"],
    ["a", "b", "c-de-"],
  ]);
});

test("commands are found in every construct", () => {
  const script =
    'if a; then (b); fi; for x in 1 2; do { c; }; done; f() { d; }; echo $(e) <(g) `h` "$(i)" ${x:-$(j)} $((1+$(k)))';
  expect(words(script)?.map(([program]) => program)).toEqual(
    expect.arrayContaining(["a", "b", "c", "d", "e", "g", "h", "i", "j", "k", "echo"]),
  );
});

test("heads of loops, cases and functions, assignments, targets and comments are not commands", () => {
  expect(words("for x in a b; do c; done")).toEqual([["c"]]);
  expect(words("for x do c; done")).toEqual([["c"]]);
  expect(words("case $x in (a|b) c;; *) d;; esac; e")).toEqual([["c"], ["d"], ["e"]]);
  expect(words("case x\nin a) b\nesac")).toEqual([["b"]]);
  expect(words("function f { a; }; coproc P { b; }; coproc c d")).toEqual([["a"], ["b"], ["c", "d"]]);
  expect(words("A=1 B+=(x y) a 2>&1 >b <c &>d # e\nf")).toEqual([["a"], ["f"]]);
});

test("the standard input of a command is known if the script determines it", () => {
  const inputs = (script: string) => scanScript(script)?.commands.map(({ input }) => input);
  expect(inputs("a <<E\nx $y\nE\nb")).toEqual(["x $_", null]);
  expect(inputs("a <<'E'\nx $y\nE")).toEqual(["x $y"]);
  expect(inputs("a <<-E; b\n\tx\n\tE")).toEqual(["x", null]);
  expect(inputs("a <<E <<F\nx\nE\ny\nF")).toEqual(["y"]);
  expect(inputs("a <<< 'x y'")).toEqual(["x y"]);
  expect(inputs("cat <<E | a\nx\nE")).toEqual(["x", "x"]);
  expect(inputs("echo -e 'x\\ny' | a")).toEqual([null, "x\ny"]);
  expect(inputs("a < <(echo x)")).toEqual([null, "x"]);
  expect(inputs("b | a")).toEqual([null, null]);
});

test("a script that is nested too deeply is not scanned", () => {
  expect(scanScript(`${"( ".repeat(90)}ls${" )".repeat(90)}`)?.commands).toHaveLength(1);
  for (const open of ["( ", "$(", '"$(', "${", "$[", "$((", "a=(", "<(", "`\\`", "((", "x@(("])
    expect(scanScript(open.repeat(20_000)) === null || open === "`\\`").toBe(true);
});

test("a script with too many tokens is not scanned", () => {
  expect(scanAny("a; b", 3)?.tokens).toBe(3);
  expect(scanAny("a; b c", 3)).toBeNull();
});

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."ls -la|cat|a|b|'c d'|\"e f\"|g\\h|1|2>|x=y".split("|")) },
  { weight: 3, arbitrary: fc.constantFrom(" ", " ", "\n", ";", "|", "&&", "||", ">", "<", "&") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(..."( ) { } ! $( ` ' \" \\ # << <<< $'{ ${ (( )) case esac in do".split(" ")),
  },
  { weight: 1, arbitrary: fc.string() },
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

test("any text is scanned, and every command of the strict parser is found with the same words", async () => {
  const grammar = await openShellGrammar();
  fc.assert(
    fc.property(text, (script) => {
      const scanned = scanScript(script);
      expect(scanned).not.toBeNull();
      if (scanned === null) return;
      const parsed = parseShell(grammar, script, scanned);
      if (parsed !== null) expect(scanned.commands.map((command) => command.words)).toEqual(parsed.commands);
    }),
    { numRuns: 500 },
  );
});
