/** An option as it is declared: parsing, checking and help all come from this. */
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
  /** Says what is wrong with a value, or null. */
  readonly refuse?: (value: string) => string | null;
}

export interface CommandSpec {
  /** The words that call it, such as `heddle app-server`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  /** Where the command takes operands as well, a word that is none of these is one. */
  readonly subcommands?: readonly { readonly name: string; readonly summary: string }[];
  /** The placeholder of the words that it takes beside its options: `<EVENT>`, or `[KEY...]` where there may be none. */
  readonly operands?: string;
  readonly examples: readonly { readonly command: string; readonly says: string }[];
}

/** What stood on the command line: each option's values in order, and the words that are none. */
export interface ParsedArguments {
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
  /** The subcommand, and everything behind it unread. */
  readonly subcommand: string | null;
  readonly rest: readonly string[];
  /** The words beside the options, where the command takes any; all words behind `--` are some. */
  readonly operands: readonly string[];
  readonly wantsHelp: boolean;
}

/** A command: how it is called, and what it does. It returns the exit code of the program. */
export interface Command {
  readonly spec: CommandSpec;
  run(own: ParsedArguments, program: ParsedArguments): Promise<number>;
}

/** A command line that cannot be understood. The program ends with code 2. */
export class UsageError extends Error {}

export function parseArguments(spec: CommandSpec, argv: readonly string[]): ParsedArguments {
  const found = new Map<string, string[]>();
  const operands: string[] = [];
  let wantsHelp = false;
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!isOption(spec, word)) {
      if (spec.operands === undefined || isSubcommand(spec, word)) break;
      if (word !== "--") {
        operands.push(word);
        continue;
      }
      operands.push(...argv.slice(at + 1));
      at = argv.length;
      break;
    }
    if (word === "--help" || word === "-h") {
      wantsHelp = true;
      continue;
    }
    at = takeOption(spec, argv, at, found);
  }
  const subcommand = argv[at] ?? null;
  if (subcommand !== null) checkSubcommand(spec, subcommand);
  return {
    flag: (name) => found.has(name),
    value: (name) => found.get(name)?.at(-1),
    values: (name) => found.get(name) ?? [],
    subcommand,
    rest: argv.slice(at + 1),
    operands,
    wantsHelp,
  };
}

/** Notes the option that stands here with its values, and says where the last of them stands. */
function takeOption(
  spec: CommandSpec,
  argv: readonly string[],
  place: number,
  found: Map<string, string[]>,
): number {
  const { option, attached } = findOption(spec, argv[place] ?? "");
  const values = found.get(option.name) ?? [];
  if (values.length > 0 && option.repeat !== true) {
    throw new UsageError(`the argument '${label(option)}' cannot be used multiple times`);
  }
  let at = place;
  const takesNext = option.value !== undefined && attached === null;
  values.push(readValue(option, takesNext ? argv[++at] : attached));
  while (option.many === true && isPlainWord(argv[at + 1])) values.push(readValue(option, argv[++at]));
  found.set(option.name, values);
  return at;
}

/** A dash alone is a word, and so is the mark behind which all are. */
function isOption({ operands }: CommandSpec, word: string): boolean {
  if (word === "--") return operands === undefined;
  return word.startsWith("-") && word !== "-";
}

/** Neither an option nor the dash that stands for what comes in. */
function isPlainWord(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith("-");
}

function isSubcommand({ subcommands }: CommandSpec, word: string): boolean {
  return subcommands?.some(({ name }) => name === word) === true;
}

/** The value that stands behind an option; a switch has none and is noted as the empty text. */
function readValue(option: OptionSpec, given: string | null | undefined): string {
  if (option.value === undefined) {
    if (typeof given !== "string") return "";
    throw new UsageError(`unexpected value '${given}' for '${label(option)}' found`);
  }
  if (typeof given !== "string") {
    throw new UsageError(`a value is required for '${label(option)}' but none was supplied`);
  }
  checkValue(option, given);
  return given;
}

function checkSubcommand(spec: CommandSpec, word: string): void {
  if (isSubcommand(spec, word)) return;
  throw new UsageError(
    spec.subcommands === undefined
      ? `unexpected argument '${word}' found`
      : `unrecognized subcommand '${word}'`,
  );
}

function findOption(spec: CommandSpec, word: string): { option: OptionSpec; attached: string | null } {
  const match = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  const short = /^-([a-z])(?:=?(.+))?$/is.exec(word);
  const option = spec.options.find(({ name, short: letter, aliases = [] }) =>
    match === null
      ? letter !== undefined && letter === short?.[1]
      : name === match[1] || aliases.includes(match[1] ?? ""),
  );
  if (option === undefined)
    throw new UsageError(`unexpected argument '${match === null ? word : `--${match[1]}`}' found`);
  return { option, attached: match?.[2] ?? (match === null ? (short?.[2] ?? null) : null) };
}

function checkValue(option: OptionSpec, value: string): void {
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw new UsageError(
      `invalid value '${value}' for '${label(option)}'\n  [possible values: ${option.choices.join(", ")}]`,
    );
  }
  const reason = option.refuse?.(value) ?? null;
  if (reason !== null) throw new UsageError(`invalid value '${value}' for '${label(option)}': ${reason}`);
}

function label({ name, value }: OptionSpec): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}

/** The line that says how a command is called. */
export function renderUsage({ name, subcommands, operands }: CommandSpec): string {
  const words = [name, "[OPTIONS]", ...(subcommands === undefined ? [] : ["[COMMAND]"]), operands ?? []];
  return `Usage: ${words.flat().join(" ")}`;
}

/** The help page of a command. */
export function renderHelp(spec: CommandSpec): string {
  const sections = [spec.summary, renderUsage(spec)];
  if (spec.subcommands !== undefined) {
    sections.push(`Commands:\n${renderTable(spec.subcommands.map(({ name, summary }) => [name, summary]))}`);
  }
  const rows = spec.options.map((option): [string, string] => {
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    const choices = option.choices === undefined ? "" : ` [${option.choices.join(", ")}]`;
    return [`${short}${label(option)}`, `${option.help}${choices}`];
  });
  sections.push(`Options:\n${renderTable([...rows, ["-h, --help", "Print this page"]])}`);
  if (spec.examples.length > 0) {
    const examples = spec.examples.map(({ command, says }) => `  ${command}\n      ${says}`);
    sections.push(`Examples:\n${examples.join("\n")}`);
  }
  return `${sections.join("\n\n")}\n`;
}

function renderTable(rows: readonly (readonly [string, string] | readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
