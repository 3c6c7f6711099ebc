/** The port for the audit log, which has the changes that clients with a token make. Timestamps come from the store's clock. */
export interface AuditLog {
  record(entry: NewAuditEntry): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly StoredAuditEntry[]>;
}

export interface NewAuditEntry {
  /** The subject of the client's token; null for a token without one. */
  readonly subject: string | null;
  /** The name that the client gives itself. */
  readonly client: string | null;
  readonly method: string;
  readonly threadId: string | null;
  /** The id or the key of the changed thing, such as a queued turn; null where the method and the thread name it. */
  readonly detail: string | null;
}

export interface StoredAuditEntry extends NewAuditEntry {
  readonly number: number;
  readonly atMs: number;
}

/** Each member narrows the list. */
export interface AuditQuery {
  readonly threadId?: string | null;
  readonly subject?: string | null;
  /** Part of the method or of the detail, in upper or lower case. */
  readonly text?: string | null;
  /** Only those with a smaller number. */
  readonly before?: number | null;
  readonly limit: number;
}

/** Beyond it the oldest are dropped. */
export const MAX_AUDIT_ENTRIES = 50_000;

export const MAX_AUDIT_DETAIL = 1000;

/** An entry as it is kept. */
export function clipAuditEntry(entry: NewAuditEntry): NewAuditEntry {
  const { detail } = entry;
  const isLong = detail !== null && detail.length > MAX_AUDIT_DETAIL;
  return isLong ? { ...entry, detail: `${detail.slice(0, MAX_AUDIT_DETAIL)}…` } : entry;
}
