/** The audit log in PostgreSQL. */
import { type AuditLog, clipAuditEntry, MAX_AUDIT_ENTRIES, type StoredAuditEntry } from "../../audit.ts";
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase } from "../connection/database.ts";

const INSERT = `
  INSERT INTO audit_entry (at_ms, subject, client, method, thread_id, detail) VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING number`;
const DROP_OLD = "DELETE FROM audit_entry WHERE number <= $1";
const COLUMNS = 'number, at_ms AS "atMs", subject, client, method, thread_id AS "threadId", detail';

export function createPostgresAudit({ query, transaction, time }: PostgresDatabase): AuditLog {
  return {
    record: (entry) =>
      transaction(async (statements) => {
        const { subject, client, method, threadId, detail } = clipAuditEntry(entry);
        const values = [time.now(), subject, client, method, threadId, detail];
        const [added] = await statements.query<Pick<StoredAuditEntry, "number">>(INSERT, ...values);
        await statements.query(DROP_OLD, (added?.number ?? 0) - MAX_AUDIT_ENTRIES);
      }),
    async list({ threadId, subject, text, before, limit }) {
      const where = new Conditions();
      where.parts.push("true");
      if (threadId != null) where.add((at) => `thread_id = ${at}`, threadId);
      if (subject != null) where.add((at) => `subject = ${at}`, subject);
      if (before != null) where.add((at) => `number < ${at}`, before);
      if (text != null)
        where.add((at) => `strpos(lower(concat_ws(' ', method, detail)), ${at}) > 0`, text.toLowerCase());
      const conditions = where.parts.join(" AND ");
      const end = `ORDER BY number DESC LIMIT ${where.value(limit)}`;
      return query<StoredAuditEntry>(
        `SELECT ${COLUMNS} FROM audit_entry WHERE ${conditions} ${end}`,
        ...where.values,
      );
    },
  };
}
