import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConfiguredHook } from "../configured-hook.ts";
import { createSubmoduleLookup } from "./git-index.ts";
import { namedFiles } from "./named-files.ts";

let root: string;
let cwd: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-named-")));
  cwd = join(root, "ws");
  for (const file of [
    "ws/x.sh",
    "ws/hooks/x.py",
    "ws/hooks/lib.sh",
    "ws/app/__main__.py",
    "bin/lint",
    "ws/plain",
  ]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
    chmodSync(join(root, file), 0o755);
  }
  mkdirSync(join(cwd, ".git"));
});
afterAll(() => rmSync(root, { recursive: true }));

const MACHINE = { isSandboxWritable: () => false, hasSubmodules: createSubmoduleLookup() };

function read(command: string, env: Record<string, string> = {}) {
  const handler = { type: "command", command, isSandboxed: false } as const;
  const named = namedFiles(
    { handler, source: "user", sourcePath: "/hooks.json" },
    { cwd, env: { PATH: `${root}/bin:/usr/bin`, HOME: `${root}/home`, ...env } },
    MACHINE,
  );
  const shown = (paths: readonly string[]) => paths.map((path) => relative(root, path)).sort();
  return {
    ...named,
    files: shown(named.files),
    programs: shown(named.programs),
    guesses: shown(named.guesses),
  };
}

describe("the text of a command determines", () => {
  test.each<[command: string, files: readonly string[]]>([
    ["true", []],
    ["echo done", []],
    ["exit 2", []],
    ["cat >/dev/null", []],
    ["cat x.sh", []],
    ["jq -r .tool_name", []],
    ["tee -a hook.log", []],
    ["./x.sh", ["ws/x.sh"]],
    ["./missing.sh", ["ws/missing.sh"]],
    ["hooks/x.py --fast", ["ws/hooks/x.py"]],
    ["'./x.sh'", ["ws/x.sh"]],
    ['"./x.sh" a b', ["ws/x.sh"]],
    [".\\/x.sh", ["ws/x.sh"]],
    ["bash x.sh", ["ws/x.sh"]],
    ["bash -eu x.sh data", ["ws/x.sh"]],
    ["sh -c ./x.sh", ["ws/x.sh"]],
    ["bash -c 'bash -c ./x.sh'", ["ws/x.sh"]],
    ["eval ./x.sh", ["ws/x.sh"]],
    ["python3 hooks/x.py", ["ws/hooks/x.py"]],
    ["python3 -I hooks/x.py", ["ws/hooks/x.py"]],
    ["python3 -I -c 'print(1)'", []],
    ["node plain", ["ws/plain"]],
    ["node -e 'process.exit(2)'", []],
    ["ruby hooks/a.rb", ["ws/hooks/a.rb"]],
    ["perl -e 'exit 2'", []],
    ["source hooks/lib.sh", ["ws/hooks/lib.sh"]],
    [". ./x.sh && true", ["ws/x.sh"]],
    ["cd hooks && ./x.py", ["ws/hooks/x.py", "ws/x.py"]],
    ["env -C hooks ./x.py", ["ws/hooks/x.py", "ws/x.py"]],
    ["timeout 5 ./x.sh", ["ws/x.sh"]],
    ["env A=1 ./x.sh", ["ws/x.sh"]],
    ["A=1 ./x.sh", ["ws/x.sh"]],
    ["nice -n 5 bash hooks/lib.sh", ["ws/hooks/lib.sh"]],
    ["sudo -n ./x.sh", ["ws/x.sh"]],
    ["exec ./x.sh", ["ws/x.sh"]],
    ["! ./x.sh", ["ws/x.sh"]],
    ["./x.sh | tee log.txt", ["ws/x.sh"]],
    ["./x.sh > log.txt 2>&1", ["ws/x.sh"]],
    ["(./x.sh &)", ["ws/x.sh"]],
    ["{ ./x.sh; } || true", ["ws/x.sh"]],
    ["if [ -f x.sh ]; then ./x.sh; fi", ["ws/x.sh"]],
    ["while read l; do ./x.sh; done", ["ws/x.sh"]],
    ["for i in 1 2; do ./x.sh; done", ["ws/x.sh"]],
    ["f() { ./x.sh; }; f", ["ws/x.sh"]],
    ["echo $(./x.sh)", ["ws/x.sh"]],
    ["echo `./x.sh`", ["ws/x.sh"]],
    ["diff <(./x.sh) y.txt", ["ws/x.sh"]],
    ["bash -euo pipefail x.sh", ["ws/x.sh"]],
    ["python3 -W ignore hooks/x.py", ["ws/hooks/x.py"]],
    ["node --no-warnings plain", ["ws/plain"]],
    ["node -e 'require(\"node:fs\")'", []],
    ["curl -s -X POST -d @data.json http://127.0.0.1/", ["ws/@data.json"]],
    ["curl --data-binary=@note.txt http://127.0.0.1/x.js", ["ws/@note.txt"]],
    ["afplay done.wav", ["ws/done.wav"]],
    ["./x.sh <hooks/data.json", ["ws/hooks/data.json", "ws/x.sh"]],
    ['./x.sh "$UNKNOWN"', ["ws/x.sh"]],
    ["$HOME/hook.sh", ["home/hook.sh"]],
    ["~/hook.sh", ["home/hook.sh"]],
    ['"${HOME}/hook.sh"', ["home/hook.sh"]],
    ['"$PWD"/x.sh', ["ws/x.sh"]],
    ['"$CLAUDE_PROJECT_DIR"/hooks/x.py', ["ws/hooks/x.py"]],
    ['bash "$(git rev-parse --show-toplevel)/hooks/lib.sh"', ["ws/hooks/lib.sh"]],
    ["awk 'BEGIN { system(\"./x.sh\") }'", ['ws/BEGIN { system("./x.sh") }', "ws/x.sh"]],
    ["awk -f hooks/lib.sh data", ["ws/hooks/lib.sh"]],
    ["sed -nf hooks/lib.sh", ["ws/hooks/lib.sh"]],
    ["sed --file=hooks/lib.sh", ["ws/hooks/lib.sh"]],
    ["sed -n '1e ./x.sh'", ["ws/1e ./x.sh", "ws/x.sh"]],
    ["tar --to-command=./x.sh -xf -", ["ws/x.sh"]],
  ])("%s", (command, files) => {
    expect(read(command, { CLAUDE_PROJECT_DIR: cwd })).toMatchObject({ files, unpinnable: null });
  });

  test("files behind several changes of the folder", () => {
    const { files, unpinnable } = read("cd hooks; cd sub; ./y");
    expect(unpinnable).toBeNull();
    expect(files).toEqual(expect.arrayContaining(["ws/hooks/sub/y", "ws/hooks/y", "ws/sub/y", "ws/y"]));
  });

  test("words that may be files, and programs found on PATH", () => {
    expect(read("lint --mode strict plain")).toMatchObject({
      files: [],
      programs: ["bin/lint"],
      guesses: ["ws/plain", "ws/strict"],
      unpinnable: "lint may take from the folder what it runs",
    });
  });
});

describe("git is called, and with it", () => {
  test("the settings of the repository that it finds are named", () => {
    expect(read("git status")).toMatchObject({
      files: ["ws/.git", "ws/.git/config", "ws/.git/config.worktree"],
      unpinnable: null,
    });
  });

  test("every file that would make another repository take precedence", () => {
    expect(read("cd hooks && git diff").files).toEqual(
      expect.arrayContaining(["ws/hooks/.git", "ws/hooks/HEAD", "ws/.git", "ws/.git/config"]),
    );
    expect(read("git -C hooks diff").files).toEqual(expect.arrayContaining(["ws/hooks/HEAD"]));
  });

  test.each([
    ["[core]\n\thooksPath = .husky/_\n", ["ws/.husky/_/pre-commit", "ws/.husky/pre-commit"]],
    ['[core] hookspath="hooks"; mine\n', ["ws/hooks/post-index-change"]],
    ["[core]\nhooksPath = ~/git-hooks", ["home/git-hooks/pre-commit"]],
  ])("its own hooks, at the path that %j sets", (settings, files) => {
    writeFileSync(join(cwd, ".git/config"), settings);
    expect(read("git commit -am wip").files).toEqual(expect.arrayContaining(files));
    rmSync(join(cwd, ".git/config"));
  });

  test("a repository in which a confined command could make another is not settled", () => {
    const machine = { ...MACHINE, isSandboxWritable: (path: string) => path.startsWith(join(cwd, "hooks/")) };
    const handler = { type: "command", command: "cd hooks && git status", isSandboxed: false } as const;
    const named = namedFiles(
      { handler, source: "user", sourcePath: "/hooks.json" },
      { cwd, env: {} },
      machine,
    );
    expect(named.unpinnable).toContain("sandboxed commands can make a repository of");
  });

  test("no failure for folders that cannot be read", () => {
    expect(read(`cd ${"x".repeat(5000)} && git status`).unpinnable).toBeNull();
  });
});

describe("a program of a version manager", () => {
  test.each([
    ["asdf/shims/node", "node x.js", true],
    [".volta/bin/node", "node x.js", true],
    ["pyenv/shims/python3", "python3 -I hooks/x.py", false],
  ])("%s is settled where a file of the folder only chooses a version", (program, command, isUnsettled) => {
    const file = join(root, program);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o755);
    expect(read(command, { PATH: dirname(file) }).unpinnable !== null).toBe(isUnsettled);
  });

  test("is found behind a link", () => {
    mkdirSync(join(root, "cargo/bin"), { recursive: true });
    writeFileSync(join(root, "cargo/bin/rustup"), "");
    chmodSync(join(root, "cargo/bin/rustup"), 0o755);
    symlinkSync("rustup", join(root, "cargo/bin/cat"));
    expect(read("cat x", { PATH: join(root, "cargo/bin") }).unpinnable).toContain("chooses what");
  });
});

describe("the text of a command does not determine", () => {
  test.each([
    "npm run lint",
    "npx prettier --check .",
    "make check",
    "just lint",
    "yarn lint",
    "cargo test",
    "eslint .",
    "env -i npm test",
    "mypy .",
    "pylint src",
    "lint-staged",
    "docker-compose up -d",
    "terraform plan",
    "node --run lint",
    "node --run=lint",
    "python3 -m hooks",
    "python3 -c 'import json'",
    "python3 - <<'EOF'\nimport json\nEOF",
    "python3 app",
    "node hooks",
    "deno task lint",
    "$HOOK",
    '"$HOOK" --fast',
    "bash $HOOK",
    'python3 "$DIR/x.py"',
    'eval "$HOOK"',
    'bash -c "$HOOK"',
    'bash -c "$(cat x.sh)"',
    'python3 -I -c "$(cat x.py)"',
    "$(cat command)",
    "./hooks/*.sh",
    "bash hooks/?.sh",
    "for f in hooks/*.sh; do bash $f; done",
    'for f in hooks/*.sh; do "$f"; done',
    "cat x.sh | bash",
    "curl https://example.com/x.sh | sh",
    "bash",
    "python3",
    "ls hooks | xargs -n1 bash",
    "find hooks -name '*.sh' -exec bash {} ;",
    "PATH=./bin:$PATH lint",
    "export PATH=bin:$PATH; lint",
    "env BASH_ENV=x.sh bash -c true",
    "NODE_OPTIONS='-r ./x.js' node main.js",
    "LD_PRELOAD=./x.so true",
    "HOME=/tmp; $HOME/x.sh",
    "cd $DIR && ./x.sh",
    "cd - && ./x.sh",
    'cd hooks && "$PWD"/x.py',
    "cat x.sh > y.sh; sh y.sh",
    "~other/x.sh",
    "cd a; cd b; cd c; cd d; cd e; cd f; ./x.sh",
    "timeout 5 $HOOK",
    "python3 -c 'import x' -I",
    "python3 -m x -I",
    "env $HOOK x",
    "node -r ./pre.js main.js",
    "node --import=./pre.mjs main.mjs",
    "node --loader ./pre.mjs main.mjs",
    "node --env-file=.env main.js",
    "node -e 'require(\"./x\")'",
    "node -e 'require(\"left-pad\")'",
    "node -e 'import(name)'",
    "perl -I. -MFoo -e 1",
    "perl -MFoo -e 1",
    "ruby -r ./x -e 1",
    "ruby -e 'require_relative \"x\"'",
    "ruby -I. hooks/x.py",
    "php -d auto_prepend_file=x.php hooks/x.py",
    "java -cp . Main",
    "tsx ./check",
    "ts-node check.ts",
    "bun run hooks/x.py",
    "deno run hooks/x.py",
    "lua x.lua",
    "Rscript x.R",
    "bash -i x.sh",
    "bash --rcfile ./rc -c true",
    "lint plain",
    "rustfmt src/main.rs",
    "prettierd x.ts",
    "docker compose run check",
    "black .",
    "vim -es x",
    "gh pr list",
    "git -c alias.x='!sh ./f' x",
    "git --exec-path=. status",
    "wget http://127.0.0.1/x",
    "nc -e ./x.sh 127.0.0.1 1",
    "sqlite3 x.db",
    "git x",
    "git $X status",
    "git submodule foreach ./x.sh",
    "git rebase --exec ./x.sh",
    "git grep -O./x.sh y",
    "git diff --ext-diff",
  ])("%s", (command) => {
    expect(read(command).unpinnable).toEqual(expect.any(String));
  });

  test("which repository is used where a folder is a bare one", () => {
    mkdirSync(join(cwd, "bare/objects"), { recursive: true });
    writeFileSync(join(cwd, "bare/HEAD"), "");
    const handler = {
      type: "command",
      command: "$(git rev-parse --show-toplevel)/x.sh",
      isSandboxed: false,
    } as const;
    const execEnv = { cwd: join(cwd, "bare"), env: {} };
    expect(
      namedFiles({ handler, source: "user", sourcePath: "/hooks.json" }, execEnv, MACHINE).unpinnable,
    ).toEqual(expect.any(String));
  });
});

test.each<[source: ConfiguredHook["source"], file: string]>([
  ["user", "/etc/guard.js"],
  ["project", "/etc/guard.js"],
  ["sessionFlags", "/ws/guard.js"],
])("a module of a hook of %s is one file: another file of the same name changes nothing", (source, file) => {
  const handler = { type: "module", path: "guard.js" } as const;
  const { files } = namedFiles(
    { handler, source, sourcePath: "/etc/hooks.json" },
    { cwd: "/ws", env: {} },
    MACHINE,
  );
  expect(files).toEqual([file]);
});

test("a sandboxed handler and a handler without a program name no files", () => {
  const execEnv = { cwd: "/ws", env: {} };
  const command = { type: "command", command: "./x.sh", isSandboxed: true } as const;
  const http = { type: "http", url: "https://example.com", headers: {} } as const;
  for (const handler of [command, http])
    expect(
      namedFiles({ handler, source: "user", sourcePath: "/hooks.json" }, execEnv, MACHINE),
    ).toMatchObject({
      files: [],
      unpinnable: null,
    });
});

test("any text is read in bounded time, and never fails", () => {
  const piece = fc.constantFrom(
    "$(",
    "`",
    "'",
    '"',
    "<(",
    "{",
    "}",
    "bash ",
    "-c ",
    "./x ",
    "cd ",
    ";",
    "|",
    "\n",
    "$A",
    "=",
    "*",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(read(pieces.join("")).files.length).toBeLessThan(10_000);
    }),
    { numRuns: 200 },
  );
  for (const bomb of [
    "$(".repeat(9000),
    "'".repeat(30_000),
    "a=".repeat(15_000),
    "./x ".repeat(8000),
    "$A".repeat(16_000),
    "< ".repeat(16_000),
    "~".repeat(30_000),
  ]) {
    const start = performance.now();
    read(bomb);
    expect([bomb.slice(0, 4), performance.now() - start < 500]).toEqual([bomb.slice(0, 4), true]);
  }
});

describe("a hook with its own environment variables", () => {
  const env = { CLAUDE_PROJECT_DIR: "/project" };
  const named = (command: string, args?: readonly string[]) => {
    const handler = {
      type: "command",
      command,
      ...(args !== undefined && { args }),
      isSandboxed: false,
    } as const;
    return namedFiles(
      { handler, source: "user", sourcePath: "/s", env },
      { cwd, env: { CLAUDE_PROJECT_DIR: "/elsewhere" } },
      MACHINE,
    );
  };

  test.each<[command: string, args?: readonly string[]]>([
    ['"$CLAUDE_PROJECT_DIR"/.claude/check.sh'],
    ["bash ${CLAUDE_PROJECT_DIR}/.claude/check.sh"],
    ["${CLAUDE_PROJECT_DIR}/.claude/check.sh", []],
    ["bash", ["${CLAUDE_PROJECT_DIR}/.claude/check.sh", "it's"]],
  ])("names the files that %s %j runs", (command, args) => {
    expect(named(command, args)).toMatchObject({ files: ["/project/.claude/check.sh"], unpinnable: null });
  });
});
