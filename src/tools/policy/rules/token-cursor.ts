import { RulesError } from "./rules-fault.ts";
import { readTokens, type Token } from "./rules-tokens.ts";

/** Walks over the tokens of a rules file. */
export interface TokenCursor {
  peek(ahead?: number): Token;
  next(): Token;
  isMark(text: string, ahead?: number): boolean;
  /** Takes the mark if it is next. */
  skip(text: string): boolean;
  expect(text: string): void;
}

export function openCursor(source: string): TokenCursor {
  const tokens = readTokens(source);
  const end: Token = tokens.at(-1) ?? { kind: "end", text: "", line: 1, indented: false };
  let at = 0;
  const peek = (ahead = 0) => tokens[at + ahead] ?? end;
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

export function unexpected({ kind, text, line }: Token, wanted: string): RulesError {
  const found =
    kind === "end" ? "the end of the file" : kind === "newline" ? "a new line" : JSON.stringify(text);
  return new RulesError(`expected ${wanted}, found ${found}`, line);
}
