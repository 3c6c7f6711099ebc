import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { MAX_STARTED, STARTED_AGE_MS } from "../../queue-log.ts";
import { openConnection } from "./connection.ts";
import { createSqliteQueueLog } from "./queue-log.ts";

test("rows that are old or too many go, a hundred at a time", () => {
  const connection = openConnection(":memory:");
  onTestFinished(() => connection.close());
  const clock = createFakeClock(STARTED_AGE_MS);
  const log = createSqliteQueueLog(connection, "me", clock);
  const insert = connection.prepare(`
    INSERT INTO queue_started (number, thread_id, row_id, turn_id, preview, started_at_ms)
    VALUES (?, 't', 'r', 'turn', '', ?)`);
  for (const [number, startedAtMs] of [
    [1, 5],
    [2, 0],
    [100, 5],
    [101, 5],
    [102, 0],
    [MAX_STARTED + 99, 5],
  ] as const)
    insert.run(number, startedAtMs);
  log.add({ threadId: "t", rowId: "r", clientUserMessageId: null, turnId: "turn", preview: "" });
  const left = connection.prepare("SELECT number FROM queue_started").all() as { readonly number: number }[];
  expect(left.map(({ number }) => number)).toEqual([101, MAX_STARTED + 99, MAX_STARTED + 100]);
});
