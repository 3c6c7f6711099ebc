import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGitInfo } from "./git-info.ts";

let folder: string;
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-git-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a folder outside of any repository has none", () => {
  expect(readGitInfo(folder)).toBeNull();
});

test("a repository is known by its commit, branch and origin, also from a folder in it, packed or in a worktree", () => {
  git(folder, "init", "-q", "-b", "main", ".");
  git(folder, "remote", "add", "origin", "https://example.com/loom.git");
  mkdirSync(join(folder, "sub"));
  expect(readGitInfo(join(folder, "sub"))).toEqual({
    sha: null,
    branch: "main",
    originUrl: "https://example.com/loom.git",
  });
  git(folder, "commit", "-q", "--allow-empty", "-m", "one");
  const sha = git(folder, "rev-parse", "HEAD");
  const known = { sha, branch: "main", originUrl: "https://example.com/loom.git" };
  expect(readGitInfo(folder)).toEqual(known);
  git(folder, "pack-refs", "--all");
  expect(readGitInfo(folder)).toEqual(known);
  git(folder, "worktree", "add", "-q", "-b", "other", join(folder, "tree"));
  expect(readGitInfo(join(folder, "tree"))).toEqual({ ...known, branch: "other" });
  git(folder, "checkout", "-q", "--detach");
  expect(readGitInfo(folder)).toEqual({ ...known, branch: null });
});
