/** Copies a database as of one point in time, while other processes keep writing to it. */
import { openConnection } from "../files/sqlite/connection.ts";
import { copyRows } from "../files/sqlite/copy-rows.ts";
import { openDatabase } from "../files/sqlite/driver.ts";
import { rollBack } from "../files/sqlite/migrations.ts";

export interface DatabaseSnapshot {
  /** Starts the snapshot and returns the threads with queued turns. */
  begin(): readonly string[];
  /** Ends the snapshot, so that another one can begin. */
  cancel(): void;
  copy(): void;
  close(): void;
}

/** Tables that a server rebuilds from the files; their paths are those of the original home. */
const REBUILT_TABLES = new Set(["items", "turns", "rollouts", "leases"]);
const TABLES = "SELECT name FROM copy.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const QUEUED = "SELECT DISTINCT thread_id FROM main.queue_rows";
/** Ids that were assigned are not reused, even if their rows are gone. */
const COPY_SEQUENCES = `
  DELETE FROM copy.sqlite_sequence;
  INSERT INTO copy.sqlite_sequence (name, seq) SELECT name, seq FROM main.sqlite_sequence;`;

/** The schema of the source must be the newest one. */
export function openSnapshot(from: string, to: string): DatabaseSnapshot {
  openConnection(to).close();
  const reader = openDatabase(from);
  reader.prepare("ATTACH DATABASE ? AS copy").run(to);

  return {
    begin() {
      reader.exec("BEGIN");
      return reader
        .prepare(QUEUED)
        .all()
        .map((row) => (row as { thread_id: string }).thread_id);
    },
    cancel: () => rollBack(reader),
    copy() {
      for (const row of reader.prepare(TABLES).all()) {
        const { name } = row as { name: string };
        if (!REBUILT_TABLES.has(name)) copyRows(reader, name, { from: "main", to: "copy" });
      }
      reader.exec(`${COPY_SEQUENCES} COMMIT; DETACH DATABASE copy;`);
    },
    close: () => reader.close(),
  };
}
