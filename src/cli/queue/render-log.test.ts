import { expect, test } from "vitest";
import type { QueuedTurnEnd, StartedRow } from "../../store/queue-log.ts";
import { createPaint } from "../command-line/paint.ts";
import { logToJson, renderLog } from "./render-log.ts";

const AT = Date.parse("2026-11-18T02:00:00Z");

function started(end: Partial<QueuedTurnEnd> | null, preview = "Run it\nall"): StartedRow {
  const none = { how: "completed", atMs: AT + 5000, durationMs: null, tokens: null, error: null } as const;
  const row = { threadId: "t", rowId: "r", clientUserMessageId: "key", turnId: "turn", startedAtMs: AT };
  return { ...row, preview, end: end === null ? null : { ...none, ...end } };
}

test("the log shows the start, status, duration and error of each turn", () => {
  const rows = [
    started(null),
    started({ durationMs: 3_725_000, tokens: 1234 }),
    started({ how: "failed", durationMs: 61_000, error: "no such model\u001b[2J" }),
    started({ how: "interrupted", durationMs: 1500 }, "\u001b[31m"),
  ];
  expect(renderLog(rows, createPaint(false))).toBe(
    [
      "2026-11-18T02:00:00.000Z  running            -         -  t  Run it",
      "2026-11-18T02:00:00.000Z  completed      1h02m      1234  t  Run it",
      "2026-11-18T02:00:00.000Z  failed         1m01s         -  t  Run it",
      "  no such model\\u{1b}[2J",
      "2026-11-18T02:00:00.000Z  interrupted     1.5s         -  t  \\u{1b}[31m",
      "",
    ].join("\n"),
  );
});

test("JSON includes the ids", () => {
  expect(logToJson(started({ durationMs: 7, tokens: 3 }))).toEqual({
    threadId: "t",
    queuedTurnId: "r",
    clientUserMessageId: "key",
    turnId: "turn",
    preview: "Run it\nall",
    startedAt: AT / 1000,
    endedAt: AT / 1000 + 5,
    status: "completed",
    durationMs: 7,
    tokens: 3,
    error: null,
  });
  expect(logToJson(started(null))).toMatchObject({ status: "inProgress", endedAt: null });
});
