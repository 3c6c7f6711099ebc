import { expect, test } from "vitest";
import { parseAnsi } from "./ansi.ts";

const plain = (text: string) =>
  parseAnsi(text)
    .map((part) => part.text)
    .join("");

test("colours, weights and inverse become classes, and end with a reset", () => {
  expect(
    parseAnsi("a\u001b[31mred\u001b[0m \u001b[1;32mok\u001b[22m!\u001b[39m\u001b[7m x \u001b[27m"),
  ).toEqual([
    { text: "a", style: "" },
    { text: "red", style: "a-r" },
    { text: " ", style: "" },
    { text: "ok", style: "a-g a-bold" },
    { text: "!", style: "a-g" },
    { text: " x ", style: "a-on-w" },
  ]);
  expect(parseAnsi("\u001b[38;5;196mA\u001b[48;2;1;2;3mB\u001b[91mC")).toEqual([
    { text: "A", style: "" },
    { text: "B", style: "" },
    { text: "C", style: "a-r" },
  ]);
});

test.each([
  ["\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007", "link"],
  ["\u001b]0;title\u001b\\text", "text"],
  ["\u001b[2J\u001b[1;1Htext\u001b[?25l", "text"],
  ["a\bb\u0000c\u007f", "abc"],
  ["10 %\r50 %\r100 %\ndone\r\n", "100 %\ndone\n"],
  ["\u001bPq#0\u001b\\text", "text"],
  ["cut \u001b[", "cut "],
])("%j shows %j", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test("a hostile text takes no time", () => {
  const start = performance.now();
  for (const unit of ["\u001b[", "\u001b]8;;", "\r", "\u001bP", "\u001b[31"]) parseAnsi(unit.repeat(50_000));
  expect(performance.now() - start).toBeLessThan(2000);
});
