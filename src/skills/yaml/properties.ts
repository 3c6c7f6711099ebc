// What may stand before a node of YAML: an anchor (`&name`), a tag (`!tag`, which nothing here needs), or
// an alias (`*name`) in its place.

import { type Cursor, charAt, fail, isGap, skipSpaces } from "./cursor.ts";
import type { YamlNode } from "./yaml-node.ts";

export function readProperties(cursor: Cursor, readNode: () => YamlNode): YamlNode {
  let anchor: string | null = null;
  for (;;) {
    if (charAt(cursor) === "*") return readAlias(cursor);
    if (charAt(cursor) === "&") anchor = readName(cursor, "an anchor");
    else if (charAt(cursor) === "!") while (!isGap(charAt(cursor))) cursor.at++;
    else break;
    skipSpaces(cursor);
  }
  const node = readNode();
  if (anchor !== null) cursor.anchors.set(anchor, node);
  return node;
}

function readAlias(cursor: Cursor): YamlNode {
  const start = cursor.at;
  const node = cursor.anchors.get(readName(cursor, "an alias"));
  if (node !== undefined) return node;
  cursor.at = start;
  fail(cursor, "unknown anchor");
}

function readName(cursor: Cursor, what: string): string {
  const start = cursor.at++;
  while (/[\w-]/.test(charAt(cursor))) cursor.at++;
  if (cursor.at === start + 1) {
    fail(cursor, "did not find expected alphabetic or numeric character", `scanning ${what}`, start);
  }
  return cursor.text.slice(start + 1, cursor.at);
}
