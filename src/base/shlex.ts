/** Joins words into a POSIX shell command line and splits it again. */

const PLAIN = /[-+./:@\]_0-9A-Za-z]/;

/** Quotes the words so that a shell parses exactly these words. */
export function joinWords(words: readonly string[]): string {
  if (words.some((word) => word.includes("\0"))) return "<command included NUL byte>";
  return words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  if (word === "") return "''";
  let quoted = "";
  let at = 0;
  while (at < word.length) {
    const { end, style } = pickStyle(word, at);
    const piece = word.slice(at, end);
    if (style === "plain") quoted += piece;
    else if (style === "single") quoted += `'${piece}'`;
    else quoted += `"${piece.replaceAll(/[$`"\\]/g, String.raw`\$&`)}"`;
    at = end;
  }
  return quoted;
}

/** The longest run from `start` that one quoting style can hold, and the plainest such style. */
function pickStyle(word: string, start: number) {
  // Shells with history expand a caret unless it comes right after a single quote.
  const isCaret = word.charAt(start) === "^";
  let plain = !isCaret;
  let single = true;
  let double = !isCaret;
  let end = isCaret ? start + 1 : start;
  for (; end < word.length; end += 1) {
    const character = word.charAt(end);
    const isPlain = PLAIN.test(character);
    const fitsSingle: boolean = single && !"'^\\".includes(character);
    const fitsDouble: boolean = double && !"`$!^".includes(character);
    if (!(plain && isPlain) && !fitsSingle && !fitsDouble) break;
    plain &&= isPlain;
    single = fitsSingle;
    double = fitsDouble;
  }
  return { end, style: plain ? "plain" : single ? "single" : "double" } as const;
}

const UNQUOTED = /[^ \t\n'"\\]+/y;

/** The words of a line, without expansion; null if a quote or an escape is unterminated. */
export function splitWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < line.length) {
    const character = line.charAt(at);
    if (" \t\n".includes(character)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else if (character === "#" && word === null) {
      at = lineEnd(line, at);
    } else {
      const read = readPiece(line, at);
      if (read === null) return null;
      word = (word ?? "") + read.text;
      at = read.end;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

interface Piece {
  readonly text: string;
  readonly end: number;
}

function lineEnd(line: string, at: number): number {
  const end = line.indexOf("\n", at);
  return end < 0 ? line.length : end;
}

/** A quoted part of a word, an escaped character, or a run of plain characters. */
function readPiece(line: string, at: number): Piece | null {
  const character = line.charAt(at);
  if (character === "'" || character === '"') return readQuoted(line, at);
  if (character !== "\\") {
    UNQUOTED.lastIndex = at;
    const text = UNQUOTED.exec(line)?.[0] ?? character;
    return { text, end: at + text.length };
  }
  if (at + 1 === line.length) return null;
  const escaped = line.charAt(at + 1);
  return { text: escaped === "\n" ? "" : escaped, end: at + 2 };
}

function readQuoted(line: string, start: number): Piece | null {
  const quote = line.charAt(start);
  let text = "";
  for (let at = start + 1; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === quote) return { text, end: at + 1 };
    if (character === "\\" && quote === '"') {
      at += 1;
      if (at === line.length) return null;
      const escaped = line.charAt(at);
      if (escaped === "\n") continue;
      text += '$`"\\'.includes(escaped) ? escaped : `\\${escaped}`;
    } else text += character;
  }
  return null;
}
