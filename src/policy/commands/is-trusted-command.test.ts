import { describe, expect, test } from "vitest";
import commands from "../fixtures/shell-commands.json" with { type: "json" };
import { openShellGrammar } from "../shell/shell-grammar.ts";
import { createCommandReader } from "./command-reader.ts";
import { isTrustedCommand } from "./is-trusted-command.ts";

/** Typical scripts of models, and attempts to bypass the check. */
const { readers, others } = commands;
const grammar = await openShellGrammar();
const trusted = (script: string) =>
  isTrustedCommand(createCommandReader(grammar), ["/bin/bash", "-lc", script], "linux");

test("the table has at least three hundred different scripts", () => {
  expect(new Set([...readers, ...others]).size).toBe(readers.length + others.length);
  expect(readers.length + others.length).toBeGreaterThan(300);
});

test.each(readers)("%j only reads", (script) => {
  expect(trusted(script)).toBe(true);
});

test.each(others)("%j is asked about", (script) => {
  expect(trusted(script)).toBe(false);
});

describe("a command without a shell", () => {
  test.each([
    [["ls", "-la"], true],
    [["cat", "$(rm a)", "*"], true],
    [["find", ".", "-exec", "rm"], false],
    [["/tmp/ls"], false],
    [["ls -la"], false],
    [[], false],
    [["__proto__"], false],
    [["constructor"], false],
  ])("%j: %s", (argv, expected) => {
    expect(isTrustedCommand(createCommandReader(grammar), argv, "linux")).toBe(expected);
  });
});

describe("a shell call", () => {
  test.each([
    [["bash", "-c", "ls"], true],
    [["zsh", "-lc", "ls"], true],
    [["/usr/bin/sh", "-c", "ls"], true],
    [["/tmp/bash", "-c", "ls"], false],
    [["bash", "-lc", "ls", "pwd"], false],
    [["bash", "-xc", "ls"], false],
    [["fish", "-c", "ls"], false],
    [["bash", "-c", "x".repeat(70_000)], false],
    [["bash", "-c", `${"(".repeat(20_000)}ls${")".repeat(20_000)}`], false],
  ])("%j is trusted: %s", (argv, expected) => {
    expect(isTrustedCommand(createCommandReader(grammar), argv, "linux")).toBe(expected);
  });
});

test("programs that differ between systems are trusted on Linux only", () => {
  expect(isTrustedCommand(createCommandReader(grammar), ["tac", "a"], "darwin")).toBe(false);
});
