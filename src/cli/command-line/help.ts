/** Pages for people, made from what is declared. */
import { labelOf } from "./arguments.ts";
import type { Command, OptionSpec } from "./command.ts";

/** A command with the words that call it. */
export interface NamedCommand {
  readonly name: string;
  readonly summary: string;
  readonly command: Command;
}

/** The line that says how a command is called. */
export function renderUsage({ name, command: { subcommands, operands } }: NamedCommand): string {
  const words = [name, "[OPTIONS]", ...(subcommands === undefined ? [] : ["[COMMAND]"]), operands ?? []];
  return `Usage: ${words.flat().join(" ")}`;
}

/** The help page of a command. */
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

/** Those that have a meaning here. */
export function shownOptions(options: readonly OptionSpec[]): readonly OptionSpec[] {
  return options.filter(({ unsupported }) => unsupported === undefined);
}

function signatureOf(option: OptionSpec): string {
  return `${option.short === undefined ? "    " : `-${option.short}, `}${labelOf(option)}`;
}

/** What an option is for, with the values that it takes. */
export function explain({ help, choices }: OptionSpec): string {
  return choices === undefined ? help : `${help} [${choices.join(", ")}]`;
}

function renderTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
