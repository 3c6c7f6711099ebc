/** Records what clients with a token change. */
import type { Awaitable } from "../../base/awaitable.ts";
import { textMember } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { printable } from "../../base/printable.ts";
import type { NewAuditEntry } from "../../store/audit.ts";
import type { UntypedHandler } from "./admit.ts";
import type { ClientConnection } from "./client-connection.ts";

export type RecordAudit = (entry: NewAuditEntry) => Awaitable<void>;

/** The response is sent after the entry is durable. */
export function audited(
  method: string,
  handle: UntypedHandler,
  { connection, record }: { readonly connection: ClientConnection; readonly record: RecordAudit },
): UntypedHandler {
  return async (params, context) => {
    const result = await handle(params, context);
    await record(entryOf(method, isObject(params) ? params : {}, connection));
    return result;
  };
}

function entryOf(
  method: string,
  params: JsonObject,
  { subject, handshake }: Pick<ClientConnection, "subject" | "handshake">,
): NewAuditEntry {
  return {
    subject,
    client: handshake.phase === "ready" ? handshake.clientName : null,
    method,
    threadId: textMember(params, "threadId"),
    detail: describeChange(params),
  };
}

/** Members that name what is changed, the most exact one first. Values of the configuration may be secret. */
const NAMES = [
  "queuedSubmissionId",
  "queuedTurnId",
  "scheduleId",
  "deviceId",
  "wakeTokenId",
  "deliveryId",
  "endpointId",
  "beforeTurnId",
  "turnId",
  "name",
  "reason",
];

function describeChange(params: JsonObject): string | null {
  const edits = Array.isArray(params["edits"]) ? params["edits"].filter(isObject) : [params];
  const keys = edits.flatMap(describeEdit);
  if (keys.length > 0) return printable(keys.join(", "));
  for (const name of NAMES) {
    const value = textMember(params, name);
    if (value !== null) return printable(value);
  }
  return null;
}

/** The names of what is written: the members of a value, and theirs, as those of a hook. */
function describeEdit({ keyPath, value }: JsonObject): string[] {
  if (typeof keyPath !== "string") return [];
  if (value === null) return [`removed ${keyPath}`];
  if (!isObject(value) || Object.keys(value).length === 0) return [keyPath];
  return Object.entries(value).map(([member, inner]) =>
    [keyPath, member, ...(isObject(inner) ? Object.keys(inner) : [])].join(" "),
  );
}
