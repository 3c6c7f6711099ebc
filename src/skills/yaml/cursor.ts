// Where the reader of a YAML document stands, and how it says that it cannot go on.

import type { YamlNode } from "./yaml-node.ts";

/** How deep lists and mappings may lie in each other. */
export const MAX_DEPTH = 100;

export interface Cursor {
  readonly text: string;
  readonly anchors: Map<string, YamlNode>;
  at: number;
  depth: number;
}

export class YamlError extends Error {}

/** The place of an offset as the peer writes it; the very beginning has none. */
export function placeOf(text: string, at: number): string {
  if (at === 0) return "";
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return ` at line ${line} column ${at - before.lastIndexOf("\n")}`;
}

/** Ends the reading. `during` says what was being read, `from` where that began if not right here. */
export function fail(cursor: Cursor, what: string, during?: string, from = 0): never {
  const context = during === undefined ? "" : `, while ${during}${placeOf(cursor.text, from)}`;
  throw new YamlError(`${what}${placeOf(cursor.text, cursor.at)}${context}`);
}

export function charAt(cursor: Cursor, offset = 0): string {
  return cursor.text.charAt(cursor.at + offset);
}

/** White space, a line end or the end of the document. */
export function isGap(char: string): boolean {
  return char === "" || char === " " || char === "\t" || char === "\n";
}

export function columnOf(cursor: Cursor): number {
  return cursor.at === 0 ? 0 : cursor.at - cursor.text.lastIndexOf("\n", cursor.at - 1) - 1;
}

export function skipSpaces(cursor: Cursor): void {
  while (charAt(cursor) === " " || charAt(cursor) === "\t") cursor.at++;
}

/** Whether nothing but a comment follows on this line. */
export function atLineEnd(cursor: Cursor): boolean {
  const char = charAt(cursor);
  return char === "" || char === "\n" || (char === "#" && (cursor.at === 0 || isGap(charAt(cursor, -1))));
}

export function skipLine(cursor: Cursor): void {
  const end = cursor.text.indexOf("\n", cursor.at);
  cursor.at = end === -1 ? cursor.text.length : end;
}

/** Moves past white space, comments and line ends to what comes next. */
export function skipToContent(cursor: Cursor, place: "block" | "flow" = "block"): void {
  skipSpaces(cursor);
  while (atLineEnd(cursor) && cursor.at < cursor.text.length) {
    skipLine(cursor);
    if (charAt(cursor) === "\n") cursor.at++;
    while (charAt(cursor) === " ") cursor.at++;
    if (charAt(cursor) === "\t" && place === "block") {
      fail(cursor, "found character that cannot start any token", "scanning for the next token");
    }
    skipSpaces(cursor);
  }
}

/** Whether the document ends here, by its end or by a marker line. */
export function atDocumentEnd(cursor: Cursor): boolean {
  if (charAt(cursor) === "") return true;
  if (columnOf(cursor) !== 0) return false;
  const marker = cursor.text.slice(cursor.at, cursor.at + 3);
  return (marker === "---" || marker === "...") && isGap(charAt(cursor, 3));
}

/** Reads something that may hold more of its kind. */
export function nested<T>(cursor: Cursor, read: () => T): T {
  if (cursor.depth >= MAX_DEPTH) fail(cursor, "recursion limit exceeded");
  cursor.depth++;
  const result = read();
  cursor.depth--;
  return result;
}
