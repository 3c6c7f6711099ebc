/** Reads the words behind a command by its declaration. */
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
    const word = argv[at] ?? "";
    if (word === "--" && command.operands !== undefined) {
      for (const operand of argv.slice(at + 1)) takeOperand(command, operand, operands);
      at = argv.length;
    } else if (word === "--help" || word === "-h") wantsHelp = true;
    else if (isOption(word)) at = takeOption(command, argv, at, found);
    else {
      subcommand = command.subcommands?.find(({ name }) => name === word) ?? null;
      if (subcommand === null) takeOperand(command, word, operands);
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

/** Refuses more words than the placeholders of a command have room for. */
function takeOperand({ operands: places, subcommands }: Command, word: string, operands: string[]): void {
  const most =
    places?.endsWith("...]") || places?.endsWith("...>") ? Number.POSITIVE_INFINITY : countOf(places);
  if (operands.length < most) {
    operands.push(word);
    return;
  }
  const nearest = nearestName(word, subcommands?.map(({ name }) => name) ?? []);
  const tip = nearest === null ? null : `a similar subcommand exists: '${nearest}'`;
  const isSubcommand = subcommands !== undefined && places === undefined;
  throw new UsageError(
    isSubcommand ? `unrecognized subcommand '${word}'` : `unexpected argument '${word}' found`,
    tip,
  );
}

function countOf(places: string | undefined): number {
  return places === undefined ? 0 : places.split(" ").length;
}

/** Refuses fewer words than a command needs. */
export function checkOperands({ operands: places }: Command, { operands }: ParsedArguments): void {
  const lacking = (places?.split(" ") ?? []).slice(operands.length).filter((place) => place.startsWith("<"));
  if (lacking.length === 0) return;
  throw new UsageError(`the following required arguments were not provided: ${lacking.join(" ")}`);
}

/** Notes the option that stands here with its values, and says where the last of them stands. */
function takeOption(
  command: Command,
  argv: readonly string[],
  place: number,
  found: Map<string, string[]>,
): number {
  const { option, attached } = findOption(command, argv[place] ?? "");
  if (option.unsupported !== undefined) {
    throw new UsageError(`the argument '--${option.name}' is not supported: ${option.unsupported}`);
  }
  const values = found.get(option.name) ?? [];
  if (values.length > 0 && option.repeat !== true) {
    throw new UsageError(`the argument '${labelOf(option)}' cannot be used multiple times`);
  }
  let at = place;
  const takesNext = option.value !== undefined && attached === null;
  values.push(readValue(option, takesNext ? argv[++at] : attached));
  while (option.many === true && isPlainWord(argv[at + 1])) values.push(readValue(option, argv[++at]));
  found.set(option.name, values);
  return at;
}

/** A dash alone is a word. */
function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** Neither an option nor the dash that stands for what comes in. */
function isPlainWord(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith("-");
}

/** The value that stands behind an option; a switch has none and is noted as the empty text. */
function readValue(option: OptionSpec, given: string | null | undefined): string {
  if (option.value === undefined) {
    if (typeof given !== "string") return "";
    throw new UsageError(`unexpected value '${given}' for '${labelOf(option)}' found`);
  }
  if (typeof given !== "string") {
    throw new UsageError(`a value is required for '${labelOf(option)}' but none was supplied`);
  }
  checkValue(option, given);
  return given;
}

function findOption(command: Command, word: string): { option: OptionSpec; attached: string | null } {
  const match = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  const short = /^-([a-z])(?:=?(.+))?$/is.exec(word);
  const option = command.options.find(({ name, short: letter, aliases = [] }) =>
    match === null
      ? letter !== undefined && letter === short?.[1]
      : name === match[1] || aliases.includes(match[1] ?? ""),
  );
  if (option === undefined) throw unknownOption(command, match?.[1] ?? null, word);
  return { option, attached: match?.[2] ?? (match === null ? (short?.[2] ?? null) : null) };
}

function unknownOption({ options, operands }: Command, name: string | null, word: string): UsageError {
  const names = options.flatMap((option) => [option.name, ...(option.aliases ?? [])]);
  const nearest = name === null ? null : nearestName(name, [...names, "help"]);
  const near = nearest === null ? null : `a similar argument exists: '--${nearest}'`;
  // A prompt may begin with a dash.
  const tip = near ?? (operands === undefined ? null : `to pass '${word}' as a value, use '-- ${word}'`);
  return new UsageError(`unexpected argument '${name === null ? word : `--${name}`}' found`, tip);
}

function checkValue(option: OptionSpec, value: string): void {
  const { choices } = option;
  if (choices !== undefined && !choices.includes(value)) {
    const nearest = nearestName(value, choices);
    throw new UsageError(
      `invalid value '${value}' for '${labelOf(option)}'\n  [possible values: ${choices.join(", ")}]`,
      nearest === null ? null : `a similar value exists: '${nearest}'`,
    );
  }
  const reason = option.refuse?.(value) ?? null;
  if (reason !== null) throw new UsageError(`invalid value '${value}' for '${labelOf(option)}': ${reason}`);
}

/** The option with the placeholder of its value. */
export function labelOf({ name, value }: OptionSpec): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`;
}
