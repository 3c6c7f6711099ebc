import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createSubmoduleLookup } from "./git-index.ts";
import { namedFiles } from "./named-files.ts";

const MACHINE = { isSandboxWritable: () => false, hasSubmodules: createSubmoduleLookup() };
const tops: string[] = [];
afterAll(() => {
  for (const top of tops) rmSync(top, { recursive: true, force: true });
});

describe("programs that git would run elsewhere are undetermined", () => {
  let top: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: top,
      stdio: "pipe",
    });
  const unpinnable = (command: string) => {
    const handler = { type: "command", command, isSandboxed: false } as const;
    const hook = { handler, source: "user", sourcePath: "/hooks.json" } as const;
    return namedFiles(hook, { cwd: top, env: {} }, MACHINE).unpinnable;
  };
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "heddle-repository-")));
    tops.push(top);
    git("init", "-q");
    writeFileSync(join(top, "a.txt"), "a");
    mkdirSync(join(top, "sub"));
    git("-C", "sub", "init", "-q");
    writeFileSync(join(top, "sub/b.txt"), "b");
    git("-C", "sub", "add", "b.txt");
    git("-C", "sub", "commit", "-qm", "b");
    git("add", "a.txt");
  });

  test.each(["2", "3", "4"])("submodules that are in an index of version %s", (version) => {
    git("update-index", "--index-version", version);
    expect(unpinnable("git status")).toBeNull();
    git("add", "sub");
    git("update-index", "--index-version", version);
    expect(unpinnable("git status")).toContain("submodules");
  });

  test("submodules by their list, and an index that cannot be read", () => {
    writeFileSync(join(top, ".gitmodules"), "");
    expect(unpinnable("git status")).toContain("submodules");
    rmSync(join(top, ".gitmodules"));
    writeFileSync(join(top, ".git/index"), "DIRC");
    expect(unpinnable("git status")).toContain("cannot be read");
  });

  test("settings that sandboxed commands can write", () => {
    writeFileSync(join(top, ".git/config"), "[include]\n\tpath = ../shared.gitconfig\n");
    expect(unpinnable("git status")).toBeNull();
    const handler = { type: "command", command: "git status", isSandboxed: false } as const;
    const hook = { handler, source: "user", sourcePath: "/hooks.json" } as const;
    const machine = {
      ...MACHINE,
      isSandboxWritable: (path: string) => path === join(top, "shared.gitconfig"),
    };
    expect(namedFiles(hook, { cwd: top, env: {} }, machine).unpinnable).toContain("shared.gitconfig");
  });

  test("entries that a shared index holds", () => {
    git("add", "sub");
    git("update-index", "--split-index");
    expect(unpinnable("git status")).not.toBeNull();
  });

  test("hooks of the repository, where the command runs them", () => {
    expect(unpinnable("git commit -am wip")).toBeNull();
    writeFileSync(join(top, ".git/hooks/pre-commit"), "#!/bin/sh\n");
    expect(unpinnable("git commit -am wip")).toContain("pre-commit");
    expect(unpinnable("git status")).toBeNull();
  });
});
