/**
 * Conversion of items between the wire form and that of an `item_completed` line. Both directions are total. Values
 * that the file form cannot express (a command that is not a list of words, say) are stored in a member of their own,
 * which other readers of the file ignore.
 */

import { objectMember, objectsMember, textMember, withoutNulls } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { isSameJson } from "../../base/same-json.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { readers } from "./read-item.ts";
import { storeItemParts } from "./store-item.ts";

const WIRE_ITEM = "wire_item";

export interface StoredItem extends JsonObject {
  readonly type: string;
  readonly id: string;
}

/** The file form of an item; its times belong to the line around it. */
export function toStoredItem(timed: ThreadItem): StoredItem {
  const parts = storeItemParts(timed);
  const stored = withoutNulls(parts, { type: textMember(parts, "type") ?? "", id: timed.id });
  // `arguments` is the one member that is stored even if it is null: the peer cannot read a call without it.
  const whole = "arguments" in parts ? { ...stored, arguments: parts["arguments"] ?? null } : stored;
  if (isMessage(timed)) return whole;
  const { startedAtMs: _started, completedAtMs: _completed, ...item } = timed;
  return isSameJson(readByType(whole), item) ? whole : { ...whole, [WIRE_ITEM]: item };
}

/** A message has nothing to lose: its content, and defaults that may be omitted. The comparison takes 20 µs. */
function isMessage(item: ThreadItem): boolean {
  if (item.type === "userMessage") return true;
  if (item.type !== "agentMessage") return false;
  return (
    item.phase === null && item.memoryCitation === null && item.delivery === null && item.questions === null
  );
}

/** Reads an item from its file form; null for unknown kinds. */
export function fromStoredItem(stored: JsonObject): ThreadItem | null {
  const wireItem = objectMember(stored, WIRE_ITEM);
  if (wireItem !== null && textMember(wireItem, "type") !== null && textMember(wireItem, "id") !== null) {
    return wireItem as unknown as ThreadItem;
  }
  return readByType(stored);
}

function readByType(stored: JsonObject): ThreadItem | null {
  const id = textMember(stored, "id");
  const type = textMember(stored, "type") ?? "";
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return id === null || read === undefined ? null : read(stored, id);
}

/** The text of a stored user message for thread lists, without reading the whole item. */
export function storedUserText(stored: JsonObject): string {
  const parts = objectsMember(stored, "content");
  const text = parts
    .filter((part) => part["type"] === "text")
    .map((part) => textMember(part, "text") ?? "")
    .join("")
    .trim();
  if (text !== "") return text;
  const has = (kind: string) => parts.some(({ type }) => typeof type === "string" && type.endsWith(kind));
  if (has("image")) return "[Image]";
  return has("audio") ? "[Audio]" : "";
}
