import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { ledgerContract, receipt } from "../../../lifecycle/receipts/ledger.contract.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createSqliteReceipts } from "./sqlite-receipts.ts";

async function open() {
  const folder = await mkdtemp(join(tmpdir(), "heddle-receipts-"));
  const connections: Connection[] = [];
  const connect = (maxReceipts?: number) => {
    const connection = openConnection(join(folder, "ledger.sqlite"));
    connections.push(connection);
    return { connection, ledger: createSqliteReceipts(connection, systemClock, maxReceipts) };
  };
  return {
    connect,
    async close() {
      for (const connection of connections) connection.close();
      await rm(folder, { recursive: true });
    },
  };
}

ledgerContract("SQLite", async () => {
  const { connect, close } = await open();
  const { connection, ledger } = connect();
  return {
    ledger,
    lose: (id) => void connection.prepare("DELETE FROM receipts WHERE receipt_id = ?").run(id),
    reopen: async () => connect().ledger,
    close,
  };
});

const KEY = { client_id: "audit", adapter_id: "codex", idempotency_key: "k" };
const intent = { ...KEY, receipt_id: "a", fingerprint: "asked", expires_at_ms: 1000 };

test("a receipt of another process is waited for", async () => {
  const { connect, close } = await open();
  const [one, other] = [connect().ledger, connect().ledger];
  expect(await one.begin(intent, 0)).toEqual({ kind: "begun" });
  expect(await other.begin({ ...intent, receipt_id: "b" }, 0)).toEqual({ kind: "pending" });
  const waited = other.settled(KEY, new AbortController().signal);
  await one.record(receipt("a", KEY), "asked");
  expect(await waited).toMatchObject({ receipt_id: "a" });
  await close();
});

test("the oldest make room, which is no gap, and their keys are free", async () => {
  const { connect, close } = await open();
  const { ledger } = connect(3);
  await ledger.record(receipt("first", { ...KEY, harness_run_id: "A" }), "asked");
  for (const id of ["b", "c", "d"]) await ledger.record(receipt(id, { harness_run_id: "A" }), null);
  expect((await ledger.list()).map(({ receipt_id, sequence }) => [receipt_id, sequence])).toEqual([
    ["b", 2],
    ["c", 3],
    ["d", 4],
  ]);
  expect(await ledger.gaps("A")).toEqual([]);
  expect(await ledger.find(KEY)).toBeNull();
  expect(await ledger.begin(intent, 0)).toEqual({ kind: "begun" });
  await close();
});

test("runs of which nothing is left are forgotten", async () => {
  const { connect, close } = await open();
  const { ledger, connection } = connect(2);
  for (const run of ["A", "B", "C", "D"]) await ledger.record(receipt(run, { harness_run_id: run }), null);
  const runs = connection.prepare("SELECT run_id FROM receipt_runs").all() as { run_id: string }[];
  expect(runs.map(({ run_id }) => run_id)).toEqual(["C", "D"]);
  await close();
});

test("what was begun and never recorded is forgotten in the end", async () => {
  const { connect, close } = await open();
  const { ledger, connection } = connect();
  await ledger.begin(intent, 0);
  await ledger.begin({ ...intent, idempotency_key: "later" }, 8 * 24 * 3600 * 1000);
  const { count } = connection.prepare("SELECT COUNT(*) AS count FROM receipt_keys").get() as {
    count: number;
  };
  expect(count).toBe(1);
  await close();
});
