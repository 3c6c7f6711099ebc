import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { walkFiles } from "./walk-files.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-walk-")));
  const created = root;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function walk(from = root, userIgnoreFile: string | null = null): string[] {
  return [...walkFiles(from, { userIgnoreFile })]
    .flat()
    .map(({ path, isFolder }) => `${relative(from, path)}${isFolder ? "/" : ""}`)
    .sort();
}

test("files and folders are found, hidden ones too", () => {
  write({ "a/b/c.txt": "", ".hidden/x": "", "top.txt": "" });
  expect(walk()).toEqual([".hidden/", ".hidden/x", "a/", "a/b/", "a/b/c.txt", "top.txt"]);
});

test("shallow files come first", () => {
  write({ "a/b/c.txt": "", "z.txt": "" });
  const order = [...walkFiles(root, { userIgnoreFile: null })].map((found) => found.length);
  expect(order).toEqual([2, 1, 1]);
});

test("outside a repository .gitignore is not used, and .ignore is", () => {
  write({ ".gitignore": "x\n", ".ignore": "y\n", x: "", y: "" });
  expect(walk()).toEqual([".gitignore", ".ignore", "x"]);
});

test("in a repository the rules of all folders apply, nearest first", () => {
  write({
    ".git/info/exclude": "excluded\n",
    ".gitignore": "node_modules/\n*.log\n/only-root\n",
    "a/.gitignore": "b/\n!kept.log\n",
    "a/b/deep": "",
    "a/kept.log": "",
    "a/gone.log": "",
    "a/only-root": "",
    "only-root": "",
    excluded: "",
    "node_modules/x/y": "",
  });
  expect(walk()).toEqual([
    ".git/",
    ".git/info/",
    ".git/info/exclude",
    ".gitignore",
    "a/",
    "a/.gitignore",
    "a/kept.log",
    "a/only-root",
  ]);
  expect(walk(join(root, "a"))).toEqual([".gitignore", "kept.log", "only-root"]);
});

test("a nested repository has its own rules only", () => {
  write({ ".git/HEAD": "", ".gitignore": "x\n", "inner/.git/HEAD": "", "inner/x": "" });
  expect(walk(join(root, "inner"))).toEqual([".git/", ".git/HEAD", "x"]);
});

test("the user's global ignore file applies in repositories", () => {
  write({ "repo/.git": "gitdir: elsewhere\n", "repo/x": "", "repo/y": "", mine: "x\n" });
  expect(walk(join(root, "repo"), join(root, "mine"))).toEqual([".git", "y"]);
});

test("symlinks are followed, but not in cycles", () => {
  write({ "a/file": "" });
  symlinkSync("a", join(root, "link"));
  symlinkSync("..", join(root, "a/up"));
  symlinkSync("nowhere", join(root, "broken"));
  expect(walk()).toEqual(["a/", "a/file", "link/", "link/file"]);
});

test("a missing root is empty", () => {
  expect(walk(join(root, "gone"))).toEqual([]);
});

test("an ignore file that is not regular or too long has no rules and does not block", () => {
  write({ "x.txt": "", "long/x.txt": "", "long/.ignore": `${"# nothing\n".repeat(200_000)}x.txt\n` });
  execFileSync("mkfifo", [join(root, ".ignore"), join(root, "long", ".gitignore")]);
  expect(walk().filter((path) => path.endsWith("x.txt"))).toEqual(["long/x.txt", "x.txt"]);
});
