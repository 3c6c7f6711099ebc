import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createLogger, type LogLevel } from "../../base/logger.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import { createOperatorLog } from "./operator-log.ts";

test.each<[LogLevel, boolean]>([
  ["off", false],
  ["error", false],
  ["warn", true],
  ["info", true],
])("at the level %s it listens: %s", (level, listens) => {
  const log = createLogger({ level, format: "text", now: () => 0, write: () => {} });
  expect(createOperatorLog({ log, clock: systemClock }) !== null).toBe(listens);
});

test("what the responses of a turn have used is added up", () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const onEvent = createOperatorLog({ log, clock: systemClock });
  const tell = (event: ThreadEvent) => onEvent?.({ type: "thread", threadId: "thread", event });
  const rest = { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningOutputTokens: 0, totalTokens: 7 };
  const usage = { ...rest, inputTokens: 5, outputTokens: 2 };
  const answered = { type: "modelAnswered", turnId: "turn", error: null } as const;
  tell({ type: "turnStarted", turnId: "turn", kind: "user" });
  tell({ ...answered, requestId: "1", outcome: "completed", usage });
  tell({ ...answered, requestId: "2", outcome: "interrupted", usage: null });
  tell({ ...answered, requestId: "3", outcome: "completed", usage });
  tell({
    type: "turnEnded",
    turnId: "turn",
    kind: "user",
    outcome: { kind: "completed", lastMessage: null },
  });
  expect(lines.at(-1)).toContain('"inputTokens":10,"outputTokens":4,"retries":0');
});
