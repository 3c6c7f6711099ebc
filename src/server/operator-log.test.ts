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
