/** Stores on the clock of the test server, in one schema. */
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import { originWith } from "../../src/store/contract/store-harness.fixture.ts";
import type { ThreadOrigin } from "../../src/store/lines/thread-lines.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import type { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { ThreadStore } from "../../src/store/thread-store.ts";
import { postgresServer } from "../support/postgres-server.ts";

export const createId = createUuidSource(systemClock);

export async function createTestSchema() {
  const server = await postgresServer();
  const url = await server.createSchema();
  const stores: PostgresStore[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await server.dropSchema(url);
  });
  return {
    server,
    url,
    async open(through = url): Promise<PostgresStore> {
      const store = await openPostgresStore({
        url: through,
        clock: systemClock,
        log: silentLogger,
        createId,
      });
      stores.push(store);
      return store;
    },
  };
}

export function newOrigin(members: Partial<ThreadOrigin> = {}) {
  return originWith({ now: Date.now(), createId }, members);
}

/** The ids of the turns that the lines of a thread begin, in order. */
export async function startedTurns(threads: ThreadStore, threadId: string): Promise<string[]> {
  const turns: string[] = [];
  for await (const { line } of threads.lines(threadId)) {
    const { turn_id: turnId } = line.payload;
    if (typeof turnId === "string") turns.push(turnId);
  }
  return turns;
}
