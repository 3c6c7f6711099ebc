import type { AuditEntry } from "../../protocol/generated/types.ts";
import type { StoredAuditEntry } from "../../store/audit.ts";

/** An entry of the audit log as clients see it. */
export function showAuditEntry({ number, atMs, client, ...entry }: StoredAuditEntry): AuditEntry {
  return { id: String(number), at: Math.floor(atMs / 1000), clientName: client, ...entry };
}
