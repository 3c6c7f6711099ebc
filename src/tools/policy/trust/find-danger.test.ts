import { expect, test } from "vitest";
import { openShellGrammar } from "../shell/shell-grammar.ts";
import { findDanger } from "./find-danger.ts";

const grammar = await openShellGrammar();
const inScript = (script: string) => findDanger(grammar, ["bash", "-lc", script]);

test.each([
  [["rm", "-rf", "/"]],
  [["rm", "-f", "a"]],
  [["/bin/rm", "-fr", "a"]],
  [["rm", "-r", "-f", "a"]],
  [["rm", "--force", "a"]],
  [["rm", "--fo", "a"]],
  [["rm", "a", "-f"]],
  [["sudo", "rm", "-rf", "a"]],
  [["sudo", "-u", "me", "rm", "-rf", "a"]],
  [["env", "A=b", "rm", "-rf", "a"]],
  [["env", "-i", "-u", "A", "rm", "-rf", "a"]],
  [["nohup", "rm", "-rf", "a"]],
  [["timeout", "-k", "5", "10", "rm", "-rf", "a"]],
  [["xargs", "-n", "1", "rm", "-rf"]],
  [["find", ".", "-name", "a", "-exec", "rm", "-rf", "{}", ";"]],
  [["find", ".", "-execdir", "rm", "-f", "{}", "+"]],
  [["su", "me", "-c", "rm -rf a"]],
])("%j forces removal", (argv) => {
  expect(findDanger(grammar, argv)).toBe("forcedRemoval");
});

test.each([
  "printf x | rm -rf a",
  "if test -d a; then rm --force a; fi",
  'rm -rf "$TARGET" >/dev/null',
  'for t in a b; do rm -r -f "$t"; done',
  'echo "$(rm -rf a)"',
  "bash -c 'rm -rf a'",
  "trap 'rm -rf a' EXIT",
  "eval rm -rf a",
  "time rm -rf a",
  "ls | xargs rm -f",
  "2>/dev/null rm -rf a",
  "rm 2>/dev/null -rf a",
  "'rm' -rf a",
  "rm -rf a\nls )",
  "cat <<E\n$(rm -rf a)\nE",
  "f() { rm -rf a; }; f",
  "A=b rm -rf a &",
  "sudo env A=b nice -n 5 sh -c 'ls; rm -rf a'",
])("%j forces removal", (script) => {
  expect(inScript(script)).toBe("forcedRemoval");
});

test.each([
  "rm -r a",
  "rm -- -f",
  "echo 'rm -rf a'",
  "cmd=rm; $cmd -rf a",
  "trap 'echo rm -rf a' EXIT",
  "trap - EXIT",
  "ls",
])("%j does not", (script) => {
  expect(inScript(script)).toBeNull();
});

test("what hides in too many wrappers counts as dangerous", () => {
  const wrapped = (depth: number) => [...Array<string>(depth).fill("env"), "rm", "-rf", "a"];
  expect(findDanger(grammar, wrapped(8))).toBe("forcedRemoval");
  expect(findDanger(grammar, wrapped(9))).toBe("unknown");
});
