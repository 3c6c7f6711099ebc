import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { storeContract } from "../contract/store.contract.ts";
import { originWith } from "../contract/world.fixture.ts";
import { databaseOf, openSqliteTables } from "../sqlite/sqlite-tables.ts";
import { createFileStore } from "./open-file-store.ts";

const NO_PROCESS = 2 ** 22 + 1;

storeContract("files", ({ maxDecisions } = {}) => {
  const home = mkdtempSync(join(tmpdir(), "heddle-store-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const clock = createFakeClock(Date.UTC(2026, 10, 15));
  const createId = createUuidSource(clock);
  let opened = 0;
  const open = (pid: number) => {
    const owner = `${pid}@${hostname()}#${++opened}`;
    const limit = maxDecisions === undefined ? {} : { maxDecisions };
    const tables = openSqliteTables(databaseOf(home), { owner, ...limit });
    const store = createFileStore(
      { home, clock, createId, log: silentLogger, lockFiles: false, owner },
      tables,
    );
    onTestFinished(() => store.close());
    return store;
  };
  return {
    createId,
    advance: (ms) => clock.advance(ms),
    origin: (members) => originWith({ now: clock.now(), createId }, members),
    open: () => open(process.pid),
    openDead: () => open(NO_PROCESS),
  };
});
