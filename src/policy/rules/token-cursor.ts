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
  let at = 0;
  // The last token, which is the end, is never behind the cursor.
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
