import { expect, test } from "vitest";
import type { Thread } from "../../protocol/generated/types.ts";
import { createPaint } from "../command-line/paint.ts";
import { renderThreads, waitOf } from "./list-threads.ts";

const ID = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const thread = (cwd: string): Thread => ({ id: ID, cwd, updatedAt: 1000 }) as Thread;
const layout = { nowMs: 1_060_000, columns: 90, paint: createPaint(false) };

test.each([
  ["/work", "Fix  the\ntests", `${ID}    1m  /work  Fix the tests\n`],
  ["/work", "x".repeat(1_000_000), `${ID}    1m  /work  ${"x".repeat(38)}…\n`],
  ["/work", "\u001b[2J\u202e", `${ID}    1m  /work  \\u{1b}[2J\\u{202e}\n`],
  [`/a/${"b".repeat(40)}/c`, "x", `${ID}    1m  …${"b".repeat(21)}/c  x\n`],
  ["/\u0007", "x", `${ID}    1m  /\\u{7}  x\n`],
])("a thread in %s is one line", (cwd, description, line) => {
  expect(renderThreads([{ thread: thread(cwd), description }], layout)).toBe(line);
});

test("folders stand in one column, and a narrow screen still shows something", () => {
  const rows = [thread("/a"), thread("/longer")].map((each) => ({
    thread: each,
    description: "x".repeat(30),
  }));
  expect(renderThreads(rows, { ...layout, columns: 20 })).toBe(
    `${ID}    1m  /a       ${"x".repeat(20)}…\n${ID}    1m  /longer  ${"x".repeat(20)}…\n`,
  );
  expect(renderThreads([], layout)).toBe("");
});

test("a thread whose turn waits says why and until when", () => {
  const times = { turnId: "t", since: 0, until: 60 };
  const limited = { reason: "usageLimit", attempt: 1, message: "m", ...times } as const;
  const asked = { reason: "question", decisionId: "d", ...times } as const;
  expect([limited, asked, null].map((waiting) => waitOf({ ...thread("/"), waiting }))).toEqual([
    "[waits for the end of a usage limit until 1970-01-01T00:01:00.000Z] ",
    "[waits for an answer until 1970-01-01T00:01:00.000Z] ",
    "",
  ]);
});
