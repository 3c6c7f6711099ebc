/** Command declarations, from which parsing, validation, help, completion and the reference page are derived. */

export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** Value placeholder; an option without one is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly repeat?: true;
  /** Takes all following arguments up to the next option. */
  readonly many?: true;
  /** Alternative names, hidden from help. */
  readonly aliases?: readonly string[];
  /** Error text for an option of the peer that Heddle does not support, with an alternative; hidden from help. */
  readonly unsupported?: string;
  /** Returns an error message for an invalid value, or null. */
  readonly validate?: (value: string) => string | null;
  /** Runs instead of the command and returns the exit code, as `--version` does. */
  readonly replaces?: () => number;
}

/** A command as its parent lists it. Its module is imported by `load`, so that start-up loads one command only. */
export interface CommandEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Command | Promise<Command>;
}

export interface CommandSpec {
  /** Follows the summary on the help page of the command. */
  readonly details?: string;
  readonly options: readonly OptionSpec[];
  /** Operand placeholders: `<EVENT>` is required, `[KEY...]` optional and repeatable. */
  readonly operands?: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
}

export interface Command extends CommandSpec {
  /** If the command also has operands, an argument that matches no subcommand is an operand. */
  readonly subcommands?: readonly CommandEntry[];
  /** Returns the exit code. Absent if a subcommand is required. */
  readonly run?: RunCommand;
  /** Overrides how a usage error is reported; returns the exit code. */
  readonly reportUsage?: (error: UsageError, name: string) => number;
}

/** Receives the arguments of the command, and the chain of arguments from the program down to it. */
export type RunCommand = (
  args: ParsedArguments,
  chain: readonly ParsedArguments[],
) => number | Promise<number>;

/** Parsed options, with their values in order, and operands. */
export interface ParsedArguments {
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  /** The subcommand; `rest` holds the unparsed arguments after it. */
  readonly subcommand: CommandEntry | null;
  readonly rest: readonly string[];
  /** Arguments that are no options; everything after `--` is an operand. */
  readonly operands: readonly string[];
  readonly wantsHelp: boolean;
}

/** An invalid command line. The exit code is 2. */
export class UsageError extends Error {
  /** A suggested correction. */
  readonly tip: string | null;

  constructor(message: string, tip: string | null = null) {
    super(message);
    this.tip = tip;
  }
}

/** Declares a command that needs no lazy import. */
export function declareCommand({
  name,
  summary,
  ...command
}: Pick<CommandEntry, "name" | "summary"> & Command): CommandEntry {
  return { name, summary, load: () => command };
}
