/** The tokenizer of rules files, which are a subset of Starlark. */
import { RulesError, type SourceSpan } from "./rules-fault.ts";

export interface Token {
  readonly kind: "name" | "number" | "text" | "mark" | "newline" | "end";
  /** The source text, or the value of a string. */
  readonly text: string;
  readonly span: SourceSpan;
  /** Whether it is the first token of an indented line. */
  readonly indented: boolean;
}

const SPACE = /[ \t\r]+|\\\n|#[^\n]*/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d+/y;
const MARK = /[()[\]{},=+;:.*%<>|&^~!/-]/y;
const TEXT = /([rR]?)("""|'''|"|')/y;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "\n": "",
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([^]))/gu;

function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(source);
  }

  function push(kind: Token["kind"], text: string, end: number): void {
    const indented = at > 0 && " \t".includes(source.charAt(at - 1)) && isLineStart(tokens.at(-1));
    tokens.push({ kind, text, span: { from: at, to: end }, indented });
    at = end;
  }

  while (at < source.length) {
    const space = take(SPACE);
    if (space !== null) {
      at += space[0].length;
    } else if (source.charAt(at) === "\n") {
      // Newlines within brackets are ignored.
      if (depth === 0) push("newline", "\n", at + 1);
      else at += 1;
    } else {
      depth += takeToken();
    }
  }
  push("end", "", at);
  return tokens;

  /** Returns the change of the bracket depth. */
  function takeToken(): number {
    const text = take(TEXT);
    if (text !== null) {
      const { value, end } = readText(source, text, { from: at, to: at + text[0].length });
      push("text", value, end);
      return 0;
    }
    const word = take(NAME);
    if (word !== null) push("name", word[0], at + word[0].length);
    const number = word === null ? take(NUMBER) : null;
    if (number !== null) push("number", number[0], at + number[0].length);
    if (word !== null || number !== null) return 0;
    const mark = take(MARK)?.[0];
    if (mark === undefined) {
      const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
      throw new RulesError(`unexpected ${JSON.stringify(character)}`, {
        from: at,
        to: at + character.length,
      });
    }
    push("mark", mark, at + 1);
    return "([".includes(mark) ? 1 : ")]".includes(mark) ? -1 : 0;
  }
}

function isLineStart(before: Token | undefined): boolean {
  return before === undefined || before.kind === "newline";
}

function readText(
  source: string,
  opening: RegExpExecArray,
  span: SourceSpan,
): { value: string; end: number } {
  const [all, raw, quote = '"'] = opening;
  const start = opening.index + all.length;
  for (let at = start; at < source.length; at += 1) {
    if (source.charAt(at) === "\\") at += 1;
    else if (source.startsWith(quote, at)) {
      const body = source.slice(start, at);
      return { value: raw === "" ? unescape(body) : body, end: at + quote.length };
    } else if (source.charAt(at) === "\n" && quote.length === 1) break;
  }
  throw new RulesError("a text is not closed", span);
}

function unescape(body: string): string {
  return body.replace(ESCAPE, (sequence, ...groups: (string | undefined)[]) => {
    const [hex, short, long, octal, other = ""] = groups;
    const code = hex ?? short ?? long;
    if (code !== undefined) return fromCode(Number.parseInt(code, 16));
    if (octal !== undefined) return fromCode(Number.parseInt(octal, 8));
    return ESCAPES[other] ?? sequence;
  });
}

function fromCode(code: number): string {
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}

/** A cursor over the tokens of a rules file. */
export interface TokenCursor {
  peek(ahead?: number): Token;
  next(): Token;
  isMark(text: string, ahead?: number): boolean;
  /** Consumes the punctuation if it is next. */
  skip(text: string): boolean;
  expect(text: string): void;
}

export function openCursor(source: string): TokenCursor {
  const tokens = readTokens(source);
  let at = 0;
  // The cursor never moves past the end token.
  const peek = (ahead = 0) => tokens[Math.min(at + ahead, tokens.length - 1)] as Token;
  const isMark = (text: string, ahead = 0) => peek(ahead).kind === "mark" && peek(ahead).text === text;

  function next(): Token {
    const token = peek();
    at += 1;
    return token;
  }

  return {
    peek,
    next,
    isMark,
    skip(text) {
      const isNext = isMark(text);
      if (isNext) at += 1;
      return isNext;
    },
    expect(text) {
      const isNext = isMark(text);
      const token = next();
      if (!isNext) throw unexpected(token, `\`${text}\``);
    },
  };
}

export function unexpected({ kind, text, span }: Token, wanted: string): RulesError {
  const found =
    kind === "end" ? "the end of the file" : kind === "newline" ? "a new line" : JSON.stringify(text);
  return new RulesError(`expected ${wanted}, found ${found}`, span);
}
