import { expect, test } from "vitest";
import { declareCommand } from "./command.ts";
import { completeWords } from "./complete-words.ts";

const program = declareCommand({
  name: "program",
  summary: "",
  options: [
    { name: "config", short: "c", value: "KEY", repeat: true, help: "Set a value" },
    { name: "quiet", help: "Say less" },
  ],
  examples: [],
  subcommands: [
    declareCommand({
      name: "run",
      summary: "Runs",
      operands: "[WORD]",
      options: [
        { name: "mode", short: "m", value: "MODE", help: "How", choices: ["fast", "slow"] },
        { name: "fly", help: "", unsupported: "walk" },
      ],
      examples: [],
      subcommands: [declareCommand({ name: "again", summary: "Runs again", options: [], examples: [] })],
    }),
    declareCommand({ name: "rest", summary: "Rests", options: [], examples: [] }),
  ],
});

test.each<[words: string[], found: string[]]>([
  [[], ["run", "rest"]],
  [[""], ["run", "rest"]],
  [["ru"], ["run"]],
  [["x"], []],
  [["-"], ["--config", "--quiet", "--help"]],
  [["--q"], ["--quiet"]],
  [["--config", ""], []],
  [
    ["--config", "run", ""],
    ["run", "rest"],
  ],
  [["-c", "run", "ru"], ["run"]],
  [["--quiet", "run", "a"], ["again"]],
  [
    ["run", "--"],
    ["--mode", "--help"],
  ],
  [
    ["run", "--mode", ""],
    ["fast", "slow"],
  ],
  [["run", "-m", "s"], ["slow"]],
  [["run", "--mode=f"], ["--mode=fast"]],
  [["run", "--mode", "=", "f"], ["fast"]],
  [
    ["run", "--mode", "="],
    ["fast", "slow"],
  ],
  [["run", "--", "a"], []],
  [["run", "again", ""], []],
  [
    ["__proto__", "constructor", ""],
    ["run", "rest"],
  ],
])("%j completes to %j", async (words, found) => {
  expect((await completeWords(program, words)).map(({ word }) => word)).toEqual(found);
});
