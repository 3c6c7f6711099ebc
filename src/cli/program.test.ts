/** Checks that hold for the declarations of all commands. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { splitWords } from "../base/shlex.ts";
import { checkOperands, parseArguments } from "./command-line/arguments.ts";
import type { NamedCommand } from "./command-line/help.ts";
import { renderReferencePage, walkCommands } from "./command-line/reference-page.ts";
import { loadSubcommand } from "./command-line/run-program.ts";
import { program } from "./program.ts";

const pages: NamedCommand[] = [];
for await (const page of walkCommands(program)) pages.push(page);

test("the reference page matches the declared commands", async () => {
  expect(readFileSync("docs/reference/command-line.md", "utf8")).toBe(await renderReferencePage(program));
});

describe.each(pages)("$name", ({ summary, command }) => {
  test("has a summary of one line", () => {
    expect(summary).toMatch(/^[A-Z][^\n]{3,90}[^.\n]$/u);
  });

  test("has unique option names, each with help", () => {
    const names = command.options.flatMap(({ name, short, aliases = [] }) => [
      name,
      ...aliases,
      ...(short === undefined ? [] : [`-${short}`]),
    ]);
    expect(names).toEqual([...new Set(names)]);
    expect(names.filter((name) => name === "help" || name === "-h")).toEqual([]);
    for (const { help, unsupported } of command.options) expect(help === "").toBe(unsupported !== undefined);
  });

  test("runs or has subcommands, and has examples if it has options", () => {
    expect(command.run !== undefined || (command.subcommands?.length ?? 0) > 0).toBe(true);
    expect(command.run === undefined || command.examples.length > 0 || command.options.length === 0).toBe(
      true,
    );
  });
});

/** Pipes and redirections belong to the shell. */
const examples = pages.flatMap(({ command }) =>
  command.examples.map(
    ({ command: line }) => line.replace(/^.*?(?=heddle )/su, "").split(/ [|<>] |\) *$|\)\)/u, 1)[0] ?? "",
  ),
);

test.each([...new Set(examples)])("the example parses: %s", async (line) => {
  const [name, ...words] = splitWords(line) ?? [];
  expect(name).toBe("heddle");
  let page: NamedCommand = { ...program, command: await program.load() };
  let args = parseArguments(page.command, words);
  for (let entry = args.subcommand; entry !== null; entry = args.subcommand) {
    page = await loadSubcommand(page, entry);
    args = parseArguments(page.command, args.rest);
  }
  expect(page.command.run).toBeDefined();
  checkOperands(page.command, args);
});
