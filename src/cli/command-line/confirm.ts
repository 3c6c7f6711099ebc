import { createInterface } from "node:readline";
import type { ParsedArguments } from "./command.ts";

/** Whether there is somebody who could answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

export interface Questions {
  /** One line of an answer; empty where there is none. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Asks on the terminal. What is typed before it is asked for answers the next question. */
export function openQuestions(): Questions {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const early: string[] = [];
  let isClosed = false;
  let answered = (line: string): void => void early.push(line);
  prompt.on("line", (line) => answered(line));
  // The end of input answers nothing, and neither does Ctrl-C.
  prompt.on("close", () => {
    isClosed = true;
    answered("");
  });
  return {
    ask(question) {
      prompt.setPrompt(question);
      if (!isClosed) prompt.prompt();
      const known = early.shift();
      if (known !== undefined || isClosed) return Promise.resolve(known?.trim() ?? "");
      return new Promise((resolve) => {
        answered = (line) => {
          answered = (next) => void early.push(next);
          resolve(line.trim());
        };
      });
    },
    close: () => prompt.close(),
  };
}

/** Whether somebody wants it: by an option, or by an answer where there is a terminal to ask on. */
export async function isConfirmed(
  args: ParsedArguments,
  question: string,
  otherwise: string,
): Promise<boolean> {
  if (args.flag("yes")) return true;
  if (!canAsk()) {
    process.stderr.write(`${otherwise}: there is no terminal to ask on; use --yes\n`);
    return false;
  }
  const questions = openQuestions();
  const answer = await questions.ask(`${question} [y/N] `);
  questions.close();
  return /^y(?:es)?$/i.test(answer);
}
