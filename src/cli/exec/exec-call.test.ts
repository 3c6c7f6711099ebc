import { describe, expect, test } from "vitest";
import { parseArguments } from "../command-line/arguments.ts";
import { type ExecCall, execSpec, readExecCall } from "./exec-call.ts";

const nothing = parseArguments({ name: "p", summary: "", options: [], examples: [] }, []);

function call(...argv: string[]): ExecCall {
  const read = readExecCall(parseArguments(execSpec, argv), nothing);
  if (read.kind === "help") throw new Error("a call was expected");
  return read.call;
}

describe("the words", () => {
  const resumed = (thread: string | null, isLast = false, isAnyFolder = false) => ({
    thread,
    isLast,
    isAnyFolder,
  });
  test.each<[argv: string[], prompt: string | null, resume: ExecCall["resume"]]>([
    [[], null, null],
    [["Do it"], "Do it", null],
    [["-"], "-", null],
    [["--", "resume"], "resume", null],
    [["resume", "ID"], null, resumed("ID")],
    [["resume", "ID", "Do it"], "Do it", resumed("ID")],
    [["resume", "ID", "-"], "-", resumed("ID")],
    [["Do it", "resume", "ID"], "Do it", resumed("ID")],
    [["resume", "--last"], null, resumed(null, true)],
    [["resume", "--last", "Do it"], "Do it", resumed(null, true)],
    [["resume", "Do it", "--last", "--all"], "Do it", resumed(null, true, true)],
    [["resume", "--last", "ID", "Do it"], "Do it", resumed("ID", true)],
    [["resume"], null, resumed(null)],
  ])("%j", (argv, prompt, resume) => {
    expect(call(...argv)).toMatchObject({ prompt, resume });
  });

  test.each([
    [["a", "b"], "unexpected argument 'b' found"],
    [["resume", "a", "b", "c"], "unexpected argument 'c' found"],
    [["--last"], "unexpected argument '--last' found"],
    [["resume", "--bogus"], "unexpected argument '--bogus' found"],
    [["-s", "x"], "invalid value 'x' for '--sandbox <SANDBOX_MODE>'"],
    [["--json", "--experimental-json"], "'--json' cannot be used multiple times"],
  ])("%j is refused", (argv, message) => {
    expect(() => call(...argv)).toThrow(message);
  });
});

describe("the options", () => {
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
    [
      ["-c", "a=1", "resume", "ID", "--config", "a=2"],
      {
        settings: {
          flags: { config: ["a=1", "a=2"], enable: [], disable: [] },
          profile: null,
          strictConfig: false,
        },
      },
    ],
  ])("%j", (argv, expected) => {
    expect(call(...argv)).toMatchObject(expected);
  });

  test("help is asked for on either side", () => {
    expect(readExecCall(parseArguments(execSpec, ["resume", "--help"]), nothing)).toMatchObject({
      kind: "help",
    });
  });
});
