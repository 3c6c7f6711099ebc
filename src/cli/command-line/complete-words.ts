/** Shell completion: candidates for the last word of a command line. */
import type { Command, CommandEntry, OptionSpec } from "./command.ts";
import { explain, shownOptions } from "./help.ts";

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** The last word may be incomplete. Returns nothing for free-form values such as paths. */
export async function completeWords(program: CommandEntry, words: readonly string[]): Promise<Candidate[]> {
  let command = await program.load();
  let pendingOption: OptionSpec | null = null;
  for (const word of words.slice(0, -1)) {
    if (word === "--") return [];
    // Some shells split `--option=value` at the equals sign; the value is the next word.
    if (word === "=") continue;
    if (pendingOption !== null) {
      pendingOption = null;
      continue;
    }
    const entry = command.subcommands?.find(({ name }) => name === word);
    if (entry !== undefined) command = await entry.load();
    else pendingOption = optionAwaitingValue(command, word);
  }
  const typed = words.at(-1) ?? "";
  const prefix = typed === "=" ? "" : typed;
  return candidatesOf(command, pendingOption, prefix).filter(({ word }) => word.startsWith(prefix));
}

function candidatesOf(command: Command, pendingOption: OptionSpec | null, prefix: string): Candidate[] {
  if (pendingOption !== null) return valuesOf(pendingOption, "");
  const attached = /^(--[^=]+=)/.exec(prefix)?.[1];
  if (attached !== undefined) {
    const option = findOption(command, attached.slice(0, -1));
    return option === undefined ? [] : valuesOf(option, attached);
  }
  if (prefix.startsWith("-")) {
    const named = shownOptions(command.options).map((option) => ({
      word: `--${option.name}`,
      description: explain(option),
    }));
    return [...named, { word: "--help", description: "Print this page" }];
  }
  return command.subcommands?.map(({ name, summary }) => ({ word: name, description: summary })) ?? [];
}

function valuesOf({ choices = [] }: OptionSpec, before: string): Candidate[] {
  return choices.map((choice) => ({ word: before + choice, description: "" }));
}

/** The option of this word, if its value is the next word. */
function optionAwaitingValue(command: Command, word: string): OptionSpec | null {
  const option = findOption(command, word);
  return option?.value === undefined ? null : option;
}

function findOption({ options }: Command, word: string): OptionSpec | undefined {
  return options.find(
    ({ name, short, aliases = [] }) =>
      [name, ...aliases].some((each) => word === `--${each}`) || word === `-${short}`,
  );
}
