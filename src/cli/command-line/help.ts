/** Renders help pages from command declarations. */
import { optionLabel } from "./arguments.ts";
import type { Command, OptionSpec } from "./command.ts";

/** A command with its full name, as in `heddle queue add`. */
export interface NamedCommand {
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
}

/** The usage line of a command. */
export function renderUsage({ name, command: { subcommands, operands } }: NamedCommand): string {
  const words = [name, "[OPTIONS]", ...(subcommands === undefined ? [] : ["[COMMAND]"]), operands ?? []];
  return `Usage: ${words.flat().join(" ")}`;
}

export function renderHelp(page: NamedCommand): string {
  const { subcommands, options, examples, details } = page.command;
  const sections = [`${page.summary}.${details === undefined ? "" : ` ${details}`}`, renderUsage(page)];
  if (subcommands !== undefined) {
    sections.push(`Commands:\n${renderTable(subcommands.map(({ name, summary }) => [name, summary]))}`);
  }
  const rows = shownOptions(options).map((option) => [signatureOf(option), explain(option)] as const);
  sections.push(`Options:\n${renderTable([...rows, ["-h, --help", "Print this page"]])}`);
  if (examples.length > 0) {
    const lines = examples.map(({ command, description }) => `  ${command}\n      ${description}`);
    sections.push(`Examples:\n${lines.join("\n")}`);
  }
  return `${sections.join("\n\n")}\n`;
}

/** Options without those that are unsupported. */
export function shownOptions(options: readonly OptionSpec[]): readonly OptionSpec[] {
  return options.filter(({ unsupported }) => unsupported === undefined);
}

function signatureOf(option: OptionSpec): string {
  return `${option.short === undefined ? "    " : `-${option.short}, `}${optionLabel(option)}`;
}

/** Help text of an option with its choices. */
export function explain({ help, choices }: OptionSpec): string {
  return choices === undefined ? help : `${help} [${choices.join(", ")}]`;
}

function renderTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
