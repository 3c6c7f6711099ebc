import { createInterface } from "node:readline";
import type { ParsedArguments } from "./command.ts";

/** Whether a user can answer a prompt. */
export function canPrompt(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

export interface Prompter {
  /** Reads one line; empty at the end of input. */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Prompts on the terminal. Lines that are typed ahead are buffered and answer the next question. */
export function openPrompter(): Prompter {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const buffered: string[] = [];
  let isClosed = false;
  let onLine = (line: string): void => void buffered.push(line);
  prompt.on("line", (line) => onLine(line));
  // The end of input and Ctrl-C both count as an empty answer.
  prompt.on("close", () => {
    isClosed = true;
    onLine("");
  });
  return {
    ask(question) {
      prompt.setPrompt(question);
      if (!isClosed) prompt.prompt();
      const typedAhead = buffered.shift();
      if (typedAhead !== undefined || isClosed) return Promise.resolve(typedAhead?.trim() ?? "");
      return new Promise((resolve) => {
        onLine = (line) => {
          onLine = (next) => void buffered.push(next);
          resolve(line.trim());
        };
      });
    },
    close: () => prompt.close(),
  };
}

/** Confirms an action by `--yes`, or by a prompt on the terminal. */
export async function confirm(
  args: ParsedArguments,
  question: string,
  declinedMessage: string,
): Promise<boolean> {
  if (args.flag("yes")) return true;
  if (!canPrompt()) {
    process.stderr.write(`${declinedMessage}: there is no terminal to ask on; use --yes\n`);
    return false;
  }
  const prompter = openPrompter();
  const answer = await prompter.ask(`${question} [y/N] `);
  prompter.close();
  return /^y(?:es)?$/i.test(answer);
}
