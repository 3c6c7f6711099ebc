import { describe, expect, test } from "vitest";
import type { QueueRow } from "../../store/queue.ts";
import { queueRow, textParams } from "../../store/queue-row.fixture.ts";
import { createPaint } from "../command-line/paint.ts";
import { formatAge } from "../command-line/terminal-text.ts";
import { queueToJson, renderQueue, rowToJson, toShownRow } from "./render-queue.ts";

const NOW = Date.parse("2026-11-16T08:00:00Z");
const row = (rowId: string, text: string, more: Partial<QueueRow> = {}): QueueRow =>
  queueRow(rowId, { params: textParams(text), createdAtMs: NOW - 5000, updatedAtMs: NOW, ...more });
const plain = createPaint(false);

test.each([
  [-5, "0s"],
  [999, "0s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [7_199_999, "1h"],
  [86_400_000 * 400, "400d"],
])("%d milliseconds are %s", (ms, expected) => {
  expect(formatAge(ms)).toBe(expected);
});

describe("a queue", () => {
  test("is shown in order, with its hold", () => {
    const failed = row("r1", "First\nSecond line", {
      state: "failed",
      failure: { message: "no such model\u001b[2J" },
    });
    const later = row("r2", `\u001b[31m${"x".repeat(200)}`, { notBeforeMs: NOW + 60_000 });
    const past = row("r3", "Due", { notBeforeMs: NOW - 1 });
    const rows = [failed, later, past].map(toShownRow);
    expect(renderQueue({ threadId: "thread", rows, pause: "wait", heldUpBy: null }, NOW, plain)).toBe(
      [
        "thread  paused: wait",
        "  1  r1  failed     5s  First",
        "     could not be started: no such model\\u{1b}[2J",
        `  2  r2  pending    5s  \\u{1b}[31m${"x".repeat(95)}…`,
        "     not before 2026-11-16T08:01:00.000Z",
        "  3  r3  pending    5s  Due",
        "",
      ].join("\n"),
    );
  });

  test("is reported as empty", () => {
    expect(renderQueue({ threadId: "thread", rows: [], pause: null, heldUpBy: null }, NOW, plain)).toBe(
      "thread\n  nothing waits\n",
    );
  });

  test("is coloured on a terminal only", () => {
    const rows = [toShownRow(row("r1", "x", { state: "failed" }))];
    const view = { threadId: "thread", rows, pause: null, heldUpBy: null };
    expect(renderQueue(view, NOW, createPaint(true))).toContain("\u001b[31mfailed");
    expect(renderQueue(view, NOW, plain)).not.toContain("\u001b");
  });

  test("is printed as JSON in the wire format, with positions and times", () => {
    const view = {
      threadId: "thread",
      rows: [rowToJson(row("r1", "x", { notBeforeMs: NOW }))],
      pause: null,
      heldUpBy: null,
    };
    expect(queueToJson(view)).toMatchObject({
      threadId: "thread",
      pauseReason: null,
      queuedTurns: [
        {
          position: 1,
          id: "r1",
          status: { type: "pending" },
          notBefore: NOW / 1000,
          createdAt: NOW / 1000 - 5,
          updatedAt: NOW / 1000,
        },
      ],
    });
  });
});
