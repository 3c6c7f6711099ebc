import { sortedJson } from "../text/json.ts";
import type { ContextEntry } from "./context-entry.ts";

/** The compatible form: one JSON document as text, and an empty object where there is nothing to tell. */
export function contextDocument(entries: readonly ContextEntry[]): string {
  if (entries.length === 0) return "{}";
  const payloads = entries.map(({ payload_id, payload_kind, body, body_ref }) => ({
    ...(body === undefined ? { body_ref: body_ref ?? "" } : { body }),
    payload_id,
    payload_kind,
  }));
  return sortedJson({ payloads }, 2);
}
