import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { findMergeBase } from "./git.ts";

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where there is no sandbox, git itself has to keep its hands off. */
function mergeBase(cwd: string, branch: string): Promise<string> {
  const none: Sandbox = {
    ability: { kind: "none", reason: "none here" },
    wrap: () => ({ ok: false, reason: "none here" }),
  };
  const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
  return findMergeBase(branch, { cwd, env, sandbox: () => Promise.resolve(none), isWritten: () => false });
}

/** A repository with one commit on `main`, and the way to say more to git in it. */
function makeRepository() {
  const folder = makeFolder();
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b",
  };
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: "pipe" }).trim();
  const commit = (text: string) => {
    writeFileSync(join(folder, "file"), text);
    git("add", "file");
    git("commit", "-m", text);
    return git("rev-parse", "HEAD");
  };
  git("init", "-b", "main");
  return { folder, git, commit, root: commit("root") };
}

describe("the commit in common with a branch", () => {
  test("is where the work left it", async () => {
    const { folder, git, commit, root } = makeRepository();
    git("checkout", "-b", "work");
    commit("work");
    expect(await mergeBase(folder, "main")).toBe(root);
  });

  test("is that with the branch on its remote where it follows one", async () => {
    const { folder, git, commit } = makeRepository();
    const ahead = commit("ahead");
    git("update-ref", "refs/remotes/origin/main", ahead);
    git("checkout", "-b", "work");
    git("branch", "-f", "main", "HEAD~1");
    git("config", "remote.origin.url", "nowhere");
    git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    git("branch", "--set-upstream-to=origin/main", "main");
    commit("work");
    expect(await mergeBase(folder, "main")).toBe(ahead);
  });

  test("does not exist for a branch that does not, or that has another root", async () => {
    const { folder, git, commit } = makeRepository();
    git("checkout", "--orphan", "island");
    commit("island");
    for (const branch of ["main", "nowhere", "--all"]) {
      await expect(mergeBase(folder, branch)).rejects.toThrow(
        `there is no common commit with the branch '${branch}'`,
      );
    }
  });

  test("runs no program that the repository names, also not to fetch what is missing", async () => {
    const { folder, git, commit, root } = makeRepository();
    commit("on main");
    git("checkout", "-b", "work", root);
    commit("work");
    const run = join(folder, "run");
    git("config", "core.repositoryFormatVersion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.promisor", "true");
    git("config", "protocol.ext.allow", "always");
    git("config", "remote.origin.url", `ext::sh -c touch% ${run}`);
    git("config", "core.fsmonitor", `touch ${run}; false`);
    rmSync(join(folder, ".git/objects", root.slice(0, 2), root.slice(2)));
    await expect(mergeBase(folder, "main")).rejects.toThrow("there is no common commit");
    expect(existsSync(run)).toBe(false);
  });

  test("needs a repository", async () => {
    const folder = makeFolder();
    await expect(mergeBase(folder, "main")).rejects.toThrow(`"${folder}" is not a git repository`);
  });
});
