import { expect, test } from "vitest";
import { openProgress } from "./progress.ts";

function screen(isTTY: boolean) {
  let text = "";
  return { isTTY, columns: 50, write: (piece: string) => (text += piece), read: () => text };
}

test("a terminal shows a bar below permanent lines, and clears it at the end", () => {
  const terminal = screen(true);
  let now = 0;
  const progress = openProgress(terminal, () => now);
  progress.show(0, 4, "one");
  progress.show(1, 4, "too soon");
  now = 100;
  progress.show(2, 4, "two, with a name that is longer than the screen");
  progress.line("done");
  progress.end();
  const clear = "\r\u001B[K";
  expect(terminal.read()).toBe(
    `${clear}[${" ".repeat(24)}]   0%  one` +
      `${clear}[${"=".repeat(12)}${" ".repeat(12)}]  50%  two, with a name${clear}done\n`,
  );
});

test("a stream that is no terminal receives permanent lines only", () => {
  const file = screen(false);
  const progress = openProgress(file, () => 0);
  progress.show(1, 2, "one");
  progress.count(1, "one");
  progress.line("done");
  progress.end();
  expect(file.read()).toBe("done\n");
});

test("control characters in labels and lines are escaped", () => {
  const terminal = screen(true);
  const progress = openProgress(terminal, () => 0);
  progress.show(4, 4, "\u001b[2J");
  progress.line("title \u001b]0;x\u0007\nnext");
  const shown = terminal.read().replaceAll("\r\u001B[K", "");
  expect(shown).toBe(`[${"=".repeat(24)}] 100%  \\u{1b}[2Jtitle \\u{1b}]0;x\\u{7}\\u{a}next\n`);
});
