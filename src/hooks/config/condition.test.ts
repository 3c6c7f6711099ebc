import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../base/processor-time.fixture.ts";
import { parseCondition } from "./condition.ts";

function judge(rule: string, subjects: readonly string[], input: unknown): boolean {
  const parsed = parseCondition(rule);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.condition(subjects, input);
}

describe("a condition", () => {
  test.each<[rule: string, command: string, isMeant: boolean]>([
    ["Bash", "ls", true],
    ["Bash(*)", "ls", true],
    ["Bash(git *)", "git status", true],
    ["Bash(git *)", "git", true],
    ["Bash(git *)", "gitk", false],
    ["Bash(git*)", "gitk", true],
    ["Bash(git push:*)", "git push --force", true],
    ["Bash(git push:*)", "git  push", true],
    ["Bash(git push:*)", "git pull", false],
    ["Bash(git push)", "git push", true],
    ["Bash(git push)", "git push origin", false],
    ["Bash(git * main)", "git push origin main", true],
    ["Bash(git * main)", "git push origin other", false],
    ["Bash(a*a)", "a", false],
    ["Bash(git *)", "ls && git push", true],
    ["Bash(git *)", "ls | git apply", true],
    ["Bash(git *)", "ls; (git push)", true],
    ["Bash(git *)", "echo $(git push)", true],
    ["Bash(git *)", "ls\ngit push", true],
    ["Bash(git *)", "GIT_DIR=x git push", true],
    ["Bash(git *)", "if git push; then ls; fi", true],
    ["Bash(git *)", "! git push", true],
    ["Bash(git *)", "echo git", false],
    // Text that only a shell can interpret counts as a match.
    ["Bash(git *)", 'g"i"t push', true],
    ["Bash(git *)", "$GIT push", true],
    ["Bash(git *)", "\\git push", true],
    ["Bash(git *)", "sudo git push", true],
    ["Bash(git *)", "bash -c 'git push'", true],
    ["Bash(git *)", "/usr/bin/git push", true],
    ["Bash(./git *)", "./git push", true],
    ["Bash(git *)", "/bin/bash -c 'git push'", true],
    ["Bash(git *)", "{git,push}", true],
    ["Bash(git *)", "/usr/bin/gi? push", true],
    ["Bash(git *)", "/usr/bin/g[i]t push", true],
    ["Bash(git *)", "</dev/null git push", true],
    ["Bash(git *)", "2>&1 git push", true],
    ["Bash(git *)", "setsid git push", true],
    ["Bash(git *)", "coproc git push", true],
    ["Bash(git *)", "function f { git push; }; f", true],
    ["Bash(git *)", "f() { ls; }; f", false],
    ["Bash(git *)", "[ -f x ] && ls src/* > out 2>&1", false],
    ["Bash(git *)", "/usr/bin/ls /usr/bin/git", false],
    // Any spelling of the fixed part of the pattern matches; a different plain word does not.
    ["Bash(git push:*)", "git 'push'", true],
    ["Bash(git push:*)", 'git "push" x', true],
    ["Bash(git push:*)", "git pu''sh", true],
    ["Bash(git push:*)", "git pus\\h", true],
    ["Bash(git push:*)", "git $(echo push)", true],
    ["Bash(git push:*)", "git `echo push`", true],
    ["Bash(git push:*)", "`echo git` push", true],
    ["Bash(git push:*)", "git $X", true],
    ["Bash(git push:*)", "git {push,}", true],
    ["Bash(git push:*)", "git pus?", true],
    ["Bash(git push:*)", "git @(push)", true],
    ["Bash(git push:*)", "git >out push", true],
    ["Bash(git push:*)", "git 2>&1 push", true],
    ["Bash(git push:*)", ">out git push", true],
    ["Bash(git push:*)", "git \\\npush", true],
    ["Bash(git push:*)", "git $'push'", true],
    ["Bash(git push:*)", "GIT push", true],
    ["Bash(git push:*)", "ls && git 'push'", true],
    ["Bash(git push:*)", "git 'pull", true],
    ["Bash(git push:*)", "git pull 'push'", false],
    ["Bash(git push:*)", "ls 'push'", false],
    ["Bash(git push)", "git push >out", true],
    ["Bash(git push)", "git push origin", false],
    ["Bash(git * main)", "git push ma''in", true],
    ["Bash(git pu*)", "git p''ush", true],
    ["Bash(git pu*)", "git pull", true],
    ["Bash(git pu*)", "git log", false],
  ])("%s about %j: %s", (rule, command, isMeant) => {
    expect(judge(rule, ["Bash"], { command })).toBe(isMeant);
  });

  test.each<[rule: string, subjects: readonly string[], isMeant: boolean]>([
    ["Edit", ["Write", "Edit", "MultiEdit"], true],
    ["Edit", ["Bash"], false],
    ["Bash(git *)", ["Edit"], false],
    ["mcp__s__t", ["mcp__s__t"], true],
    ["mcp__s", ["mcp__s__t"], false],
  ])("%s about the tool %j: %s", (rule, subjects, isMeant) => {
    expect(judge(rule, subjects, { command: "git push" })).toBe(isMeant);
  });

  test.each(["", "Edit(src/**)", "Read(~/.ssh/*)", "Bash()", "Bash(a\\*b)", "Bash(git *", "(x)", "a b"])(
    "%j is not understood",
    (rule) => {
      expect(parseCondition(rule)).toMatchObject({ ok: false, reason: expect.stringContaining("expected") });
    },
  );

  test("matches a command that is too long to be parsed", () => {
    expect(judge("Bash(git *)", ["Bash"], { command: ";".repeat(20 << 20) })).toBe(true);
    expect(judge("Bash(git *)", ["Edit"], { command: ";".repeat(20 << 20) })).toBe(false);
  });

  test("is judged in time that grows no faster than the command", () => {
    const rule = `Bash(${"a*".repeat(200)}b)`;
    expect(judge(rule, ["Bash"], { command: "a".repeat(1000) })).toBe(false);
    const command = `${"A=1 ".repeat(20_000)}${"a ;".repeat(100_000)}`;
    expect(processorTime(() => judge(rule, ["Bash"], { command }))).toBeLessThan(2000);
  });

  test("never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (specifier, command) => {
        const parsed = parseCondition(`Bash(${specifier})`);
        if (parsed.ok) expect(parsed.condition(["Bash"], { command })).toBeTypeOf("boolean");
      }),
    );
  });
});
