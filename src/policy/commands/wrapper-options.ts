/** Parses the options of a program by its row in the table of wrappers. */
import { basename } from "node:path";
import { EXPANSION } from "../shell/scan.ts";
import type { Wrapper } from "./wrappers.ts";

/** A command as a slice of a word list, so that searching inner commands copies nothing. */
export interface CommandSlice {
  readonly words: readonly string[];
  readonly from: number;
  /** The index after the last word. */
  readonly to: number;
  /** Its standard input, if known. */
  readonly input: string | null;
}

export function wholeCommand(words: readonly string[], input: string | null = null): CommandSlice {
  return { words, from: 0, to: words.length, input };
}

/** The program name at this index. Lower case, because some systems ignore case; `=rm` is zsh for the path of rm. */
export function programName(words: readonly string[], at: number): string {
  const word = words[at] ?? "";
  const path = word.startsWith("=") ? word.slice(1) : word;
  return (path.includes("/") ? basename(path) : path).toLowerCase();
}

export interface OptionsRead {
  /** The index of the first word after the options. */
  readonly end: number;
  /** The number of expansions among the options, which may be options or something else. */
  readonly expansions: number;
  /** Indexes of operands before the end, if options may follow them. */
  readonly operands: readonly number[];
  /** The value of the last option with one of the wanted names. */
  readonly wanted: string | null;
  /** Whether all options are in the table. */
  readonly isSure: boolean;
}

interface Option {
  readonly name: string;
  readonly isKnown: boolean;
  readonly value: string | null;
  /** Whether the next word is its value. */
  readonly takesNext: boolean;
}

const UNKNOWN: Option = { name: "", isKnown: false, value: null, takesNext: false };

interface ReadOptionsMode {
  /** Names of the options whose value is returned. */
  readonly wanted: string;
  /** Whether options may follow operands; if not, parsing stops at the first wanted option. */
  readonly permutes: boolean;
}

export function readOptions(
  row: Wrapper,
  slice: CommandSlice,
  { wanted, permutes }: ReadOptionsMode,
): OptionsRead {
  const { words, from, to } = slice;
  const names = wanted.split(" ");
  const operands: number[] = [];
  let found: string | null = null;
  let expansions = 0;
  let isSure = true;
  let at = from + 1;
  for (let isOpen = true; isOpen && at < to; at += 1) {
    const word = words[at] ?? "";
    const kind = kindOf(row, word);
    if (kind === "operand" && !permutes) break;
    if (kind === "operand") operands.push(at);
    else if (kind === "expansion") expansions += 1;
    else if (kind === "end") isOpen = false;
    else if (kind === "option") {
      const { name, value, isKnown, takesNext } = readOption(row, word, words[at + 1]);
      isSure &&= isKnown;
      if (takesNext) at += 1;
      if (value === null || !names.includes(name)) continue;
      found = value;
      isOpen = permutes;
    }
  }
  return { end: Math.min(at, to), expansions, operands, wanted: found, isSure };
}

function kindOf(row: Wrapper, word: string): "end" | "expansion" | "flag" | "operand" | "option" {
  if (word === "--") return "end";
  if (word.startsWith(EXPANSION)) return "expansion";
  if (word === "-") return row.dash === true ? "flag" : "operand";
  if (!word.startsWith("-")) return "operand";
  return row.numbers === true && /^-[-+]?\d+$/.test(word) ? "flag" : "option";
}

function readOption(row: Wrapper, word: string, next = ""): Option {
  const option = word.startsWith("--") ? longOption(row, word) : shortOption(row, word);
  return option.takesNext ? { ...option, value: next } : option;
}

/** Only the last option of a group may have a value. */
function shortOption({ flags = "", values = "", optional = "" }: Wrapper, word: string): Option {
  for (let at = 1; at < word.length; at += 1) {
    const name = word.charAt(at);
    const value = at + 1 < word.length ? word.slice(at + 1) : null;
    if (values.includes(name)) return { name, isKnown: true, value, takesNext: value === null };
    if (optional.includes(name)) return { name, isKnown: true, value, takesNext: false };
    if (!flags.includes(name)) return UNKNOWN;
  }
  return { name: "", isKnown: true, value: null, takesNext: false };
}

const COMMON_LONG_OPTIONS = ["help", "version"];

function longOption({ long = "" }: Wrapper, word: string): Option {
  const equals = word.indexOf("=");
  const given = word.slice(2, equals < 0 ? undefined : equals);
  const names = [...long.split(" "), ...COMMON_LONG_OPTIONS];
  const exact = names.filter((name) => name === given || name === `${given}=`);
  const candidates = exact.length > 0 ? exact : names.filter((name) => name.startsWith(given));
  const takesValue = candidates[0]?.endsWith("=") === true;
  const agree = candidates.length > 0 && candidates.every((name) => name.endsWith("=") === takesValue);
  const name = (candidates[0] ?? "").replace(/=$/, "");
  if (!agree) return UNKNOWN;
  const value = equals < 0 ? null : word.slice(equals + 1);
  return { name, isKnown: true, value, takesNext: takesValue && value === null };
}
