import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store, ThreadRecord } from "../store.ts";
import { openDatabase } from "./driver.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";

const BUSY_TIMEOUT_MS = 30_000;

/** The store in one SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteStore(file: string): Store {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = openDatabase(file);
  database.exec(
    `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`,
  );
  migrate(database, migrations, file);

  const putThread = database.prepare(`
    INSERT INTO threads (id, created_at_ms, updated_at_ms, cwd, preview, model_provider, model, originator)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
      updated_at_ms = excluded.updated_at_ms, cwd = excluded.cwd, preview = excluded.preview,
      model_provider = excluded.model_provider, model = excluded.model`);
  const getThread = database.prepare("SELECT * FROM threads WHERE id = ?");

  return {
    threads: {
      async put(record) {
        const { id, createdAtMs, updatedAtMs, cwd, preview, modelProvider, model, originator } = record;
        putThread.run(id, createdAtMs, updatedAtMs, cwd, preview, modelProvider, model, originator);
      },
      async get(id) {
        const row = getThread.get(id);
        return row === undefined ? null : toThreadRecord(row as ThreadRow);
      },
    },
    close: async () => database.close(),
  };
}

interface ThreadRow {
  readonly id: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  readonly cwd: string;
  readonly preview: string;
  readonly model_provider: string;
  readonly model: string;
  readonly originator: string;
}

function toThreadRecord(row: ThreadRow): ThreadRecord {
  return {
    id: row.id,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    cwd: row.cwd,
    preview: row.preview,
    modelProvider: row.model_provider,
    model: row.model,
    originator: row.originator,
  };
}
