import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { newRow, ROOMY } from "../../queue-row.fixture.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createQueueRows } from "./queue-rows.ts";

const changes = { note() {}, has: () => false } as unknown as Parameters<
  typeof createQueueRows
>[0]["changes"];

const log = { find: () => null };

test("a page and its total are of one moment, also when another process adds in between", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-queue-rows-"));
  const [one, other] = [1, 2].map(() => openConnection(join(folder, "queue.sqlite"))) as [
    Connection,
    Connection,
  ];
  const elsewhere = createQueueRows({ connection: other, changes, log, clock: systemClock });
  let added = 0;
  const connection = {
    write: one.write,
    prepare(sql: string) {
      const statement = one.prepare(sql);
      if (!sql.includes("AS total")) return statement;
      const get: typeof statement.get = (...values) => {
        const whole = statement.get(...values);
        if (added === 0) void elsewhere.add("t", newRow(`row ${(added += 1)}`), ROOMY);
        return whole;
      };
      return { ...statement, get };
    },
  };
  const rows = createQueueRows({ connection, changes, log, clock: systemClock });
  const { total, rows: page } = await rows.list("t", { offset: 0, limit: 10, maxBytes: 1 << 20, atLeast: 0 });
  expect([added, total, page.length]).toEqual([1, 1, 1]);
  for (const each of [one, other]) each.close();
  await rm(folder, { recursive: true });
});
