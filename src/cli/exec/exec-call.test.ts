import { describe, expect, test } from "vitest";
import { checkOperands, parseArguments } from "../command-line/arguments.ts";
import { type Command, type CommandSpec, declareCommand } from "../command-line/command.ts";
import { type ExecCall, type ExecTask, readExecCall } from "./exec-call.ts";
import { forkSpec, resumeSpec, reviewSpec, startSpec } from "./exec-options.ts";

const specs: Readonly<Record<string, CommandSpec>> = {
  resume: resumeSpec,
  fork: forkSpec,
  review: reviewSpec,
};
const exec: Command = {
  ...startSpec,
  subcommands: Object.entries(specs).map(([name, spec]) => declareCommand({ name, summary: "", ...spec })),
};

function call(...argv: string[]): ExecCall {
  const outer = parseArguments(exec, argv);
  const kind = outer.subcommand?.name as ExecTask["kind"] | undefined;
  if (kind === undefined) return readExecCall("start", outer, [outer]);
  const spec = specs[kind] ?? startSpec;
  const args = parseArguments(spec, outer.rest);
  checkOperands(spec, args);
  return readExecCall(kind, args, [outer, args]);
}

describe("operands", () => {
  const start: ExecTask = { kind: "start" };
  const resumed = (thread: string | null, isLast = false, isAnyFolder = false): ExecTask => ({
    kind: "resume",
    choice: { thread, isLast, isAnyFolder },
  });
  const review = (target: Extract<ExecTask, { kind: "review" }>["target"]): ExecTask => ({
    kind: "review",
    target,
  });
  test.each<[argv: string[], prompt: string | null, task: ExecTask]>([
    [[], null, start],
    [["Do it"], "Do it", start],
    [["-"], "-", start],
    [["--", "resume"], "resume", start],
    [["--", "-x"], "-x", start],
    [["resume", "ID"], null, resumed("ID")],
    [["resume", "ID", "Do it"], "Do it", resumed("ID")],
    [["resume", "ID", "-"], "-", resumed("ID")],
    [["Do it", "resume", "ID"], "Do it", resumed("ID")],
    [["resume", "--last"], null, resumed(null, true)],
    [["resume", "--last", "Do it"], "Do it", resumed(null, true)],
    [["resume", "Do it", "--last", "--all"], "Do it", resumed(null, true, true)],
    [["resume", "--last", "ID", "Do it"], "Do it", resumed("ID", true)],
    [["resume"], null, resumed(null)],
    [["fork", "ID"], null, { kind: "fork", thread: "ID" }],
    [["fork", "ID", "Do it"], "Do it", { kind: "fork", thread: "ID" }],
    [["Do it", "fork", "ID"], "Do it", { kind: "fork", thread: "ID" }],
    [["review", "--uncommitted"], null, review({ type: "uncommittedChanges" })],
    [["review", "--base", "main"], null, review({ type: "baseBranch", branch: "main" })],
    [["review", "--commit", "abc"], null, review({ type: "commit", sha: "abc", title: null })],
    [["review", "--commit", "abc", "--title", "T"], null, review({ type: "commit", sha: "abc", title: "T" })],
    [["review", "Look"], "Look", review(null)],
    [["review"], null, review(null)],
  ])("%j", (argv, prompt, task) => {
    expect(call(...argv)).toMatchObject({ prompt, task });
  });

  test.each([
    [["a", "b"], "unexpected argument 'b' found"],
    [["resume", "a", "b", "c"], "unexpected argument 'c' found"],
    [["fork"], "the following required arguments were not provided: <THREAD>"],
    [["--last"], "unexpected argument '--last' found"],
    [["resume", "--bogus"], "unexpected argument '--bogus' found"],
    [["-s", "x"], "invalid value 'x' for '--sandbox <SANDBOX_MODE>'"],
    [["--json", "--experimental-json"], "'--json' cannot be used multiple times"],
    [["--worktree", "x"], "the argument '--worktree' is not supported: make one with `git worktree add`"],
    [["resume", "--approve-for-me"], "the argument '--approve-for-me' is not supported"],
    [["review", "--base", "a", "--commit", "b"], "'--base <BRANCH>' cannot be used with '--commit <SHA>'"],
    [["review", "--uncommitted", "x"], "'--uncommitted' cannot be used with '[PROMPT]'"],
    [["review", "--uncommitted", "--title", "x"], "were not provided: --commit <SHA>"],
  ])("%j is refused", (argv, message) => {
    expect(() => call(...argv)).toThrow(message);
  });
});

describe("options", () => {
  test.each<[argv: string[], Partial<ExecCall>]>([
    [["--experimental-json"], { isJson: true }],
    [["resume", "ID", "--json"], { isJson: true }],
    [["-m", "a", "resume", "ID", "-m", "b"], { model: "b" }],
    [["-s", "read-only"], { sandbox: "read-only", isAnywhere: false }],
    [["--full-auto"], { sandbox: "workspace-write", isAnywhere: false }],
    [["--full-auto", "-s", "read-only"], { sandbox: "read-only" }],
    [["--yolo", "-s", "read-only"], { sandbox: "danger-full-access", isAnywhere: true }],
    [["--skip-git-repo-check"], { sandbox: null, isAnywhere: true }],
    [["-i", "a,b", "c", "-i", "d", "--", "x"], { images: ["a", "b", "c", "d"], prompt: "x" }],
    [["-i", "a", "resume", "ID", "-i", "b", "x"], { images: ["a", "resume", "ID", "b", "x"] }],
    [["resume", "ID", "-i", "a", "x"], { images: ["a"], prompt: "x" }],
    [["-C", "d", "--add-dir", "e", "--add-dir", "f"], { folder: "d", writableFolders: ["e", "f"] }],
    [
      ["-o", "f", "--output-schema", "g", "--ephemeral"],
      { lastMessageFile: "f", schemaFile: "g", isEphemeral: true },
    ],
    [["--oss"], { localProvider: "" }],
    [["--oss", "--local-provider", "ollama", "-m", "x"], { localProvider: "ollama", model: "x" }],
    [["--local-provider", "ollama"], { localProvider: null }],
    [["fork", "ID", "--thread-source", "mine"], { threadSource: "mine" }],
    [[], { threadSource: "user" }],
    [
      ["-c", "a=1", "resume", "ID", "--config", "a=2"],
      {
        settings: {
          flags: { config: ["a=1", "a=2"], enable: [], disable: [] },
          profile: null,
          strictConfig: false,
          ignoresUserConfig: false,
          ignoresRules: false,
        },
      },
    ],
  ])("%j", (argv, expected) => {
    expect(call(...argv)).toMatchObject(expected);
  });
});
