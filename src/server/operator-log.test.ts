import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createLogger, type LogLevel } from "../base/logger.ts";
import type { Decisions } from "../store/decisions.ts";
import { createOperatorLog } from "./operator-log.ts";

test.each<[LogLevel, boolean]>([
  ["off", false],
  ["error", false],
  ["warn", true],
  ["info", true],
])("at the level %s it listens: %s", (level, listens) => {
  const log = createLogger({ level, format: "text", now: () => 0, write: () => {} });
  const operator = createOperatorLog({ log, clock: systemClock });
  const emit = (): void => {};
  const decisions = {} as Decisions;
  expect([operator.hear(emit) !== emit, operator.observe(decisions) !== decisions]).toEqual([
    listens,
    listens,
  ]);
});

test("what a response has used is counted once, however often it is told", () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "info",
    format: "text",
    now: () => 0,
    write: (line) => lines.push(line),
  });
  const operator = createOperatorLog({ log, clock: systemClock });
  const emit = operator.hear(() => {});
  const used = (totalTokens: number) => {
    const rest = { cachedInputTokens: 0, cacheWriteInputTokens: 0, reasoningOutputTokens: 0 };
    const last = { ...rest, totalTokens: 7, inputTokens: 5, outputTokens: 2 };
    const tokenUsage = { total: { ...last, totalTokens }, last, modelContextWindow: null };
    emit("thread", "thread/tokenUsage/updated", { threadId: "thread", turnId: "turn", tokenUsage });
  };
  operator.onEvent("thread", { type: "turnStarted", turnId: "turn", kind: "user" });
  for (const total of [107, 107, 114]) used(total);
  const outcome = { kind: "completed", lastMessage: null } as const;
  operator.onEvent("thread", { type: "turnEnded", turnId: "turn", kind: "user", outcome });
  expect(lines.at(-1)).toContain('"inputTokens":10,"outputTokens":4,"retries":0');
});
