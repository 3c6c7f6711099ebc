import fc from "fast-check";
import { expect, test } from "vitest";
import type { HookRunSummary, Thread, ThreadItem, Turn } from "../../protocol/generated/types.ts";
import type { StoredDecision } from "../../store/decisions.ts";
import { headToMarkdown, turnToMarkdown } from "./thread-markdown.ts";
import type { TurnNotes } from "./turn-notes.ts";

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

const NO_NOTES: TurnNotes = { tokens: new Map(), plans: new Map(), openQuestions: [] };

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
  expect(turnToMarkdown(turn(items), NO_NOTES)).toBe(text);
});

test("the end of a turn that was not completed is told", () => {
  const error = { message: "no\nkey", codexErrorInfo: null, additionalDetails: null, misalignment: null };
  expect(turnToMarkdown(turn([], { status: "failed", error }), NO_NOTES)).toBe("\n**Failed:** no key\n");
  expect(turnToMarkdown(turn([], { status: "interrupted" }), NO_NOTES)).toBe("\n**Interrupted**\n");
});

const USAGE = {
  totalTokens: 12_345,
  inputTokens: 12_000,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 345,
  reasoningOutputTokens: 0,
};

test("when a turn ran, how long, and what it used", () => {
  const tokens = new Map([["t", USAGE]]);
  const ended = turn([], { startedAt: 60, completedAt: 62, durationMs: 1300 });
  expect(turnToMarkdown(ended, { ...NO_NOTES, tokens })).toBe(
    "\n*1970-01-01T00:01:00Z, 1.3 s, 12,345 tokens (12,000 in, 345 out)*\n",
  );
  expect(turnToMarkdown(turn([], { startedAt: 60, status: "inProgress" }), NO_NOTES)).toBe(
    "\n*1970-01-01T00:01:00Z, not ended*\n",
  );
});

test("hooks that said something, and those that failed", () => {
  const run = (more: Partial<HookRunSummary>) =>
    ({
      eventName: "stop",
      sourcePath: "/h.json",
      status: "completed",
      durationMs: 5,
      entries: [],
      ...more,
    }) as HookRunSummary;
  const hookRuns = [
    run({}),
    run({ status: "blocked", entries: [{ kind: "feedback", text: "no\nnever" }] }),
    run({ status: "failed", durationMs: null }),
  ];
  expect(turnToMarkdown(turn([], { hookRuns }), NO_NOTES)).toBe(
    "\nHook `stop` of `/h.json` (blocked, 5 ms)\n\n> feedback: no\n> never\n\nHook `stop` of `/h.json` (failed)\n",
  );
});

test("questions that are open in the turn, and those of the agent", () => {
  const request = { number: 1, threadId: "x", itemId: "i", atMs: 61_500, verdict: null };
  const subject = { kind: "command", argv: ["rm", "a b"], cwd: "/w" } as const;
  const openQuestions: StoredDecision[] = [
    { ...request, turnId: "t", subject },
    { ...request, turnId: "other", subject },
    { ...request, turnId: "t", subject: { kind: "fileChange", paths: ["/w/a"] } },
  ];
  const items = [{ type: "agentMessage", text: "Hm", questions: [{ title: "Which?", options: ["a", "b"] }] }];
  expect(turnToMarkdown(turn(items), { ...NO_NOTES, openQuestions })).toBe(
    "\n## Agent\n\nHm\n\n**Question:** Which?\n\n- a\n- b\n" +
      "\n**Open question** since 1970-01-01T00:01:01Z: may it run `rm 'a b' in /w`?\n" +
      "\n**Open question** since 1970-01-01T00:01:01Z: may it `change /w/a`?\n",
  );
});

test("no output ends its fence", () => {
  const output = fc.string({ unit: fc.constantFrom("`", "\n", "a", "~") });
  fc.assert(
    fc.property(output, (aggregatedOutput) => {
      const [first = "", ...lines] = turnToMarkdown(turn([command({ aggregatedOutput })]), NO_NOTES)
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
    "# a b\n\n- Thread: `1`\n- Folder: `/w`\n- Begun: `1970-01-01T00:00:00Z`\n",
  );
  expect(headToMarkdown({ ...thread, name: null, preview: " " })).toMatch(/^# A thread\n/u);
});
