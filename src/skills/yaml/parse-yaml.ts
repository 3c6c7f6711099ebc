// A reader for the part of YAML that skills use: mappings, lists, scalars of every style, brackets, anchors.
// Left out are complex keys (`? key`), merge keys and more than one document. Faults read as the peer's do.

import {
  atDocumentEnd,
  atLineEnd,
  type Cursor,
  charAt,
  columnOf,
  fail,
  isGap,
  nested,
  placeOf,
  skipLine,
  skipSpaces,
  skipToContent,
  YamlError,
} from "./cursor.ts";
import { readFlow } from "./flow.ts";
import { readProperties } from "./properties.ts";
import { atColon, readBlockScalar, readPlain, readQuoted } from "./scalars.ts";
import { emptyScalar, type YamlEntry, type YamlNode } from "./yaml-node.ts";

/** Reads a document; throws a YamlError if it is not one. */
export function parseYaml(source: string): YamlNode {
  const text = source.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
  const control = text.search(FORBIDDEN);
  if (control !== -1) {
    const position = Buffer.byteLength(text.slice(0, control));
    throw new YamlError(`control characters are not allowed at position ${position}`);
  }
  const cursor: Cursor = { text, anchors: new Map(), at: 0, depth: 0 };
  skipDirectives(cursor);
  const root = atDocumentEnd(cursor) ? emptyScalar(cursor.at) : readBlockNode(cursor, -1);
  skipToContent(cursor);
  if (cursor.text.startsWith("...", cursor.at) && atDocumentEnd(cursor)) {
    cursor.at += 3;
    skipToContent(cursor);
  }
  if (cursor.at < text.length) {
    throw new YamlError("deserializing from YAML containing more than one document is not supported");
  }
  return root;
}

const FORBIDDEN = /[^\P{Cc}\t\n]/u;

function skipDirectives(cursor: Cursor): void {
  skipToContent(cursor);
  let directives = false;
  while (charAt(cursor) === "%" && columnOf(cursor) === 0) {
    directives = true;
    skipLine(cursor);
    skipToContent(cursor);
  }
  if (cursor.text.startsWith("---", cursor.at) && atDocumentEnd(cursor)) {
    cursor.at += 3;
    skipToContent(cursor);
  } else if (directives) fail(cursor, "did not find expected <document start>");
}

function atDash(cursor: Cursor): boolean {
  return charAt(cursor) === "-" && isGap(charAt(cursor, 1));
}

/** Reads what stands on lines of its own, inside something at column `indent`. */
function readBlockNode(cursor: Cursor, indent: number): YamlNode {
  return nested(cursor, () => {
    const column = columnOf(cursor);
    if (atDash(cursor)) return readBlockList(cursor, column);
    if (atColon(cursor, "block")) fail(cursor, "did not find expected key", "parsing a block mapping");
    const start = cursor.at;
    const node = readInline(cursor, indent);
    skipSpaces(cursor);
    if (!atColon(cursor, "block")) return node;
    if (spansLines(cursor, start)) fail(cursor, "mapping values are not allowed in this context");
    return readBlockMap(cursor, column, node);
  });
}

/** Reads mapping entries at `column`; the cursor is at the colon after the first key. */
function readBlockMap(cursor: Cursor, column: number, firstKey: YamlNode): YamlNode {
  const start = firstKey.at;
  const entries: YamlEntry[] = [];
  let key: YamlNode | null = firstKey;
  while (key !== null) {
    cursor.at++;
    entries.push({ key, value: readValue(cursor, column, { mapStart: start }) });
    skipToContent(cursor);
    if (atDocumentEnd(cursor) || columnOf(cursor) < column) break;
    if (columnOf(cursor) > column || atDash(cursor)) {
      fail(cursor, "did not find expected key", "parsing a block mapping", start);
    }
    key = readKey(cursor, column, start);
  }
  return { kind: "map", entries, at: start };
}

function readKey(cursor: Cursor, column: number, mapStart: number): YamlNode {
  const start = cursor.at;
  const noKey = () => fail(cursor, "did not find expected key", "parsing a block mapping", mapStart);
  if (atColon(cursor, "block")) noKey();
  const key = readInline(cursor, column);
  skipSpaces(cursor);
  if (!atColon(cursor, "block")) {
    if (!atLineEnd(cursor)) noKey();
    const line = cursor.text.slice(0, cursor.at).split("\n").length;
    const context = `while scanning a simple key${placeOf(cursor.text, start)}`;
    throw new YamlError(`could not find expected ':' at line ${line + 1} column 1, ${context}`);
  }
  if (spansLines(cursor, start)) fail(cursor, "could not find expected ':'", "scanning a simple key", start);
  return key;
}

function spansLines(cursor: Cursor, start: number): boolean {
  return cursor.text.slice(start, cursor.at).includes("\n");
}

function atLineStart(cursor: Cursor): boolean {
  return cursor.text.slice(cursor.at - columnOf(cursor), cursor.at).trim() === "";
}

function readBlockList(cursor: Cursor, column: number): YamlNode {
  const start = cursor.at;
  const items: YamlNode[] = [];
  for (;;) {
    cursor.at++;
    items.push(readValue(cursor, column, "dash"));
    skipToContent(cursor);
    if (atDocumentEnd(cursor) || columnOf(cursor) < column) break;
    if (columnOf(cursor) === column && !atDash(cursor)) break;
    if (columnOf(cursor) > column) {
      fail(cursor, "did not find expected '-' indicator", "parsing a block collection", start);
    }
  }
  return { kind: "list", items, at: start };
}

/** Reads what follows a dash, or a key of a mapping that began at `mapStart`, on the same line or below it. */
function readValue(cursor: Cursor, indent: number, after: "dash" | { readonly mapStart: number }): YamlNode {
  const empty = emptyScalar(cursor.at);
  skipSpaces(cursor);
  if (!atLineEnd(cursor)) {
    return after === "dash" ? readBlockNode(cursor, indent) : readLineValue(cursor, indent, after.mapStart);
  }
  skipToContent(cursor);
  const column = columnOf(cursor);
  if (atDocumentEnd(cursor)) return empty;
  const isBelow = column > indent || (after !== "dash" && column === indent && atDash(cursor));
  return isBelow ? readBlockNode(cursor, indent) : empty;
}

function readLineValue(cursor: Cursor, indent: number, mapStart: number): YamlNode {
  const start = cursor.at;
  const node = readInline(cursor, indent);
  // What stands below an anchor or a tag ends where the next line begins.
  if (spansLines(cursor, start) && atLineStart(cursor)) return node;
  skipSpaces(cursor);
  if (atColon(cursor, "block")) fail(cursor, "mapping values are not allowed in this context");
  if (!atLineEnd(cursor)) fail(cursor, "did not find expected key", "parsing a block mapping", mapStart);
  return node;
}

function readInline(cursor: Cursor, indent: number): YamlNode {
  return readProperties(cursor, () => {
    const char = charAt(cursor);
    if (atLineEnd(cursor)) return readValue(cursor, indent, { mapStart: cursor.at });
    if (atDash(cursor)) fail(cursor, "block sequence entries are not allowed in this context");
    if (char === "|" || char === ">") return readBlockScalar(cursor, indent);
    if (char === "[" || char === "{") return readFlow(cursor);
    if (char === '"' || char === "'") return readQuoted(cursor);
    if (",]}".includes(char)) {
      fail(cursor, "did not find expected node content", "parsing a block node");
    }
    if ("@`%".includes(char)) {
      fail(cursor, "found character that cannot start any token", "scanning for the next token");
    }
    if (char === "?" && isGap(charAt(cursor, 1))) {
      fail(cursor, "mapping keys are not allowed in this context");
    }
    return readPlain(cursor, indent, "block");
  });
}
