import type { Clock } from "../../../base/clock.ts";
import { type AuditLog, clipAuditEntry, MAX_AUDIT_ENTRIES, type StoredAuditEntry } from "../../audit.ts";
import type { Connection } from "./connection.ts";
import type { SqlValue } from "./driver.ts";

const INSERT = `
  INSERT INTO audit_entries (at_ms, subject, client, method, thread_id, detail) VALUES (?, ?, ?, ?, ?, ?)`;
const DROP_OLD = "DELETE FROM audit_entries WHERE number <= (SELECT max(number) FROM audit_entries) - ?";
const COLUMNS = "number, at_ms AS atMs, subject, client, method, thread_id AS threadId, detail";

/** Entries in the table `audit_entries`. */
export function createSqliteAudit(
  { prepare, write }: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): AuditLog {
  return {
    record: async (entry) =>
      write(() => {
        const { subject, client, method, threadId, detail } = clipAuditEntry(entry);
        prepare(INSERT).run(clock.now(), subject, client, method, threadId, detail);
        prepare(DROP_OLD).run(MAX_AUDIT_ENTRIES);
      }),
    async list({ threadId, subject, text, before, limit }) {
      const conditions: [string, SqlValue][] = [];
      if (threadId != null) conditions.push(["thread_id = ?", threadId]);
      if (subject != null) conditions.push(["subject = ?", subject]);
      if (before != null) conditions.push(["number < ?", before]);
      if (text != null)
        conditions.push(["instr(lower(method || ' ' || coalesce(detail, '')), ?) > 0", text.toLowerCase()]);
      const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`;
      const sql = `SELECT ${COLUMNS} FROM audit_entries ${where} ORDER BY number DESC LIMIT ?`;
      return prepare(sql).all(...conditions.map(([, value]) => value), limit) as readonly StoredAuditEntry[];
    },
  };
}
