/** What can stand at the end of a command line that is being typed. */
import type { Command, CommandEntry, OptionSpec } from "./command.ts";
import { explain, shownOptions } from "./help.ts";

export interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** The last word is the one that is being typed. None where only the user knows what comes, such as a file. */
export async function completeWords(program: CommandEntry, words: readonly string[]): Promise<Candidate[]> {
  let command = await program.load();
  let awaited: OptionSpec | null = null;
  for (const word of words.slice(0, -1)) {
    if (word === "--") return [];
    // Some shells make a word of it: then the value is still to come.
    if (word === "=") continue;
    if (awaited !== null) {
      awaited = null;
      continue;
    }
    const entry = command.subcommands?.find(({ name }) => name === word);
    if (entry !== undefined) command = await entry.load();
    else awaited = takesNext(command, word);
  }
  const typed = words.at(-1) ?? "";
  const begun = typed === "=" ? "" : typed;
  return candidatesOf(command, awaited, begun).filter(({ word }) => word.startsWith(begun));
}

function candidatesOf(command: Command, awaited: OptionSpec | null, begun: string): Candidate[] {
  if (awaited !== null) return valuesOf(awaited, "");
  const attached = /^(--[^=]+=)/.exec(begun)?.[1];
  if (attached !== undefined) {
    const option = findOption(command, attached.slice(0, -1));
    return option === undefined ? [] : valuesOf(option, attached);
  }
  if (begun.startsWith("-")) {
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

/** The option whose value the next word is. */
function takesNext(command: Command, word: string): OptionSpec | null {
  const option = findOption(command, word);
  return option?.value === undefined ? null : option;
}

function findOption({ options }: Command, word: string): OptionSpec | undefined {
  return options.find(
    ({ name, short, aliases = [] }) =>
      [name, ...aliases].some((each) => word === `--${each}`) || word === `-${short}`,
  );
}
