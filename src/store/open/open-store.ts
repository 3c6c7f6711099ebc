import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { FileTuning } from "../files/open-file-store.ts";
import type { Store } from "../store.ts";
import { parseStoreAddress } from "./store-address.ts";

export interface StoreOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** Options of a store in files; other stores ignore them. */
  readonly files?: FileTuning;
}

const importFileStore = () => import("../files/open-file-store.ts");
const importPostgresStore = () => import("../postgres/open-postgres-store.ts");

/** Loads the code of a store and of its database, so that opening it takes less time. */
export async function loadStore(where: string): Promise<void> {
  const { kind } = parseStoreAddress(where);
  if (kind === "memory") return;
  if (kind === "postgres") {
    await importPostgresStore();
    return;
  }
  await importFileStore();
  const { openDatabase } = await import("../files/sqlite/driver.ts");
  openDatabase(":memory:").close();
}

/** Chooses the backend by the address. Backends are imported lazily, so that the others are never loaded. */
export async function openStore(where: string, { files = {}, ...options }: StoreOptions): Promise<Store> {
  const address = parseStoreAddress(where);
  if (address.kind === "memory") {
    const { createMemory, createMemoryStore } = await import("../memory/memory-store.ts");
    return createMemoryStore(createMemory(), { clock: options.clock, owner: options.createId() });
  }
  if (address.kind === "postgres") {
    const { openPostgresStore } = await importPostgresStore();
    return openPostgresStore({ ...options, url: address.url });
  }
  const { openFileStore } = await importFileStore();
  return openFileStore({ ...options, ...files, home: address.home });
}
