import { createSqliteDecisions } from "../decisions/sqlite-decisions.ts";
import type { Store, ThreadRecord } from "../store.ts";
import { openConnection } from "./connection.ts";
import { createSqliteIndex } from "./sqlite-index.ts";

const PUT_THREAD = `
  INSERT INTO threads (id, created_at_ms, updated_at_ms, cwd, preview, model_provider, model, originator)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    updated_at_ms = excluded.updated_at_ms, cwd = excluded.cwd, preview = excluded.preview,
    model_provider = excluded.model_provider, model = excluded.model`;

/** The store in one SQLite file, in WAL mode so that readers and the writer do not wait for one another. */
export function openSqliteStore(file: string): Store {
  const connection = openConnection(file);
  return {
    threads: {
      async put(record) {
        const { id, createdAtMs, updatedAtMs, cwd, preview, modelProvider, model, originator } = record;
        const put = connection.prepare(PUT_THREAD);
        put.run(id, createdAtMs, updatedAtMs, cwd, preview, modelProvider, model, originator);
      },
      async get(id) {
        const row = connection.prepare("SELECT * FROM threads WHERE id = ?").get(id);
        return row === undefined ? null : toThreadRecord(row as ThreadRow);
      },
    },
    history: createSqliteIndex(connection),
    decisions: createSqliteDecisions(connection),
    close: async () => connection.close(),
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
