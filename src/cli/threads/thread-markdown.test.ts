import fc from "fast-check";
import { expect, test } from "vitest";
import type { Thread, ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { headToMarkdown, turnToMarkdown } from "./thread-markdown.ts";

const turn = (items: readonly object[], more: Partial<Turn> = {}): Turn => ({
  id: "t",
  rootTurnId: null,
  items: items as ThreadItem[],
  itemsView: "full",
  status: "completed",
  error: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
  hookRuns: [],
  ...more,
});

const command = (more: object) => ({
  type: "commandExecution",
  command: "ls",
  aggregatedOutput: "a\nb\n",
  exitCode: 0,
  status: "completed",
  ...more,
});

test.each<[name: string, items: readonly object[], text: string]>([
  ["a message", [{ type: "userMessage", content: [{ type: "text", text: "Hi" }] }], "\n## User\n\nHi\n"],
  ["an answer", [{ type: "agentMessage", text: "Ho" }], "\n## Agent\n\nHo\n"],
  ["a command", [command({})], "\n```console\n$ ls\na\nb\n```\n"],
  [
    "one that failed",
    [command({ exitCode: 2, aggregatedOutput: null })],
    "\n```console\n$ ls\n```\n\nExit code 2\n",
  ],
  ["reasoning", [{ type: "reasoning", summary: ["a\nb"], content: [] }], "\n> a\n> b\n"],
  ["no reasoning", [{ type: "reasoning", summary: [], content: [] }], ""],
  [
    "a patch",
    [
      {
        type: "fileChange",
        status: "completed",
        changes: [{ path: "a`b", kind: { type: "add" }, diff: "+x" }],
      },
    ],
    "\n`` a`b `` (add, completed)\n\n```diff\n+x\n```\n",
  ],
  [
    "a call",
    [
      {
        type: "mcpToolCall",
        server: "s",
        tool: "t",
        status: "failed",
        arguments: {},
        result: null,
        error: { message: "no" },
      },
    ],
    "\n`s/t` (failed)\n\n```json\n{}\n```\n\n```\nno\n```\n",
  ],
  ["what need not be read", [{ type: "enteredReviewMode", review: "x" }], ""],
])("%s", (_name, items, text) => {
  expect(turnToMarkdown(turn(items))).toBe(text);
});

test("the end of a turn that was not completed is told", () => {
  const error = { message: "no\nkey", codexErrorInfo: null, additionalDetails: null, misalignment: null };
  expect(turnToMarkdown(turn([], { status: "failed", error }))).toBe("\n**Failed:** no key\n");
  expect(turnToMarkdown(turn([], { status: "interrupted" }))).toBe("\n**Interrupted**\n");
});

test("no output ends its fence", () => {
  const output = fc.string({ unit: fc.constantFrom("`", "\n", "a", "~") });
  fc.assert(
    fc.property(output, (aggregatedOutput) => {
      const [first = "", ...lines] = turnToMarkdown(turn([command({ aggregatedOutput })]))
        .trim()
        .split("\n");
      const marks = first.replace("console", "");
      expect(lines.indexOf(marks)).toBe(lines.length - 1);
      expect(lines.slice(0, -1).some((line) => line.trimStart().startsWith(marks))).toBe(false);
    }),
  );
});

test("the head is one line of title and what is known", () => {
  const thread = { id: "1", name: "a\nb", preview: "p", cwd: "/w", createdAt: 0, model: null } as Thread;
  expect(headToMarkdown(thread)).toBe(
    "# a b\n\n- Thread: `1`\n- Folder: `/w`\n- Begun: `1970-01-01T00:00:00.000Z`\n",
  );
  expect(headToMarkdown({ ...thread, name: null, preview: " " })).toMatch(/^# A thread\n/u);
});
