import { expect, test } from "vitest";
import { type Command, declareCommand } from "./command.ts";
import { runProgram } from "./run-program.ts";

const global = { name: "config", short: "c", value: "KEY", repeat: true, help: "Set a value" } as const;
const program = declareCommand({
  name: "program",
  summary: "Does things",
  options: [global, { name: "version", short: "V", help: "The version", replaces: () => 7 }],
  examples: [],
  subcommands: [
    declareCommand({
      name: "many",
      summary: "Has others",
      options: [global],
      examples: [],
      subcommands: [
        declareCommand({
          name: "one",
          summary: "Is one of them",
          operands: "<WORD>",
          options: [global],
          examples: [],
          run: (args, chain) => chain.flatMap((each) => each.values("config")).length + args.operands.length,
        }),
        declareCommand({
          name: "machine",
          summary: "Speaks with programs",
          options: [],
          examples: [],
          run: () => 0,
          reportUsage: ({ message }, name) =>
            message.includes("--x") && name === "program many machine" ? 9 : 8,
        }),
      ],
    }),
    declareCommand({ name: "broken", summary: "Fails", options: [], examples: [], run: fail }),
  ],
});

function fail(): never {
  throw new Error("it \u001b[31mfails");
}

async function run(...argv: string[]) {
  let stdout = "";
  let stderr = "";
  const code = await runProgram(program, argv, {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

test("global options are accepted before and after a subcommand", async () => {
  expect(await run("-c", "a", "many", "-cb", "one", "-c=c", "word")).toEqual({
    code: 4,
    stdout: "",
    stderr: "",
  });
});

test.each([
  [["--help"], "Usage: program [OPTIONS] [COMMAND]"],
  [["--help", "many", "one"], "Usage: program many one [OPTIONS] <WORD>"],
  [["many", "-h", "one"], "Usage: program many one [OPTIONS] <WORD>"],
  [["many", "one", "--help"], "Usage: program many one [OPTIONS] <WORD>"],
])("%j prints a page", async (argv, usage) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(usage);
});

test.each([[[]], [["many"]]])(
  "%j lacks a subcommand, and prints the available ones",
  async (argv: string[]) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Commands:\n");
  },
);

test.each([
  [
    ["man"],
    "error: unrecognized subcommand 'man'\n\n  tip: a similar subcommand exists: 'many'\n\nUsage: program [OPTIONS]",
  ],
  [
    ["many", "one", "--cnofig"],
    "tip: a similar argument exists: '--config'\n\nUsage: program many one [OPTIONS] <WORD>",
  ],
  [["many", "one"], "error: the following required arguments were not provided: <WORD>\n"],
  [["many", "\u001b[2J"], "error: unrecognized subcommand '\\u{1b}[2J'\n"],
])("%j is rejected with a suggestion", async (argv, words) => {
  const { code, stdout, stderr } = await run(...argv);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
});

test("a command may override the report of usage errors", async () => {
  expect(await run("many", "machine", "--x")).toEqual({ code: 9, stdout: "", stderr: "" });
});

test("an option may replace the command", async () => {
  expect((await run("-V", "broken")).code).toBe(7);
});

test("a failure is printed in one line with escaped control characters", async () => {
  expect(await run("broken")).toEqual({ code: 1, stdout: "", stderr: "Error: it \\u{1b}[31mfails\n" });
});

test("a command is loaded only when it is called", async () => {
  const loaded: string[] = [];
  const leaf = (name: string) => ({
    name,
    summary: name,
    load: (): Command => {
      loaded.push(name);
      return { options: [], examples: [], run: () => 0 };
    },
  });
  const lazy = declareCommand({
    name: "program",
    summary: "",
    options: [],
    examples: [],
    subcommands: [leaf("one"), leaf("other")],
  });
  const quiet = { stdout: { write: () => true }, stderr: { write: () => true } };
  await runProgram(lazy, ["--help"], quiet);
  expect(loaded).toEqual([]);
  await runProgram(lazy, ["other"], quiet);
  expect(loaded).toEqual(["other"]);
});
