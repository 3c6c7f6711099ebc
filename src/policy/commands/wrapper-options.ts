/** Reads the options of a program as its row in the table of wrappers says. */
import { basename } from "node:path";
import { EXPANSION } from "../shell/scan.ts";
import type { Wrapper } from "./wrappers.ts";

/** A command as a part of a list of words, so that looking into it copies nothing. */
export interface CommandSlice {
  readonly words: readonly string[];
  readonly from: number;
  /** Behind the last word. */
  readonly to: number;
  /** What it reads from its standard input, as far as that is known. */
  readonly input: string | null;
}

export function wholeCommand(words: readonly string[], input: string | null = null): CommandSlice {
  return { words, from: 0, to: words.length, input };
}

/** The name of the program at this place. Some systems do not tell capitals; `=rm` is zsh for the path of rm. */
export function programName(words: readonly string[], at: number): string {
  const word = words[at] ?? "";
  const path = word.startsWith("=") ? word.slice(1) : word;
  return (path.includes("/") ? basename(path) : path).toLowerCase();
}

export interface OptionsRead {
  /** The first word behind the options. */
  readonly end: number;
  /** Words among the options that only the shell knows; they may be options or something else. */
  readonly expansions: number;
  /** Words before the end that are no options, where options may follow them. */
  readonly operands: readonly number[];
  /** The value that the last option with one of the wanted names had, and whether any option is not in the table. */
  readonly wanted: string | null;
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

interface Reading {
  /** Names of options whose value is wanted. */
  readonly wanted: string;
  /** Whether options may stand behind other words; if not, the first wanted one is the last that is read. */
  readonly permutes: boolean;
}

export function readOptions(row: Wrapper, slice: CommandSlice, { wanted, permutes }: Reading): OptionsRead {
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

/** The last letter of a group may have a value; those before it have none. */
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

const EVERYWHERE = ["help", "version"];

function longOption({ long = "" }: Wrapper, word: string): Option {
  const equals = word.indexOf("=");
  const given = word.slice(2, equals < 0 ? undefined : equals);
  const names = [...long.split(" "), ...EVERYWHERE];
  const meant = names.filter((name) => name === given || name === `${given}=`);
  const candidates = meant.length > 0 ? meant : names.filter((name) => name.startsWith(given));
  const takesValue = candidates[0]?.endsWith("=") === true;
  const agree = candidates.length > 0 && candidates.every((name) => name.endsWith("=") === takesValue);
  const name = (candidates[0] ?? "").replace(/=$/, "");
  if (!agree) return UNKNOWN;
  const value = equals < 0 ? null : word.slice(equals + 1);
  return { name, isKnown: true, value, takesNext: takesValue && value === null };
}
