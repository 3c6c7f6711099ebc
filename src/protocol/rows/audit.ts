// The log of changes by clients with a token. The peer has no such method.

import { free, request } from "./row.ts";
import { array, define, i64, nullable, object, optional, string, u32 } from "./shape.ts";

export const AuditListParams = define(
  "AuditListParams",
  object({
    threadId: optional(nullable(string())),
    text: optional(nullable(string())),
    cursor: optional(nullable(string())),
    limit: optional(nullable(u32())),
  }),
  "Each member narrows the list. `text` is found in the method and in the detail.",
);
export const AuditEntry = define(
  "AuditEntry",
  object({
    id: string(),
    at: i64(),
    subject: nullable(string()),
    clientName: nullable(string()),
    method: string(),
    threadId: nullable(string()),
    detail: nullable(string()),
  }),
  "A change: `subject` is that of the client's token, `clientName` the name that the client gives itself, and `detail` names the changed thing where the method and the thread do not.",
);
export const AuditListResponse = define(
  "AuditListResponse",
  object({ data: array(AuditEntry), nextCursor: nullable(string()) }),
);

export const auditRequests = {
  "audit/list": request({
    summary: "Pages through the changes that clients with a token have made, the newest first.",
    stability: "experimental",
    scope: "read",
    params: AuditListParams,
    result: AuditListResponse,
    order: free,
    idempotent: true,
    handlers: "audit",
  }),
};
