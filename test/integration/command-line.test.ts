/** The command line as a whole: what all commands have in common, in common shells. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Called, callHeddle, callInShell } from "../support/call-heddle.ts";
import { Child } from "../support/child.ts";
import { lackOf, testWith } from "../support/needs-program.ts";
import { serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
  onTestFinished(() => home.remove());
});

const heddle = (...args: string[]): Promise<Called> => callHeddle(home, args);

test("help and version are commands as well as options", async () => {
  for (const [command, option] of [
    [["help"], ["--help"]],
    [
      ["help", "queue", "add"],
      ["queue", "add", "--help"],
    ],
    [["version"], ["--version"]],
    [["version"], ["-V", "serve"]],
  ] as const) {
    const asked = await heddle(...command);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(await heddle(...option)).toEqual(asked);
  }
  expect(await heddle("help", "queue", "ad")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(
      "there is no command 'heddle queue ad'\n\n  tip: a similar subcommand exists: 'add'",
    ),
  });
});

test.each([
  [["serv"], "  tip: a similar subcommand exists: 'serve'\n"],
  [["threads", "lst"], "  tip: a similar subcommand exists: 'list'\n"],
  [["exec", "--jsn"], "  tip: a similar argument exists: '--json'\n"],
  [["exec", "--sandbox", "readonly"], "  tip: a similar value exists: 'read-only'\n"],
  [["exec", "-5 degrees"], "  tip: to pass '-5 degrees' as a value, use '-- -5 degrees'\n"],
])("%j is told what may have been meant", async (args, tip) => {
  expect(await heddle(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(tip) });
});

test("a profile that does not exist is refused, with those that do", async () => {
  writeFileSync(join(home.home, "work.config.toml"), "");
  for (const args of [
    ["threads", "list"],
    ["exec", "--skip-git-repo-check", "x"],
    ["app-server"],
    ["hooks", "list"],
  ])
    expect(await heddle("--profile", "wrok", ...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /profile `wrok` does not exist: there is no .*wrok\.config\.toml; there are work\n$/u,
      ),
    });
  expect((await heddle("-p", "work", "threads", "list")).code).toBe(0);
});

describe("whoever reads may stop", () => {
  test.each([
    "help",
    "generate-ts",
    "generate-json-schema",
    "doctor",
    "hooks list --json",
    "lifecycle manifest",
    "completion bash",
  ])("heddle %s | head", async (words) => {
    const { stderr } = await callInShell(home, `heddle ${words} | head -c 1`);
    expect(stderr).toBe("");
    expect((await callInShell(home, `heddle ${words} >&-`)).stderr).not.toMatch(/\n\s+at /u);
  });

  test("a disk that is full is a failure", async () => {
    expect(await callInShell(home, "heddle generate-ts > /dev/full")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: cannot write to stdout: No space left on device (os error 28)\n",
    });
  });
});

test("words that are no text are taken as far as they are", async () => {
  const { code, stderr } = await callInShell(home, "heddle threads show $'\\xff\\xfe'");
  expect([code, stderr]).toEqual([1, "Error: there is no thread with the id or the name '\uFFFD\uFFFD'\n"]);
});

describe("completion", () => {
  /** A folder with the program under its name, for the PATH of shells. */
  function programFolder(): string {
    const folder = join(home.root, "bin");
    mkdirSync(folder);
    symlinkSync(resolve("dist/cli.js"), join(folder, "heddle"));
    return folder;
  }

  async function inShell(shell: readonly string[], script: string): Promise<string[]> {
    const [command = "", ...args] = shell;
    const env = serverEnvironment(home);
    const path = `${programFolder()}:${env["PATH"] ?? ""}`;
    const child = new Child({
      command,
      args: [...args, script],
      cwd: home.workspace,
      env: { ...env, PATH: path },
    });
    await child.exit;
    expect(child.stderr).toBe("");
    return child.stdout
      .split(/\s+/u)
      .filter((word) => word !== "")
      .sort();
  }

  const QUEUE = ["add", "list", "log", "mv", "pause", "resume", "rm"];

  testWith("bash", "in bash", async () => {
    const complete = (line: string) => {
      const words = line.split(" ");
      const typed = words.map((word) => `'${word}'`).join(" ");
      return `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _heddle; echo "\${COMPREPLY[@]}"`;
    };
    const script = (line: string) => `set -u; source <(heddle completion bash); ${complete(line)}`;
    expect(await inShell(["bash", "-c"], script("heddle queue "))).toEqual(QUEUE);
  });

  testWith("bash", "in bash, of options and their values", async () => {
    const ask = (typed: string, at: number) =>
      `COMP_WORDS=(${typed}); COMP_CWORD=${at}; _heddle; echo "\${COMPREPLY[@]}"; `;
    const script = `source <(heddle completion bash); ${ask("heddle exec --sandbox re", 3)}${ask("heddle exec --sand", 2)}`;
    expect(await inShell(["bash", "-c"], script)).toEqual(["--sandbox", "read-only"]);
  });

  test.skipIf(lackOf("zsh") !== null)("in zsh", async () => {
    const script = `
      compdef() { :; }
      _describe() { print -l -- "\${(@P)2}" | sed 's/:.*//'; }
      source <(heddle completion zsh)
      words=(heddle queue ''); CURRENT=3; _heddle`;
    expect(await inShell(["zsh", "-fc"], script)).toEqual(QUEUE);
  });

  test.skipIf(lackOf("fish") !== null)("in fish", async () => {
    const script = "heddle completion fish | source; complete -C 'heddle queue ' | string split -f1 \\t";
    expect(await inShell(["fish", "--no-config", "-c"], script)).toEqual(QUEUE);
  });

  test("for another shell there is none", async () => {
    expect(await heddle("completion", "tcsh")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there is no script for 'tcsh': expected one of bash, zsh, fish"),
    });
  });
});
