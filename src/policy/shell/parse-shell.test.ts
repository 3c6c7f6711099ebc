import { expect, test } from "vitest";
import { parseShell } from "./parse-shell.ts";
import { scanScript } from "./scan-script.ts";
import { openShellGrammar, type ShellGrammar } from "./shell-grammar.ts";

const grammar = await openShellGrammar();

function parse(script: string, by: ShellGrammar = grammar) {
  const scanned = scanScript(script, 10_000);
  return scanned === null ? null : parseShell(by, script, scanned);
}

test("a list of plain commands is parsed into words", () => {
  expect(parse("ls -la && echo 'a b' | wc -l; cat x\"y\"z")).toEqual({
    shape: "plain",
    commands: [
      ["ls", "-la"],
      ["echo", "a b"],
      ["wc", "-l"],
      ["cat", "xyz"],
    ],
    redirections: [],
  });
});

test("redirections are found in any position", () => {
  expect(parse("(a > out; b) 2>&1; 2>/dev/null c d < in")).toEqual({
    shape: "grouped",
    commands: [["a"], ["b"], ["c", "d"]],
    redirections: expect.arrayContaining([
      { operator: ">", target: "out" },
      { operator: ">&", target: "1" },
      { operator: ">", target: "/dev/null" },
      { operator: "<", target: "in" },
    ]),
  });
});

test.each([
  ["ls -la\npwd", "plain"],
  ["ls \\\n  -la", "plain"],
  ["(ls) 2>/dev/null", "grouped"],
  ["! (ls)", "grouped"],
  ["{ ls; }", "grouped"],
  ["", "plain"],
])("%j is %s", (script, shape) => {
  expect(parse(script)).toMatchObject({ shape });
});

test.each([
  "ls &",
  "ls # note",
  "find . -de\\\nlete",
  "ls \\ -la",
  "ls\r",
  "ls\u00a0-l",
  "'ls'",
  "ls |& cat",
  "ls ;; pwd",
  "find . > /dev/null -delete",
  "ls )",
  "ls |",
  "A=1 ls",
  "ls $A",
  "ls *",
  "if a; then b; fi",
  "ls <<E\nE",
])("%j leaves something open", (script) => {
  expect(parse(script)).toBeNull();
});

test("a script with too many tokens is not passed to the grammar", () => {
  expect(parse("a ".repeat(999))).toMatchObject({ shape: "plain" });
  expect(parse("a ".repeat(1001))).toBeNull();
});

test("a parse timeout does not affect the next script", async () => {
  let time = 0;
  let step = 60;
  const slow = await openShellGrammar(() => (time += step));
  expect(parse("ls; ".repeat(200), slow)).toBeNull();
  step = 0;
  expect(parse("pwd", slow)).toMatchObject({ commands: [["pwd"]] });
});
