/** The audit log: what people have changed. */
import type { AuditEntry, AuditListParams } from "../../protocol/generated/types.ts";
import { createPages, type Pages } from "./pages.ts";

export const createChanges = (filters: AuditListParams): Pages<AuditEntry> =>
  createPages((client, page) => client.request("audit/list", { ...filters, ...page }));
