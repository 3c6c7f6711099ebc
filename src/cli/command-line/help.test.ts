import { expect, test } from "vitest";
import { type Command, declareCommand } from "./command.ts";
import { renderHelp } from "./help.ts";

const command: Command = {
  details: "Quickly.",
  options: [
    { name: "config", short: "c", value: "key=value", repeat: true, help: "Set a value" },
    { name: "mode", value: "MODE", help: "How", choices: ["fast", "slow"] },
    { name: "fly", help: "Not shown", unsupported: "walk" },
  ],
  operands: "[WORD]",
  subcommands: [declareCommand({ name: "go", summary: "Goes", options: [], examples: [] })],
  examples: [{ command: "program go", description: "Go" }],
};

test("help shows usage, commands, options and examples", () => {
  expect(renderHelp({ name: "program", summary: "Does things", command })).toBe(`Does things. Quickly.

Usage: program [OPTIONS] [COMMAND] [WORD]

Commands:
  go  Goes

Options:
  -c, --config <key=value>  Set a value
      --mode <MODE>         How [fast, slow]
  -h, --help                Print this page

Examples:
  program go
      Go
`);
});
