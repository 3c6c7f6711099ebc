/** Resolves the command of a command line and runs it. */
import { printableLines } from "../../base/printable.ts";
import { checkOperands, parseArguments } from "./arguments.ts";
import { type CommandEntry, type ParsedArguments, UsageError } from "./command.ts";
import { type NamedCommand, renderHelp, renderUsage } from "./help.ts";

export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Returns the exit code. */
export async function runProgram(
  program: CommandEntry,
  argv: readonly string[],
  { stdout, stderr }: Output,
): Promise<number> {
  let page: NamedCommand = { ...program, command: await program.load() };
  try {
    const chain: ParsedArguments[] = [];
    let args = parseArguments(page.command, argv);
    chain.push(args);
    const other = page.command.options.find(
      ({ name, replaces }) => replaces !== undefined && args.flag(name),
    );
    if (other?.replaces !== undefined) return other.replaces();
    for (let entry = args.subcommand; entry !== null; entry = args.subcommand) {
      page = await loadSubcommand(page, entry);
      args = parseArguments(page.command, args.rest);
      chain.push(args);
    }
    if (chain.some(({ wantsHelp }) => wantsHelp)) {
      stdout.write(renderHelp(page));
      return 0;
    }
    const { run } = page.command;
    if (run === undefined) {
      stderr.write(renderHelp(page));
      return 2;
    }
    checkOperands(page.command, args);
    return await run(args, chain);
  } catch (error) {
    if (error instanceof UsageError) return reportUsageError(error, page, stderr);
    stderr.write(`Error: ${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

/** Loads a subcommand, with its full name. */
export async function loadSubcommand(above: NamedCommand, entry: CommandEntry): Promise<NamedCommand> {
  return { name: `${above.name} ${entry.name}`, summary: entry.summary, command: await entry.load() };
}

function reportUsageError(error: UsageError, page: NamedCommand, stderr: Output["stderr"]): number {
  if (page.command.reportUsage !== undefined) return page.command.reportUsage(error, page.name);
  const tip = error.tip === null ? "" : `\n\n  tip: ${error.tip}`;
  stderr.write(
    `error: ${printableLines(error.message + tip)}\n\n${renderUsage(page)}\n\nFor more information, try '--help'.\n`,
  );
  return 2;
}
