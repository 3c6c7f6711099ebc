/** A copy of a database as it was at one moment, which is made later, while others go on writing to it. */
import { openConnection } from "../files/sqlite/connection.ts";
import { copyRows } from "../files/sqlite/copy-rows.ts";
import { openDatabase } from "../files/sqlite/driver.ts";
import { rollBack } from "../files/sqlite/migrations.ts";

export interface Snapshot {
  /** From now on it stays as it is; says which threads have something in their queues. */
  begin(): readonly string[];
  /** Another moment is to be chosen. */
  cancel(): void;
  copy(): void;
  close(): void;
}

/** Of what the index and leases know, all can be found again in the files; paths in it are those of the other home. */
const FOUND_AGAIN = new Set(["items", "turns", "rollouts", "leases"]);
const TABLES = "SELECT name FROM copy.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
const QUEUED = "SELECT DISTINCT thread_id FROM main.queue_rows";
/** Numbers that were given, also where nothing is left of them. */
const NUMBERS = `
  DELETE FROM copy.sqlite_sequence;
  INSERT INTO copy.sqlite_sequence (name, seq) SELECT name, seq FROM main.sqlite_sequence;`;

/** The source has the newest schema. */
export function openSnapshot(from: string, to: string): Snapshot {
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
        if (!FOUND_AGAIN.has(name)) copyRows(reader, name, { from: "main", to: "copy" });
      }
      reader.exec(`${NUMBERS} COMMIT; DETACH DATABASE copy;`);
    },
    close: () => reader.close(),
  };
}
