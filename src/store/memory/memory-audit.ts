import type { Clock } from "../../base/clock.ts";
import {
  type AuditLog,
  type AuditQuery,
  clipAuditEntry,
  MAX_AUDIT_ENTRIES,
  type StoredAuditEntry,
} from "../audit.ts";

export interface AuditMemory {
  readonly entries: StoredAuditEntry[];
  last: number;
}

export function createMemoryAudit(memory: AuditMemory, clock: Pick<Clock, "now">): AuditLog {
  return {
    async record(entry) {
      memory.last += 1;
      memory.entries.unshift({ ...clipAuditEntry(entry), number: memory.last, atMs: clock.now() });
      memory.entries.splice(MAX_AUDIT_ENTRIES);
    },
    list: async (query) => memory.entries.filter((each) => matches(each, query)).slice(0, query.limit),
  };
}

function matches(entry: StoredAuditEntry, { threadId, subject, text, before }: AuditQuery): boolean {
  const words = text?.toLowerCase();
  return (
    (threadId == null || entry.threadId === threadId) &&
    (subject == null || entry.subject === subject) &&
    (before == null || entry.number < before) &&
    (words === undefined ||
      [entry.method, entry.detail ?? ""].some((each) => each.toLowerCase().includes(words)))
  );
}
