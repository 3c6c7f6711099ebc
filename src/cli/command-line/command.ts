/** What a command is, declared once: parsing, checks, help, completion and the page of reference all come from this. */

/** An option as it is declared. */
export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of its value; without one the option is a switch. */
  readonly value?: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly repeat?: true;
  /** Takes all words behind it, up to the next option. */
  readonly many?: true;
  /** Other names that programs call it by; help does not show them. */
  readonly aliases?: readonly string[];
  /** Why an option that other programs know has no meaning here, and what to do instead; help does not show it. */
  readonly unsupported?: string;
  /** Says what is wrong with a value, or null. */
  readonly refuse?: (value: string) => string | null;
  /** Runs in place of the command, whatever else is asked for; returns the exit code. */
  readonly replaces?: () => number;
}

/** A command as the one above it lists it. The rest is loaded when it is called, so that none pays for another. */
export interface CommandEntry {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly load: () => Command | Promise<Command>;
}

export interface CommandSpec {
  /** What its own page of help says beside the summary. */
  readonly details?: string;
  readonly options: readonly OptionSpec[];
  /** The placeholders of the words that it takes beside its options: `<EVENT>`, or `[KEY...]` where there may be none. */
  readonly operands?: string;
  readonly examples: readonly { readonly command: string; readonly description: string }[];
}

export interface Command extends CommandSpec {
  /** Where the command takes operands as well, a word that is none of these is one. */
  readonly subcommands?: readonly CommandEntry[];
  /** Returns the exit code of the program. Absent where a subcommand must be named. */
  readonly run?: RunCommand;
  /** Tells of a command line that cannot be understood, in place of the usual words; returns the exit code. */
  readonly reportUsage?: (error: UsageError, name: string) => number;
}

/** The arguments of the command itself, and those of all commands from the program down to it. */
export type RunCommand = (
  args: ParsedArguments,
  chain: readonly ParsedArguments[],
) => number | Promise<number>;

/** What stood on the command line: each option's values in order, and the words that are none. */
export interface ParsedArguments {
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  /** The subcommand, and everything behind it unread. */
  readonly subcommand: CommandEntry | null;
  readonly rest: readonly string[];
  /** The words beside the options, where the command takes any; all words behind `--` are some. */
  readonly operands: readonly string[];
  readonly wantsHelp: boolean;
}

/** A command line that cannot be understood. The program ends with code 2. */
export class UsageError extends Error {
  /** What may have been meant. */
  readonly tip: string | null;

  constructor(message: string, tip: string | null = null) {
    super(message);
    this.tip = tip;
  }
}

/** A command that is declared in one piece. */
export function declareCommand({
  name,
  summary,
  ...command
}: Pick<CommandEntry, "name" | "summary"> & Command): CommandEntry {
  return { name, summary, load: () => command };
}
