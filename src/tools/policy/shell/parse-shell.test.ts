import { expect, test } from "vitest";
import { type ParsedCommand, parseShell } from "./parse-shell.ts";
import { openShellGrammar } from "./shell-grammar.ts";

const grammar = await openShellGrammar();
const words = (script: string) => parseShell(grammar, script).commands.map((command) => command.words);

test("a list of plain commands is read word by word", () => {
  const bare = { assignments: [], redirections: [] };
  expect(parseShell(grammar, "ls -la && echo 'a b' | wc -l; cat x\"y\"z")).toEqual({
    ok: true,
    shape: "plain",
    commands: [
      { ...bare, words: ["ls", "-la"] },
      { ...bare, words: ["echo", "a b"] },
      { ...bare, words: ["wc", "-l"] },
      { ...bare, words: ["cat", "xyz"] },
    ],
  });
});

test("words that only the shell knows are left open", () => {
  expect(words('echo $A "$B" `c` * ~ a\\b {x,y} $\'q\' $"t" =z')).toEqual([
    ["echo", null, null, null, null, null, null, null, null, null, null],
    ["c"],
  ]);
});

test("commands are found wherever they hide", () => {
  expect(words("if a; then (b); fi; for x in 1; do { c; }; done; f() { d; }; echo $(e) <(g)")).toEqual([
    ["a"],
    ["b"],
    ["c"],
    ["d"],
    ["echo", null, null],
    ["e"],
    ["g"],
  ]);
});

test("assignments and redirections belong to their command", () => {
  const expected: ParsedCommand = {
    words: ["make", "it"],
    assignments: ["A", "B"],
    redirections: [
      { operator: ">", target: "out" },
      { operator: ">&", target: "1" },
    ],
  };
  expect(parseShell(grammar, "A=1 B=$C make it > out 2>&1")).toEqual({
    ok: true,
    shape: "complex",
    commands: [expected],
  });
});

test("redirections of a group count for all commands in it", () => {
  expect(parseShell(grammar, "(a; b) > $out")).toEqual({
    ok: true,
    shape: "complex",
    commands: ["a", "b"].map((word) => ({
      words: [word],
      assignments: [],
      redirections: [{ operator: ">", target: null }],
    })),
  });
});

test("arguments that follow a redirection are not lost", () => {
  expect(words("rm 2>/dev/null -rf a")).toEqual([["rm", "-rf", "a"]]);
  expect(words("rm <<E -rf a\ntext\nE\n")).toEqual([["rm", "-rf", "a"]]);
});

test.each([
  ["ls -la\npwd", "plain"],
  ["ls \\\n  -la", "plain"],
  ["(ls) 2>/dev/null", "grouped"],
  ["! (ls)", "grouped"],
  ["{ ls; }", "grouped"],
  ["ls &", "complex"],
  ["ls # note", "complex"],
  ["find . -de\\\nlete", "complex"],
  ["ls \\ -la", "complex"],
  ["ls\r", "complex"],
  ["ls\u00a0-l", "complex"],
  ["'ls'", "complex"],
  ["ls |& cat", "complex"],
  ["ls ;; pwd", "complex"],
  ["find . > /dev/null -delete", "complex"],
  ["", "plain"],
])("%j is %s", (script, shape) => {
  expect(parseShell(grammar, script)).toMatchObject({ ok: true, shape });
});

test("a script with an error is no script, but its commands are still seen", () => {
  expect(parseShell(grammar, "rm -rf a\nls )")).toMatchObject({ ok: false });
  expect(words("rm -rf a\nls )")[0]).toEqual(["rm", "-rf", "a"]);
});

test("a script beyond the limit is not read", () => {
  expect(parseShell(grammar, "a ".repeat(40_000))).toEqual({ ok: false, commands: [] });
});

test("nesting does not exhaust the stack", () => {
  const script = `${"( ".repeat(8000)}ls${" )".repeat(8000)}`;
  expect(parseShell(grammar, script).commands).toEqual([
    { words: ["ls"], assignments: [], redirections: [] },
  ]);
});

test("a script that takes too long is not read, and the next one is", async () => {
  let time = 0;
  let step = 1500;
  const slow = await openShellGrammar(undefined, () => (time += step));
  expect(parseShell(slow, "ls; ".repeat(200))).toEqual({ ok: false, commands: [] });
  step = 0;
  expect(parseShell(slow, "pwd")).toMatchObject({ ok: true, commands: [{ words: ["pwd"] }] });
});
