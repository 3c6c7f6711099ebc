import { basename } from "node:path";

/** A command as a part of a list of words, so that looking into it copies nothing. */
export interface Span {
  readonly words: readonly string[];
  readonly from: number;
  /** Behind the last word. */
  readonly to: number;
  /** What it reads from its standard input, as far as that is known. */
  readonly input: string | null;
}

export function wholeSpan(words: readonly string[], input: string | null = null): Span {
  return { words, from: 0, to: words.length, input };
}

/** The name of the program at this place. Some systems do not tell capitals; `=rm` is zsh for the path of rm. */
export function programName(words: readonly string[], at: number): string {
  const word = words[at] ?? "";
  const path = word.startsWith("=") ? word.slice(1) : word;
  return (path.includes("/") ? basename(path) : path).toLowerCase();
}
