import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { storeContract } from "../contract/store.contract.ts";
import {
  type CreateHarness,
  createFinishedThread,
  listed,
  opened,
  originWith,
  type StoreHarness,
  turnsOf,
  writeTurn,
} from "../contract/store-harness.fixture.ts";
import type { DecisionRequest } from "../decisions.ts";
import { started } from "../lines/lines.fixture.ts";
import { newRow, ROOMY } from "../queue-row.fixture.ts";
import { createFileStore } from "./open-file-store.ts";
import { databaseOf } from "./sqlite/database-file.ts";
import { openDatabase } from "./sqlite/driver.ts";
import { openSqliteTables } from "./sqlite/sqlite-tables.ts";
import { currentNode, ownerName, systemProcesses } from "./threads/lease-owner.ts";

const NO_PROCESS = 2 ** 22 + 1;

interface FileStoreHarness extends StoreHarness {
  readonly home: string;
}

function createHarness({
  maxDecisions,
  maxDeliveries,
  maxLockWaitMs,
}: NonNullable<Parameters<CreateHarness>[0]> & { readonly maxLockWaitMs?: number } = {}): FileStoreHarness {
  const home = mkdtempSync(join(tmpdir(), "heddle-store-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const clock = createFakeClock(Date.UTC(2026, 10, 15));
  const createId = createUuidSource(clock);
  let processes = 0;
  const open = async (pid: number) => {
    const node = currentNode(`${++processes}`, { ...systemProcesses(), pid });
    const owner = ownerName(node);
    const limit = {
      ...(maxDecisions === undefined ? {} : { maxDecisions }),
      ...(maxDeliveries === undefined ? {} : { maxDeliveries }),
      ...(maxLockWaitMs === undefined ? {} : { maxLockWaitMs }),
    };
    const tables = openSqliteTables(databaseOf(home), { owner, clock, ...limit });
    const store = createFileStore(
      { home, clock, createId, log: silentLogger, lockFiles: false, node },
      tables,
    );
    onTestFinished(() => store.close());
    return store;
  };
  return {
    home,
    createId,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    origin: (members) => originWith({ now: clock.now(), createId }, members),
    open: () => open(process.pid),
    openDead: () => open(NO_PROCESS),
    settled: async () => {},
  };
}

storeContract("files", createHarness);

const REQUEST: DecisionRequest = {
  threadId: "a",
  turnId: "turn",
  itemId: "item",
  atMs: 1,
  subject: { kind: "fileChange", paths: ["/a"] },
};

test("a lease has run out when the clock of the database says so, and its writer is then fenced", async () => {
  const harness = createHarness();
  const [one, other] = [await harness.open(), await harness.open()];
  const threadId = await createFinishedThread(harness, one.threads, ["t1"]);
  const journal = await opened(one.threads, threadId);
  harness.advance(3_600_000);
  expect((await other.threads.open(threadId)).kind).toBe("refused");
  const database = openDatabase(databaseOf(harness.home));
  database.exec("UPDATE leases SET expires_at_ms = 1");
  database.close();
  expect((await journal.append([])).kind).toBe("kept");
  await writeTurn(await opened(other.threads, threadId), "t2");
  expect((await journal.append([])).kind).toBe("fenced");
});

test("a thread whose database is removed is still its writer's, and so are its decisions and its queue", async () => {
  const harness = createHarness();
  const [one, other] = [await harness.open(), await harness.open()];
  const threadId = await createFinishedThread(harness, one.threads, ["t1"]);
  const journal = await opened(one.threads, threadId);
  const { fence } = journal;
  if (fence === null) throw new Error("it has no fence");
  for (const rowId of ["a", "b"]) await other.queue.add(threadId, newRow(rowId), ROOMY);
  expect((await one.queue.claim(fence, "turn-a")).kind).toBe("claimed");
  for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseOf(harness.home)}${end}`, { force: true });
  const request = { ...REQUEST, threadId };
  expect((await one.decisions.open(fence, request)).kind).toBe("kept");
  const held = journal.fence ?? fence;
  expect(await one.queue.ack(held, "a", "turn-a", { kind: "started", preview: "" })).toBe(true);
  expect(await one.queue.claim(held, "turn-b")).toMatchObject({ kind: "claimed", row: { rowId: "b" } });
  await writeTurn(journal, "t2");
  expect((await other.threads.open(threadId)).kind).toBe("refused");
  expect(journal.fence).not.toBeNull();
});

test("schedules and tokens of a database that is removed are in the new one, once", async () => {
  const harness = createHarness();
  const [one, other] = [await harness.open(), await harness.open()];
  const work = { target: { type: "newThread", params: {} }, turn: {} } as const;
  const plan = { name: "a", when: { type: "once", atMs: 1 }, work, missed: "once" } as const;
  await one.schedules.add({ scheduleId: "a", ...plan, state: { kind: "active" }, nextAtMs: 1 }, 9);
  const claim = { state: { kind: "finished" }, nextAtMs: null } as const;
  const runs = [{ runKey: "key", scheduledAtMs: 1, threadId: "new" }];
  await one.schedules.claim("a", 1, { ...claim, runs });
  await one.wakeTokens.add({ tokenId: "t", threadId: "thread", name: null, hash: "hash" }, 9);
  const before = await one.schedules.list({ offset: 0, limit: 9 });
  for (const end of ["", "-wal", "-shm"]) rmSync(`${databaseOf(harness.home)}${end}`, { force: true });
  for (const { schedules, wakeTokens } of [one, other, await harness.open()]) {
    expect(await schedules.list({ offset: 0, limit: 9 })).toEqual(before);
    expect((await schedules.openRuns({ minAgeMs: 0, limit: 9 })).map(({ runKey }) => runKey)).toEqual([
      "key",
    ]);
    expect((await wakeTokens.find("hash"))?.tokenId).toBe("t");
  }
  await other.schedules.remove("a");
  expect((await one.schedules.list({ offset: 0, limit: 9 })).total).toBe(0);
});

test("an effect that the database cannot take waits for the next append, and the lines are kept", async () => {
  const harness = createHarness({ maxLockWaitMs: 20 });
  const { threads, queue } = await harness.open();
  const journal = threads.create(harness.origin());
  const persisted = await journal.persist();
  if (persisted.kind !== "persisted") throw new Error(persisted.message);
  const { fence } = persisted;
  await queue.add(journal.threadId, newRow("a"), ROOMY);
  expect((await queue.claim(fence, "t1")).kind).toBe("claimed");
  const other = openDatabase(databaseOf(harness.home));
  other.exec("BEGIN IMMEDIATE");
  const effects = [{ kind: "queueStarted", rowId: "a", turnId: "t1", preview: "" }] as const;
  expect((await journal.append([started("t1")], effects)).kind).toBe("kept");
  expect(await journal.persist()).toMatchObject({ kind: "unavailable" });
  expect(await queue.threads()).toEqual([journal.threadId]);
  other.exec("COMMIT");
  other.close();
  expect((await journal.append([started("t2")])).kind).toBe("kept");
  expect(await queue.threads()).toEqual([]);
});

test("threads are listed, read and written to also when the database is damaged meanwhile", async () => {
  const harness = createHarness();
  const { threads, queue } = await harness.open();
  const ids = [
    await createFinishedThread(harness, threads, ["t1"]),
    await createFinishedThread(harness, threads, ["t1"]),
  ];
  const journal = await opened(threads, ids[0] ?? "");
  await queue.add(journal.threadId, newRow("a"), ROOMY);
  const database = openDatabase(databaseOf(harness.home));
  database.exec("DROP TABLE rollouts");
  database.close();
  expect((await listed(threads)).toSorted()).toEqual(ids.toSorted());
  await writeTurn(journal, "t2");
  expect(await turnsOf(threads, journal.threadId)).toHaveLength(2);
  expect(await queue.threads()).toEqual([journal.threadId]);
});
