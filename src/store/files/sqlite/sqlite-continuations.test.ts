import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openConnection } from "./connection.ts";
import { createSqliteContinuations } from "./sqlite-continuations.ts";

test("continuations are counted by frame, across processes, and those of old frames are forgotten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-continuations-"));
  const connections = [1, 2].map(() => openConnection(join(folder, "ledger.sqlite")));
  const [one, other] = connections.map((connection) => createSqliteContinuations(connection, 2));
  await one?.add("a");
  await other?.add("a");
  await one?.add("b");
  expect([await one?.count("a"), await other?.count("b"), await one?.count("c")]).toEqual([2, 1, 0]);
  await other?.reset("b");
  expect(await one?.count("b")).toBe(0);
  for (const frame of ["c", "d"]) await one?.add(frame);
  expect([await one?.count("a"), await one?.count("c"), await one?.count("d")]).toEqual([0, 1, 1]);
  for (const connection of connections) connection.close();
  await rm(folder, { recursive: true });
});
