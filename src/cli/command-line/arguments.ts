/** Parses the arguments of a command by its declaration. */
import {
  type Command,
  type CommandEntry,
  type OptionSpec,
  type ParsedArguments,
  UsageError,
} from "./command.ts";
import { nearestName } from "./nearest-name.ts";

export function parseArguments(command: Command, argv: readonly string[]): ParsedArguments {
  const found = new Map<string, string[]>();
  const operands: string[] = [];
  let subcommand: CommandEntry | null = null;
  let wantsHelp = false;
  let at = 0;
  for (; at < argv.length && subcommand === null; at++) {
    const arg = argv[at] ?? "";
    if (arg === "--" && command.operands !== undefined) {
      for (const operand of argv.slice(at + 1)) addOperand(command, operand, operands);
      at = argv.length;
    } else if (arg === "--help" || arg === "-h") wantsHelp = true;
    else if (isOption(arg)) at = parseOption(command, argv, at, found);
    else {
      subcommand = command.subcommands?.find(({ name }) => name === arg) ?? null;
      if (subcommand === null) addOperand(command, arg, operands);
    }
  }
  return {
    flag: (name) => found.has(name),
    value: (name) => found.get(name)?.at(-1),
    values: (name) => found.get(name) ?? [],
    subcommand,
    rest: argv.slice(at),
    operands,
    wantsHelp,
  };
}

/** Throws a `UsageError` for more operands than the command has placeholders. */
function addOperand({ operands: placeholders, subcommands }: Command, arg: string, operands: string[]): void {
  const max =
    placeholders?.endsWith("...]") || placeholders?.endsWith("...>")
      ? Number.POSITIVE_INFINITY
      : countPlaceholders(placeholders);
  if (operands.length < max) {
    operands.push(arg);
    return;
  }
  const nearest = nearestName(arg, subcommands?.map(({ name }) => name) ?? []);
  const tip = nearest === null ? null : `a similar subcommand exists: '${nearest}'`;
  const isSubcommand = subcommands !== undefined && placeholders === undefined;
  throw new UsageError(
    isSubcommand ? `unrecognized subcommand '${arg}'` : `unexpected argument '${arg}' found`,
    tip,
  );
}

function countPlaceholders(placeholders: string | undefined): number {
  return placeholders === undefined ? 0 : placeholders.split(" ").length;
}

/** Throws a `UsageError` for missing required operands. */
export function checkOperands({ operands: placeholders }: Command, { operands }: ParsedArguments): void {
  const missing = (placeholders?.split(" ") ?? [])
    .slice(operands.length)
    .filter((name) => name.startsWith("<"));
  if (missing.length === 0) return;
  throw new UsageError(`the following required arguments were not provided: ${missing.join(" ")}`);
}

/** Records the option at `start` with its values, and returns the index of its last argument. */
function parseOption(
  command: Command,
  argv: readonly string[],
  start: number,
  found: Map<string, string[]>,
): number {
  const { option, attached } = findOption(command, argv[start] ?? "");
  if (option.unsupported !== undefined) {
    throw new UsageError(`the argument '--${option.name}' is not supported: ${option.unsupported}`);
  }
  const values = found.get(option.name) ?? [];
  if (values.length > 0 && option.repeat !== true) {
    throw new UsageError(`the argument '${optionLabel(option)}' cannot be used multiple times`);
  }
  let at = start;
  const takesNext = option.value !== undefined && attached === null;
  values.push(readValue(option, takesNext ? argv[++at] : attached));
  while (option.many === true && isPlainArgument(argv[at + 1])) values.push(readValue(option, argv[++at]));
  found.set(option.name, values);
  return at;
}

/** A single dash is an operand. */
function isOption(arg: string): boolean {
  return arg.startsWith("-") && arg !== "-";
}

/** Neither an option nor the dash that means stdin. */
function isPlainArgument(arg: string | undefined): boolean {
  return arg !== undefined && !arg.startsWith("-");
}

/** Validates the value of an option; a switch has none and is recorded as an empty string. */
function readValue(option: OptionSpec, value: string | null | undefined): string {
  if (option.value === undefined) {
    if (typeof value !== "string") return "";
    throw new UsageError(`unexpected value '${value}' for '${optionLabel(option)}' found`);
  }
  if (typeof value !== "string") {
    throw new UsageError(`a value is required for '${optionLabel(option)}' but none was supplied`);
  }
  checkValue(option, value);
  return value;
}

function findOption(command: Command, arg: string): { option: OptionSpec; attached: string | null } {
  const match = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
  const short = /^-([a-z])(?:=?(.+))?$/is.exec(arg);
  const option = command.options.find(({ name, short: letter, aliases = [] }) =>
    match === null
      ? letter !== undefined && letter === short?.[1]
      : name === match[1] || aliases.includes(match[1] ?? ""),
  );
  if (option === undefined) throw unknownOption(command, match?.[1] ?? null, arg);
  return { option, attached: match?.[2] ?? (match === null ? (short?.[2] ?? null) : null) };
}

function unknownOption({ options, operands }: Command, name: string | null, arg: string): UsageError {
  const names = options.flatMap((option) => [option.name, ...(option.aliases ?? [])]);
  const nearest = name === null ? null : nearestName(name, [...names, "help"]);
  const near = nearest === null ? null : `a similar argument exists: '--${nearest}'`;
  // Operands such as prompts may begin with a dash.
  const tip = near ?? (operands === undefined ? null : `to pass '${arg}' as a value, use '-- ${arg}'`);
  return new UsageError(`unexpected argument '${name === null ? arg : `--${name}`}' found`, tip);
}

function checkValue(option: OptionSpec, value: string): void {
  const { choices } = option;
  if (choices !== undefined && !choices.includes(value)) {
    const nearest = nearestName(value, choices);
    throw new UsageError(
      `invalid value '${value}' for '${optionLabel(option)}'\n  [possible values: ${choices.join(", ")}]`,
      nearest === null ? null : `a similar value exists: '${nearest}'`,
    );
  }
  const reason = option.validate?.(value) ?? null;
  if (reason !== null)
    throw new UsageError(`invalid value '${value}' for '${optionLabel(option)}': ${reason}`);
}

/** The option with its value placeholder, as in `--limit <N>`. */
export function optionLabel({ name, value }: OptionSpec): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
