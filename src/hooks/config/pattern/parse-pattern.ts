/**
 * Parses a regular expression in the peer's dialect, which has neither look-around nor back-references, so
 * that every pattern matches in time linear in the subject. Greediness is parsed and dropped, because only
 * the existence of a match is ever tested.
 */

import { ANY, type CharacterSet, ignoringCase, NOT_NEWLINE, rangeSet, WORD } from "./character-set.ts";
import { type Escape, parseClass, parseEscape } from "./parse-class.ts";
import { createPatternReader, type PatternReader } from "./pattern-reader.ts";

export type PatternNode =
  | { readonly kind: "set"; readonly has: CharacterSet }
  /** Consumes nothing; null is the end of the subject on that side. */
  | { readonly kind: "assertion"; readonly holds: (before: string | null, after: string | null) => boolean }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "alternatives"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly least: number;
      readonly most: number | null;
    };

export type ParsedPattern =
  | { readonly ok: true; readonly node: PatternNode }
  | { readonly ok: false; readonly reason: string };

interface Flags {
  readonly ignoresCase: boolean;
  readonly isMultiLine: boolean;
  readonly dotIsAll: boolean;
  readonly isVerbose: boolean;
}

const NO_FLAGS: Flags = { ignoresCase: false, isMultiLine: false, dotIsAll: false, isVerbose: false };
const NOTHING: PatternNode = { kind: "sequence", nodes: [] };
/** Limits for nested groups and for stacked repetition operators; both are walked recursively. */
const MAX_NESTING = 100;
const MAX_REPEATS = 10;

export function parsePattern(pattern: string): ParsedPattern {
  const reader = createPatternReader(pattern);
  const node = parseAlternatives(reader, NO_FLAGS, 0);
  if (reader.peek() === ")") reader.fail("unopened group", reader.at, 1);
  const fault = reader.fault();
  return fault === null ? { ok: true, node } : { ok: false, reason: fault };
}

function parseAlternatives(reader: PatternReader, outer: Flags, depth: number): PatternNode {
  if (depth > MAX_NESTING) {
    reader.fail(`exceed the maximum number of nested parentheses/brackets (${MAX_NESTING})`, reader.at, 1);
  }
  const branches: PatternNode[] = [];
  let flags = outer;
  let nodes: PatternNode[] = [];
  for (let next = peekSignificant(reader, flags); next !== null && next !== ")"; ) {
    if (next === "|") {
      reader.take();
      branches.push({ kind: "sequence", nodes });
      nodes = [];
    } else {
      const parsed = parseAtom(reader, flags, depth);
      if ("flags" in parsed) flags = parsed.flags;
      else nodes.push(parseRepeats(reader, parsed.node, flags));
    }
    next = peekSignificant(reader, flags);
  }
  branches.push({ kind: "sequence", nodes });
  return branches.length === 1 ? (branches[0] ?? NOTHING) : { kind: "alternatives", nodes: branches };
}

/** In verbose mode blanks and comments are insignificant. */
function peekSignificant(reader: PatternReader, { isVerbose }: Flags): string | null {
  if (isVerbose) reader.skip(/(?:\s|#[^\n]*)+/uy);
  return reader.peek();
}

type Atom = { readonly node: PatternNode } | { readonly flags: Flags };

function parseAtom(reader: PatternReader, flags: Flags, depth: number): Atom {
  const start = reader.at;
  const character = reader.take();
  switch (character) {
    case "(":
      return parseGroup(reader, flags, depth, start);
    case "[":
      return { node: setNode(parseClass(reader, start, flags.ignoresCase)) };
    case ".":
      return { node: setNode(flags.dotIsAll ? ANY : NOT_NEWLINE) };
    case "^":
      return { node: assertion(flags.isMultiLine ? "line start" : "start") };
    case "$":
      return { node: assertion(flags.isMultiLine ? "line end" : "end") };
    case "\\":
      return { node: fromEscape(parseEscape(reader, start), flags) };
    case "*":
    case "+":
    case "?":
    case "{":
      reader.fail("repetition operator missing expression", start, 1);
      return { node: NOTHING };
    default:
      return { node: literal(character, flags) };
  }
}

function literal(character: string, { ignoresCase }: Flags): PatternNode {
  const set = rangeSet(character, character);
  return setNode(ignoresCase ? ignoringCase(set) : set);
}

function setNode(has: CharacterSet): PatternNode {
  return { kind: "set", has };
}

function fromEscape(escape: Escape, flags: Flags): PatternNode {
  if (escape.kind === "set") return setNode(escape.set);
  if (escape.kind === "assertion") return assertion(escape.name);
  return literal(escape.character, flags);
}

const ASSERTIONS = {
  start: (before: string | null) => before === null,
  end: (_: string | null, after: string | null) => after === null,
  "line start": (before: string | null) => before === null || before === "\n",
  "line end": (_: string | null, after: string | null) => after === null || after === "\n",
  boundary: (before: string | null, after: string | null) => isWord(before) !== isWord(after),
  "no boundary": (before: string | null, after: string | null) => isWord(before) === isWord(after),
  "word start": (before: string | null, after: string | null) => !isWord(before) && isWord(after),
  "word end": (before: string | null, after: string | null) => isWord(before) && !isWord(after),
};

type AssertionName = keyof typeof ASSERTIONS;

function assertion(name: AssertionName): PatternNode {
  return { kind: "assertion", holds: ASSERTIONS[name] };
}

function isWord(character: string | null): boolean {
  return character !== null && WORD(character);
}

function parseGroup(reader: PatternReader, outer: Flags, depth: number, start: number): Atom {
  let flags = outer;
  const looks = reader.skip(/\?<?[=!]/uy);
  if (looks !== null) {
    const reason = "look-around, including look-ahead and look-behind, is not supported";
    reader.fail(reason, start, looks.length + 1);
    return { node: NOTHING };
  }
  if (reader.skip(/\?P?<[A-Za-z_][\w.[\]]*>/uy) === null && reader.skip(/\?/uy) !== null) {
    const given = reader.skip(/[a-zA-Z-]*/uy) ?? "";
    const changed = changeFlags(outer, given);
    if (changed === null) reader.fail("unrecognized flag", reader.at - given.length, given.length);
    flags = changed ?? outer;
    if (reader.skip(/\)/uy) !== null) return { flags };
    if (reader.skip(/:/uy) === null) reader.fail("unrecognized flag", reader.at, 1);
  }
  const node = parseAlternatives(reader, flags, depth + 1);
  if (reader.skip(/\)/uy) === null) reader.fail("unclosed group", start, 1);
  return { node };
}

const FLAG_NAMES: Readonly<Record<string, keyof Flags | null>> = {
  i: "ignoresCase",
  m: "isMultiLine",
  s: "dotIsAll",
  x: "isVerbose",
  // Greediness, and a flag that is always set.
  U: null,
  u: null,
};

/** Null for an unknown flag. */
function changeFlags(flags: Flags, given: string): Flags | null {
  let changed = flags;
  let value = true;
  for (const letter of given) {
    const name = Object.hasOwn(FLAG_NAMES, letter) ? FLAG_NAMES[letter] : undefined;
    if (letter === "-" && value) value = false;
    else if (name === undefined || (letter === "u" && !value)) return null;
    else if (name !== null) changed = { ...changed, [name]: value };
  }
  return changed;
}

function parseRepeats(reader: PatternReader, atom: PatternNode, flags: Flags): PatternNode {
  let node = atom;
  let count = 0;
  for (let next = peekSignificant(reader, flags); next !== null && "*+?{".includes(next); ) {
    const at = reader.at;
    count += 1;
    if (count > MAX_REPEATS) reader.fail(`more than ${MAX_REPEATS} repetition operators in a row`, at, 1);
    const [least, most] = next === "{" ? parseCount(reader) : parseOperator(reader);
    reader.skip(/\?/uy);
    if (most !== null && least > most) {
      reader.fail("invalid repetition count range, the start must be <= the end", at, reader.at - at);
    }
    node = { kind: "repeat", node, least, most };
    next = peekSignificant(reader, flags);
  }
  return node;
}

type Count = readonly [least: number, most: number | null];

function parseOperator(reader: PatternReader): Count {
  const operator = reader.take();
  return [operator === "+" ? 1 : 0, operator === "?" ? 1 : null];
}

function parseCount(reader: PatternReader): Count {
  const start = reader.at;
  const counted = reader.skip(/\{\s*\d{1,9}\s*(?:,\s*(?:\d{1,9}\s*)?)?\}/uy);
  if (counted === null) {
    const isOpen = reader.skip(/\{[^}]*\}/uy) === null;
    const reason = isOpen ? "unclosed counted repetition" : "repetition quantifier expects a valid decimal";
    reader.fail(reason, start, 1);
    return [0, 0];
  }
  const [least = "0", most] = counted.slice(1, -1).split(",");
  if (most === undefined) return [Number(least), Number(least)];
  return [Number(least), most.trim() === "" ? null : Number(most)];
}
