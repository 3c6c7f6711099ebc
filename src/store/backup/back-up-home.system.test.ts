import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { createFinishedThread, originWith } from "../contract/store-harness.fixture.ts";
import { openFileStore } from "../files/open-file-store.ts";
import { temporaryFolder } from "../files/rollout/rollout.fixture.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { openDatabase } from "../files/sqlite/driver.ts";
import { openSqliteTables } from "../files/sqlite/sqlite-tables.ts";
import { newRow, ROOMY, WHOLE } from "../queue-row.fixture.ts";
import { backUpHome } from "./back-up-home.ts";

/** A home with threads of one turn each, and the given queued turns. */
async function createHome(queued: readonly (readonly string[])[]) {
  const home = temporaryFolder();
  const clock = createFakeClock(Date.UTC(2026, 10, 15));
  const createId = createUuidSource(clock);
  const store = openFileStore({ home, clock, createId, log: silentLogger });
  onTestFinished(() => store.close());
  const harness = {
    createId,
    now: () => clock.now(),
    advance: () => {},
    origin: () => originWith({ now: clock.now(), createId }),
  };
  const threads: { readonly id: string; readonly file: string }[] = [];
  for (const rows of queued) {
    const id = await createFinishedThread(harness, store.threads, ["t1"]);
    for (const rowId of rows) await store.queue.add(id, newRow(rowId), ROOMY);
    threads.push({ id, file: (await store.threads.read(id))?.location ?? "" });
  }
  return { home, target: join(temporaryFolder(), "backup"), threads };
}

const LINE = '{"type":"started"}\n';

/** Starts a queued turn as a server does: the turn is in the file before its row is removed. */
function startTurn(home: string, { id, file }: { readonly id: string; readonly file: string }): void {
  appendFileSync(file, LINE);
  change(home, `DELETE FROM queue_rows WHERE thread_id = '${id}'`);
}

function change(home: string, sql: string): void {
  const database = openDatabase(databaseOf(home));
  database.exec(`PRAGMA busy_timeout = 0; ${sql}`);
  database.close();
}

function copyOf(file: string, home: string, target: string): string {
  return readFileSync(join(target, file.slice(home.length)), "utf8");
}

async function queuedIn(target: string, threadId: string): Promise<string[]> {
  const { queue, close } = openSqliteTables(databaseOf(target));
  const { rows } = await queue.list(threadId, WHOLE);
  await close();
  return rows.map(({ rowId }) => rowId);
}

test("nothing is kept from writing to the database while anything is copied", async () => {
  const { home, target, threads } = await createHome([["a"], []]);
  const [first, second] = threads;
  let tries = 0;
  const copied: string[] = [];
  backUpHome({
    where: home,
    target,
    now: () => 0,
    onFile(_, path) {
      copied.push(basename(path));
      change(home, `INSERT OR REPLACE INTO notes (key, value) VALUES ('try', '${++tries}')`);
      // A new file makes the second run of the copier call back again.
      if (tries === 1) writeFileSync(join(home, "late"), "late");
    },
  });
  expect(copied).toEqual(expect.arrayContaining([first, second].map((each) => basename(each?.file ?? ""))));
  expect([copied.at(-1), readFileSync(join(target, "late"), "utf8")]).toEqual(["late", "late"]);
});

test("a queued turn that is started meanwhile is in its queue or in its thread", async () => {
  for (const startAt of ["before", "after"] as const) {
    const { home, target, threads } = await createHome([["a"], ["b"], []]);
    const [started, waiting, other] = threads;
    if (started === undefined || waiting === undefined || other === undefined) throw new Error("too few");
    backUpHome({
      where: home,
      target,
      now: () => 0,
      onFile(_, path) {
        const isFirst = path === started.file.slice(home.length + 1);
        if (isFirst && startAt === "before") startTurn(home, started);
        // It is copied in the last run, after the snapshot.
        if (isFirst && startAt === "after") writeFileSync(join(home, "late"), "late");
        if (path === "late") for (const each of [started, other]) startTurn(home, each);
      },
    });
    const hasLine = copyOf(started.file, home, target).endsWith(LINE);
    const isQueued = (await queuedIn(target, started.id)).length > 0;
    expect([startAt, hasLine, isQueued]).toEqual([startAt, startAt === "before", startAt === "after"]);
    expect(await queuedIn(target, waiting.id)).toEqual(["b"]);
    expect(copyOf(waiting.file, home, target)).toBe(readFileSync(waiting.file, "utf8"));
  }
});

test("a thread that is made and queued for meanwhile is whole in the copy", async () => {
  const { home, target, threads } = await createHome([[]]);
  const [known] = threads;
  if (known === undefined) throw new Error("too few");
  const id = known.id.replace(/.$/u, (last) => (last === "0" ? "1" : "0"));
  const file = known.file.replace(known.id, id);
  let isMade = false;
  backUpHome({
    where: home,
    target,
    now: () => 0,
    onFile() {
      if (isMade) return;
      isMade = true;
      mkdirSync(join(home, "sessions", "2000", "01", "01"), { recursive: true });
      writeFileSync(join(home, "sessions", "2000", "01", "01", basename(file)), "line\n");
      change(
        home,
        `INSERT INTO queue_rows (thread_id, row_id, bytes, position, state, created_at_ms, updated_at_ms)
           VALUES ('${id}', 'a', 2, 1, 'pending', 1, 1);
         INSERT INTO queue_params (number, params) SELECT number, '{}' FROM queue_rows WHERE thread_id = '${id}'`,
      );
    },
  });
  expect(await queuedIn(target, id)).toEqual(["a"]);
  expect(readFileSync(join(target, "sessions", "2000", "01", "01", basename(file)), "utf8")).toBe("line\n");
});

function modesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o077;
    return mode === 0 ? [] : [`${entry.name} ${mode.toString(8)}`];
  });
}

test("only their owner may read a home and its copy, whatever the umask and the folder were", async () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const { home, target } = await createHome([["a"]]);
  expect(modesBelow(home)).toEqual([]);
  writeFileSync(join(home, "config.toml"), "");
  mkdirSync(target, { mode: 0o777 });
  backUpHome({ where: home, target, now: () => 0 });
  expect([statSync(target).mode & 0o777, modesBelow(target)]).toEqual([0o700, []]);
});
