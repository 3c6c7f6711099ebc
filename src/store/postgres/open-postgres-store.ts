/** Opens a store in PostgreSQL by its URL. */
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { currentNode } from "../files/threads/lease-owner.ts";
import { openPostgres } from "./connection/database.ts";
import { createServerTime } from "./connection/store-time.ts";
import { createPostgresStore, type PostgresStore } from "./postgres-store.ts";
import { migratePostgres } from "./schema/migrate.ts";

export interface OpenPostgresOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
}

export async function openPostgresStore({
  url,
  clock,
  log,
  createId,
}: OpenPostgresOptions): Promise<PostgresStore> {
  const time = createServerTime(clock);
  const database = openPostgres({ url, time, clock: systemClock });
  try {
    await migratePostgres(database);
    const node = currentNode(createId());
    const store = createPostgresStore({ database, node, clock, realClock: systemClock, log });
    await store.leases.joined();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}
