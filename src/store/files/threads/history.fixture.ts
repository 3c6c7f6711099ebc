// A temporary home for each test, with stores on it and threads as the engine writes them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../base/clock.ts";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../../base/logger.ts";
import { createUuidSource } from "../../../base/uuid.ts";
import { originWith, type StoreHarness } from "../../contract/store-harness.fixture.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { createMemoryIndex } from "../sqlite/memory-index.fixture.ts";
import { openSqliteTables } from "../sqlite/sqlite-tables.ts";
import { FileLeases } from "./file-leases.ts";
import { type FileThreadOptions, type FileThreadStore, openFileThreads } from "./file-thread-store.ts";
import { parseOwner } from "./lease-owner.ts";

export const START = Date.UTC(2026, 10, 15, 9, 0, 0);

export interface OpenOptions extends FileThreadOptions {
  readonly owner: string;
}

export interface HistoryHarness extends Pick<StoreHarness, "createId" | "now" | "advance" | "origin"> {
  readonly home: string;
  readonly clock: Clock;
  open(options?: Partial<OpenOptions>): FileThreadStore;
}

export function createHistoryHarness(): HistoryHarness {
  const home = mkdtempSync(join(tmpdir(), "heddle-history-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const clock = createFakeClock(START);
  const createId = createUuidSource(clock);
  let opened = 0;
  return {
    home,
    clock,
    createId,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    open(options = {}) {
      const index = options.index ?? createMemoryIndex();
      const node = parseOwner(options.owner ?? `${process.pid}@test#${++opened}`);
      const shared = { home, clock, createId, log: silentLogger, ...options, index };
      const leases = new FileLeases({ ...shared, table: index, lockFiles: false });
      if (node !== null) leases.join(node);
      const threads = openFileThreads({ ...shared, leases });
      onTestFinished(async () => {
        await threads.close();
        await leases.close();
      });
      return threads;
    },
    origin: (members) => originWith({ now: clock.now(), createId }, members),
  };
}

export function sqliteIndex(home: string): HistoryIndex {
  const tables = openSqliteTables(join(home, "heddle.sqlite"));
  onTestFinished(() => tables.close());
  return tables.index;
}
