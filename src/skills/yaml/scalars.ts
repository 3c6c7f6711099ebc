// Scalars of YAML: plain, quoted and block. Line ends inside a scalar are kept or become one space, whichever
// is simpler: everything that is read here ends up on a single line.

import { atDocumentEnd, type Cursor, charAt, columnOf, fail, isGap, skipLine, skipSpaces } from "./cursor.ts";
import type { YamlScalar } from "./yaml-node.ts";

const FLOW_MARKS = ",[]{}";
const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  N: "\x85",
  _: "\xa0",
  L: "\u2028",
  P: "\u2029",
};
const HEX_ESCAPES: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Whether a colon here separates a key from its value. */
export function atColon(cursor: Cursor, place: "block" | "flow"): boolean {
  if (charAt(cursor) !== ":") return false;
  const next = charAt(cursor, 1);
  return isGap(next) || (place === "flow" && FLOW_MARKS.includes(next));
}

/** Reads a scalar without quotes; it goes on over lines that are indented deeper than `indent`. */
export function readPlain(cursor: Cursor, indent: number, place: "block" | "flow"): YamlScalar {
  const start = cursor.at;
  let goesOn = true;
  while (goesOn) {
    goesOn = skipPlainLine(cursor, place) && reachNextPlainLine(cursor, { start, indent, place });
  }
  cursor.at = trimmedEnd(cursor.text, start, cursor.at);
  const lines = cursor.text.slice(start, cursor.at).split("\n");
  const text = lines.length === 1 ? lines.join("") : lines.map((line) => line.trim()).join(" ");
  return { kind: "scalar", text, plain: true, at: start };
}

/** Moves to where the scalar stops on this line; true when that is the line's end. */
function skipPlainLine(cursor: Cursor, place: "block" | "flow"): boolean {
  for (;;) {
    const char = charAt(cursor);
    if (char === "" || char === "\n") return true;
    if (atColon(cursor, place)) return false;
    if (char === "#" && isGap(charAt(cursor, -1))) return false;
    if (place === "flow" && FLOW_MARKS.includes(char)) return false;
    cursor.at++;
  }
}

interface PlainContext {
  readonly start: number;
  readonly indent: number;
  readonly place: "block" | "flow";
}

function reachNextPlainLine(cursor: Cursor, { start, indent, place }: PlainContext): boolean {
  const lineEnd = cursor.at;
  while (charAt(cursor) === "\n") {
    cursor.at++;
    while (charAt(cursor) === " ") cursor.at++;
    if (charAt(cursor) === "\t" && columnOf(cursor) <= indent) {
      fail(cursor, "found a tab character that violates indentation", "scanning a plain scalar", start);
    }
    skipSpaces(cursor);
  }
  const goesOn =
    !atDocumentEnd(cursor) && charAt(cursor) !== "#" && (place === "flow" || columnOf(cursor) > indent);
  if (!goesOn) cursor.at = lineEnd;
  return goesOn;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && isGap(text.charAt(trimmed - 1))) trimmed--;
  return trimmed;
}

/** Reads a scalar in single or double quotes. */
export function readQuoted(cursor: Cursor): YamlScalar {
  const start = cursor.at;
  const quote = charAt(cursor);
  const parts: string[] = [];
  const stop = quote === '"' ? /["\\\n]/g : /['\n]/g;
  cursor.at++;
  for (;;) {
    stop.lastIndex = cursor.at;
    const end = stop.exec(cursor.text)?.index ?? cursor.text.length;
    const literal = cursor.text.slice(cursor.at, end);
    cursor.at = end;
    const char = charAt(cursor);
    if (char === "") fail(cursor, "found unexpected end of stream", "scanning a quoted scalar", start);
    if (char === "\n") {
      skipBreaks(cursor);
      parts.push(literal.trimEnd(), " ");
    } else if (char === "\\") parts.push(literal, readEscape(cursor, start));
    else if (char === "'" && charAt(cursor, 1) === "'") {
      cursor.at += 2;
      parts.push(literal, "'");
    } else {
      cursor.at++;
      return { kind: "scalar", text: [...parts, literal].join(""), plain: false, at: start };
    }
  }
}

function skipBreaks(cursor: Cursor): void {
  while (charAt(cursor) === "\n" || charAt(cursor) === " " || charAt(cursor) === "\t") cursor.at++;
}

function readEscape(cursor: Cursor, start: number): string {
  const letter = charAt(cursor, 1);
  if (letter === "\n") {
    cursor.at++;
    skipBreaks(cursor);
    return "";
  }
  const width = HEX_ESCAPES[letter];
  if (width === undefined) {
    const meaning = ESCAPES[letter];
    if (meaning === undefined) {
      fail(cursor, "found unknown escape character", "parsing a quoted scalar", start);
    }
    cursor.at += 2;
    return meaning;
  }
  cursor.at += 2;
  const digits = cursor.text.slice(cursor.at, cursor.at + width);
  if (!new RegExp(`^[0-9a-fA-F]{${width}}$`).test(digits)) {
    fail(cursor, "did not find expected hexadecimal number", "parsing a quoted scalar", start);
  }
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    fail(cursor, "found invalid Unicode character escape code", "parsing a quoted scalar", start);
  }
  cursor.at += width;
  return String.fromCodePoint(code);
}

/** Reads the lines after `|` or `>`, which are indented deeper than `indent`. */
export function readBlockScalar(cursor: Cursor, indent: number): YamlScalar {
  const start = cursor.at;
  let depth = readBlockHeader(cursor, indent);
  const lines: string[] = [];
  while (charAt(cursor) === "\n") {
    const end = cursor.text.indexOf("\n", cursor.at + 1);
    const line = cursor.text.slice(cursor.at + 1, end === -1 ? undefined : end);
    const width = line.search(/[^ ]/);
    if (width !== -1) {
      depth ??= Math.max(width, indent + 1, 1);
      if (width < depth) break;
    }
    lines.push(line.slice(depth ?? 0));
    cursor.at = end === -1 ? cursor.text.length : end;
  }
  while (lines.at(-1) === "") lines.pop();
  return { kind: "scalar", text: lines.join("\n"), plain: false, at: start };
}

/** Reads the line that `|` or `>` stands on; returns the indentation of the lines below if it is given. */
function readBlockHeader(cursor: Cursor, indent: number): number | null {
  const start = cursor.at;
  const header = /^[|>](?:[1-9][+-]|[+-]?[1-9]?)/.exec(cursor.text.slice(start, start + 3))?.[0] ?? "";
  cursor.at += header.length;
  skipSpaces(cursor);
  if (charAt(cursor) === "#") skipLine(cursor);
  if (charAt(cursor) !== "\n" && charAt(cursor) !== "") {
    fail(cursor, "did not find expected comment or line break", "scanning a block scalar", start);
  }
  const given = /\d/.exec(header)?.[0];
  return given === undefined ? null : Math.max(indent, 0) + Number(given);
}
