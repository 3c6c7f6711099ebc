import { createInterface } from "node:readline/promises";
import type { ParsedArguments } from "./command.ts";

/** Whether somebody wants it: by an option, or by an answer where there is a terminal to ask on. */
export async function isConfirmed(
  given: ParsedArguments,
  question: string,
  otherwise: string,
): Promise<boolean> {
  if (given.flag("yes")) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write(`${otherwise}: there is no terminal to ask on; use --yes\n`);
    return false;
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await prompt.question(`${question} [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}
