/** Stores in one schema of the test server. */
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createFakeClock } from "../../src/base/fake-clock.fixture.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import { type CreateHarness, originWith } from "../../src/store/contract/store-harness.fixture.ts";
import { openPostgres } from "../../src/store/postgres/connection/database.ts";
import type { StoreTime } from "../../src/store/postgres/connection/store-time.ts";
import { createPostgresStore, type PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { migratePostgres } from "../../src/store/postgres/schema/migrate.ts";
import { postgresServer } from "../support/postgres-server.ts";

/**
 * The contract moves the store's clock on by hand. The server's own cannot be moved, so that here the fake clock takes
 * its place, also in statements that compare the times of the server.
 */
function createFakeTime(clock: Clock): StoreTime {
  return { now: () => clock.now(), sql: () => `${clock.now()}::bigint`, observe() {} };
}

const THIS_PROCESS = { pid: process.pid, host: "here", boot: "", namespace: "", start: null };

export const createPostgresHarness: CreateHarness = ({ maxDecisions, maxDeliveries } = {}) => {
  const clock = createFakeClock(Date.UTC(2026, 10, 15));
  const createId = createUuidSource(clock);
  const stores: PostgresStore[] = [];
  let url: Promise<string> | null = null;

  async function createSchema(): Promise<string> {
    const server = await postgresServer();
    const created = await server.createSchema();
    onTestFinished(async () => {
      for (const store of stores) await store.close();
      await server.dropSchema(created);
    });
    return created;
  }

  async function open(timers: Clock): Promise<PostgresStore> {
    url ??= createSchema();
    const database = openPostgres({ url: await url, time: createFakeTime(clock), clock: systemClock });
    await migratePostgres(database);
    const node = { ...THIS_PROCESS, id: createId() };
    const options = { clock: timers, realClock: systemClock, log: silentLogger };
    const store = createPostgresStore({ ...options, database, node, maxDecisions, maxDeliveries });
    stores.push(store);
    await store.leases.joined();
    return store;
  }

  return {
    createId,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    async settled() {
      for (const store of stores) await store.settleQueues();
    },
    origin: (members) => originWith({ now: clock.now(), createId }, members),
    open: () => open(clock),
    async openDead() {
      // Time stands still in a process that has ended, so that its row is not renewed.
      const store = await open({ ...clock, after: () => () => {} });
      const server = await postgresServer();
      await server.run(
        `UPDATE node SET expires_at_ms = 0 WHERE node_id = '${store.membership.node.id}'`,
        (await url) ?? "",
      );
      return store;
    },
  };
};
