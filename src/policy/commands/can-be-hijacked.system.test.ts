import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readBounds } from "../../sandbox/bounds.ts";
import { createHijackCheck } from "./can-be-hijacked.ts";
import { wholeCommand } from "./wrapper-options.ts";

/** Not in the temporary folder, which commands may write. */
mkdirSync(join(homedir(), ".cache"), { recursive: true });
const base = realpathSync(mkdtempSync(join(homedir(), ".cache", "heddle-hijack-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: "/usr/bin:/bin", HOME: join(base, "home") };
let count = 0;

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, env, stdio: "ignore" });
}

function project(): string {
  count += 1;
  const root = join(base, `project-${count}`);
  mkdirSync(join(root, "sub"), { recursive: true });
  git(root, "init", "-q");
  writeFileSync(join(root, "a"), "a");
  git(root, "add", "a");
  git(root, "commit", "-qm", "a");
  return root;
}

interface Call {
  readonly root: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly commands?: readonly (readonly string[])[];
  /** Paths that earlier commands could write, if the next ones can write nothing. */
  readonly isSandboxWritable?: ((path: string) => boolean) | null;
}

function isHijackable(call: Call): boolean {
  const {
    root,
    cwd = root,
    commands = [["git", "status"]],
    env: variables = {},
    isSandboxWritable = null,
  } = call;
  const check = createHijackCheck({
    env: { ...env, ...variables },
    bounds: () =>
      readBounds(
        { type: isSandboxWritable === null ? "workspaceWrite" : "readOnly" },
        { argv: [], cwd: root, env: {} },
        { policyCwd: root },
      ),
    isSandboxWritable: isSandboxWritable ?? (() => false),
  });
  return check(
    commands.map((words) => wholeCommand(words)),
    cwd,
  );
}

test("git in a repository at the workspace root uses only trusted configuration", () => {
  const root = project();
  expect(isHijackable({ root })).toBe(false);
  expect(isHijackable({ root, cwd: join(root, "sub") })).toBe(false);
  expect(isHijackable({ root, commands: [["git", "--no-pager", "log", "-1", "--oneline"]] })).toBe(false);
  expect(isHijackable({ root, commands: [["make"], ["npm", "test"]] })).toBe(false);
});

test("a repository that a sandboxed command may have created can hijack git", () => {
  const root = project();
  git(join(root, "sub"), "init", "-q");
  expect(isHijackable({ root, cwd: join(root, "sub") })).toBe(true);
  expect(isHijackable({ root, cwd: "/tmp" })).toBe(true);
  expect(
    isHijackable({
      root,
      commands: [
        ["cd", "sub"],
        ["git", "status"],
      ],
    }),
  ).toBe(true);
});

test("paths of earlier commands count even if the next one can write nothing", () => {
  const root = project();
  git(join(root, "sub"), "init", "-q");
  const inSub = { root, cwd: join(root, "sub") };
  expect(isHijackable({ ...inSub, isSandboxWritable: () => false })).toBe(false);
  expect(isHijackable({ ...inSub, isSandboxWritable: (path) => path.startsWith(join(root, "sub")) })).toBe(
    true,
  );
});

test("a folder that looks like a bare repository, or a symlink, can hijack git", () => {
  const root = project();
  git(join(root, "sub"), "init", "-q", "--bare");
  expect(isHijackable({ root, cwd: join(root, "sub") })).toBe(true);
  mkdirSync(join(root, "linked"));
  symlinkSync(join(root, "sub"), join(root, "linked", ".git"));
  expect(isHijackable({ root, cwd: join(root, "linked") })).toBe(true);
});

test("a worktree uses its repository, wherever it is", () => {
  const root = project();
  const tree = join(base, "tree");
  git(root, "worktree", "add", "-q", tree);
  expect(isHijackable({ root: tree })).toBe(false);
  writeFileSync(join(tree, "sub"), "");
  git(root, "config", "core.hooksPath", ".husky");
  expect(isHijackable({ root: tree })).toBe(true);
});

test.each([
  ["hooks that lie in the workspace", ["config", "core.hooksPath", ".husky"]],
  ["a file monitor of its own", ["config", "core.fsmonitor", "./monitor"]],
  ["settings from elsewhere", ["config", "include.path", "../.gitconfig"]],
  ["a filter that lies in the workspace", ["config", "filter.x.clean", "./clean.sh %f"]],
  ["a script of the workspace for a program", ["config", "diff.x.textconv", "python3 tools/show.py"]],
  ["an alias that runs a script of the workspace", ["config", "alias.st", "!sh tools/st.sh"]],
])("a repository with %s can hijack git", (_name, change) => {
  const root = project();
  git(root, "config", "core.fsmonitor", "false");
  expect(isHijackable({ root })).toBe(false);
  git(root, ...change);
  expect(isHijackable({ root })).toBe(true);
});

test("programs outside the workspace cannot hijack git", () => {
  const root = project();
  git(root, "config", "filter.lfs.process", "git-lfs filter-process");
  git(root, "config", "credential.helper", "/usr/lib/git/helper");
  git(root, "config", "remote.origin.url", "git@example.com:a/b");
  expect(isHijackable({ root })).toBe(false);
});

test("a hook can hijack git, and a sample hook cannot", () => {
  const root = project();
  writeFileSync(join(root, ".git", "hooks", "x.sample"), "");
  expect(isHijackable({ root })).toBe(false);
  writeFileSync(join(root, ".git", "hooks", "pre-commit"), "");
  expect(isHijackable({ root })).toBe(true);
});

test("a nested repository can hijack git once it is a submodule", () => {
  const root = project();
  git(join(root, "sub"), "init", "-q");
  writeFileSync(join(root, "sub", "b"), "b");
  git(join(root, "sub"), "add", "b");
  git(join(root, "sub"), "commit", "-qm", "b");
  expect(isHijackable({ root })).toBe(false);
  git(root, "add", "sub");
  expect(isHijackable({ root })).toBe(true);
});

test.each(
  [
    "git -C sub status",
    "git --git-dir=sub/.git status",
    "git -c core.pager=./x log",
    "git log --output=x",
    "git log --outp x",
    "git rebase -x ./x",
    "git rebase --exec ./x",
    "git fetch --upload-pack=./x",
    "git clone --template=x y",
    "git grep -O./x a",
    "git config core.fsmonitor ./x",
    "git submodule foreach ./x",
    "/usr/bin/git -C sub status",
  ].map((line) => [line.split(" ")]),
)("%j lets git be hijacked by its arguments", (words) => {
  expect(isHijackable({ root: project(), commands: [words] })).toBe(true);
});

test("variables and writable user configuration can hijack git", () => {
  const root = project();
  expect(isHijackable({ root, env: { GIT_DIR: "/x" } })).toBe(true);
  expect(isHijackable({ root, env: { HOME: root } })).toBe(true);
});

test("a program in a writable PATH folder can be hijacked", () => {
  const root = project();
  const commands = [["make"]];
  expect(isHijackable({ root, commands: [["ls"]], env: { PATH: `/usr/bin:/bin:${root}` } })).toBe(false);
  expect(isHijackable({ root, commands: [["no-such-program"]], env: { PATH: `/usr/bin:${root}` } })).toBe(
    true,
  );
  expect(isHijackable({ root, commands, env: { PATH: `${root}/bin:/usr/bin` } })).toBe(true);
  expect(isHijackable({ root, commands, env: { PATH: ".:/usr/bin" } })).toBe(true);
});
