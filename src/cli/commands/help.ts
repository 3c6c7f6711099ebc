import { type Command, type CommandEntry, UsageError } from "../command-line/command.ts";
import { type NamedCommand, renderHelp } from "../command-line/help.ts";
import { nearestName } from "../command-line/nearest-name.ts";
import { loadSubcommand } from "../command-line/run-program.ts";

/** `heddle help` prints the same page as `--help`. */
export function helpOf(program: CommandEntry): Command {
  return {
    operands: "[COMMAND...]",
    options: [],
    examples: [
      { command: "heddle help", description: "All commands" },
      { command: "heddle help queue add", description: "How a turn is queued" },
    ],
    async run({ operands }) {
      let page: NamedCommand = { ...program, command: await program.load() };
      for (const word of operands) page = await loadSubcommand(page, findEntry(page, word));
      process.stdout.write(renderHelp(page));
      return 0;
    },
  };
}

function findEntry({ name, command: { subcommands = [] } }: NamedCommand, word: string): CommandEntry {
  const found = subcommands.find((entry) => entry.name === word);
  if (found !== undefined) return found;
  const nearest = nearestName(
    word,
    subcommands.map((entry) => entry.name),
  );
  const tip = nearest === null ? null : `a similar subcommand exists: '${nearest}'`;
  throw new UsageError(`there is no command '${name} ${word}'`, tip);
}
