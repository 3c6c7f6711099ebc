/**
 * An item as the wire knows it and as an `item_completed` line keeps it. Both directions are total. What the files'
 * form cannot express (a command that is no list of words, say) goes along in a member of its own, which other
 * readers of the file ignore.
 */

import { isDeepStrictEqual } from "node:util";
import { objectMember, objectsMember, textMember, withoutNulls } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { readers } from "./read-item.ts";
import { storeItemParts } from "./store-item.ts";

const EXACT = "wire_item";

export interface StoredItem extends JsonObject {
  readonly type: string;
  readonly id: string;
}

/** The item's form in the file; its times belong to the line around it. */
export function toStoredItem(timed: ThreadItem): StoredItem {
  const { startedAtMs: _started, completedAtMs: _completed, ...rest } = timed;
  const item = rest as ThreadItem;
  const parts = storeItemParts(item);
  // Arguments are the one member that is kept when it is null: the peer cannot read a call without it.
  const call = "arguments" in parts ? { arguments: parts["arguments"] ?? null } : {};
  const stored = { type: textMember(parts, "type") ?? "", id: item.id, ...withoutNulls(parts), ...call };
  // The content of a message has defaults that may be left out, and nothing else to lose.
  if (item.type === "userMessage" || isDeepStrictEqual(readByType(stored), item)) return stored;
  return { ...stored, [EXACT]: item };
}

/** The item that a file keeps; null for kinds that are unknown. */
export function fromStoredItem(stored: JsonObject): ThreadItem | null {
  const exact = objectMember(stored, EXACT);
  if (exact !== null && textMember(exact, "type") !== null && textMember(exact, "id") !== null) {
    return exact as unknown as ThreadItem;
  }
  return readByType(stored);
}

function readByType(stored: JsonObject): ThreadItem | null {
  const id = textMember(stored, "id");
  const type = textMember(stored, "type") ?? "";
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return id === null || read === undefined ? null : read(stored, id);
}

/** A stored user message in one line, as lists of threads show it, without reading the whole item. */
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
