/** Parses the parts of a pattern that match one of several characters: `[…]` and escapes. */
import {
  type CharacterSet,
  cachedSet,
  codeOf,
  combine,
  DIGIT,
  ignoringCase,
  not,
  posixSet,
  rangeSet,
  SPACE,
  unicodeSet,
  union,
  WORD,
} from "./character-set.ts";
import type { PatternReader } from "./pattern-reader.ts";

export type Escape =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "set"; readonly set: CharacterSet }
  | {
      readonly kind: "assertion";
      readonly name: "start" | "end" | "boundary" | "no boundary" | "word start" | "word end";
    };

const NONE: CharacterSet = () => false;
const MAX_NESTING = 50;

/** The reader is positioned after the `[` at `start`. */
export function parseClass(
  reader: PatternReader,
  start: number,
  ignoresCase: boolean,
  depth = 0,
): CharacterSet {
  if (depth > MAX_NESTING) reader.fail("exceed the maximum number of nested brackets", start, 1);
  const isNegated = reader.skip(/\^/uy) !== null;
  let left: CharacterSet | null = null;
  let operator = "";
  let items: CharacterSet[] = [];
  const fold = (): CharacterSet => (left === null ? union(items) : combine(operator, left, union(items)));
  for (let isFirst = true; ; isFirst = false) {
    const next = reader.peek();
    if (next === null) {
      reader.fail("unclosed character class", start, 1);
      return NONE;
    }
    if (next === "]" && !isFirst) break;
    const between = isFirst ? null : reader.skip(/(?:&&|--|~~)/uy);
    if (between === null) items.push(parseItem(reader, ignoresCase, depth));
    else {
      left = fold();
      operator = between;
      items = [];
    }
  }
  reader.take();
  const set = cachedSet(ignoresCase ? ignoringCase(fold()) : fold());
  return isNegated ? not(set) : set;
}

function parseItem(reader: PatternReader, ignoresCase: boolean, depth: number): CharacterSet {
  const start = reader.at;
  const named = reader.skip(/\[:\^?[a-z]+:\]/uy);
  if (named !== null) {
    const [, caret, name = ""] = /^\[:(\^?)([a-z]+)/u.exec(named) ?? [];
    const set = posixSet(name);
    if (set === undefined) reader.fail("unrecognized character class", start, named.length);
    return caret === "^" ? not(set ?? NONE) : (set ?? NONE);
  }
  if (reader.skip(/\[/uy) !== null) return parseClass(reader, start, ignoresCase, depth + 1);
  const first = parseMember(reader);
  if (first.kind !== "character") return first.kind === "set" ? first.set : NONE;
  if (reader.skip(/-(?=[^\]-])/uy) === null) return rangeSet(first.character, first.character);
  const last = parseMember(reader);
  if (last.kind !== "character" || codeOf(last.character) < codeOf(first.character)) {
    const reason = "invalid character class range, the start must be <= the end";
    reader.fail(reason, start, Math.max(1, reader.at - start));
    return NONE;
  }
  return rangeSet(first.character, last.character);
}

function parseMember(reader: PatternReader): Escape {
  const start = reader.at;
  const character = reader.take();
  if (character !== "\\") return { kind: "character", character };
  const escape = parseEscape(reader, start);
  if (escape.kind === "assertion") {
    reader.fail("invalid escape sequence found in character class", start, reader.at - start);
  }
  return escape;
}

const CONTROLS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\u0007",
};

const SETS: Readonly<Record<string, CharacterSet>> = {
  d: DIGIT,
  D: not(DIGIT),
  s: SPACE,
  S: not(SPACE),
  w: WORD,
  W: not(WORD),
};

const ASSERTIONS: Readonly<Record<string, (Escape & { kind: "assertion" })["name"]>> = {
  A: "start",
  z: "end",
  b: "boundary",
  B: "no boundary",
  "<": "word start",
  ">": "word end",
};

/** The reader is positioned after the backslash at `start`. */
export function parseEscape(reader: PatternReader, start: number): Escape {
  const unicode = reader.skip(/[pP](?:[A-Za-z]|\{\^?[A-Za-z_=]{1,100}\})/uy);
  if (unicode !== null) return parseProperty(reader, unicode, start);
  const hexadecimal = reader.skip(
    /(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[xuU]\{[0-9A-Fa-f]{1,8}\})/uy,
  );
  if (hexadecimal !== null) return parseCode(reader, hexadecimal, start);
  const letter = reader.take();
  if (letter === "") reader.fail("incomplete escape sequence, reached end of pattern prematurely", start, 1);
  if (Object.hasOwn(SETS, letter)) return { kind: "set", set: SETS[letter] ?? NONE };
  if (Object.hasOwn(ASSERTIONS, letter)) return { kind: "assertion", name: ASSERTIONS[letter] ?? "start" };
  if (Object.hasOwn(CONTROLS, letter)) return { kind: "character", character: CONTROLS[letter] ?? "" };
  if (/^[0-9]$/u.test(letter)) reader.fail("backreferences are not supported", start, 2);
  else if (!/^[!-/:-@[-`{-~ ]$/u.test(letter)) reader.fail("unrecognized escape sequence", start, 2);
  return { kind: "character", character: letter };
}

function parseProperty(reader: PatternReader, text: string, start: number): Escape {
  const name = text.slice(1).replace(/^\{/u, "").replace(/\}$/u, "");
  const set = unicodeSet(name.replace(/^\^/u, ""));
  if (set === undefined) reader.fail("Unicode property not found", start, text.length + 1);
  const isNegated = text.startsWith("P") !== name.startsWith("^");
  return { kind: "set", set: isNegated ? not(set ?? NONE) : (set ?? NONE) };
}

function parseCode(reader: PatternReader, text: string, start: number): Escape {
  const code = Number.parseInt(text.slice(1).replace("{", ""), 16);
  if (code <= 0x10ffff) return { kind: "character", character: String.fromCodePoint(code) };
  reader.fail("hexadecimal literal is not a Unicode scalar value", start, text.length + 1);
  return { kind: "character", character: "" };
}
