// Lists and mappings between brackets, such as `[a, {b: c}]`.

import { type Cursor, charAt, fail, nested, skipToContent } from "./cursor.ts";
import { readProperties } from "./properties.ts";
import { atColon, readPlain, readQuoted } from "./scalars.ts";
import { emptyScalar, type YamlEntry, type YamlNode } from "./yaml-node.ts";

export function readFlow(cursor: Cursor): YamlNode {
  const start = cursor.at;
  const isList = charAt(cursor) === "[";
  const close = isList ? "]" : "}";
  const entries: YamlEntry[] = [];
  const items: YamlNode[] = [];
  cursor.at++;
  skipToContent(cursor, "flow");
  while (charAt(cursor) !== close) {
    const entry = nested(cursor, () => readEntry(cursor));
    if (isList) items.push(entry.paired ? { kind: "map", entries: [entry], at: entry.key.at } : entry.key);
    else entries.push(entry);
    skipToContent(cursor, "flow");
    if (charAt(cursor) === ",") {
      cursor.at++;
      skipToContent(cursor, "flow");
    } else if (charAt(cursor) !== close) {
      const name = isList ? "sequence" : "mapping";
      fail(cursor, `did not find expected ',' or '${close}'`, `parsing a flow ${name}`, start);
    }
  }
  cursor.at++;
  return isList ? { kind: "list", items, at: start } : { kind: "map", entries, at: start };
}

function readEntry(cursor: Cursor): YamlEntry & { readonly paired: boolean } {
  const key = readItem(cursor);
  skipToContent(cursor, "flow");
  const isPlain = key.kind === "scalar" && key.plain;
  if (!(isPlain ? atColon(cursor, "flow") : charAt(cursor) === ":")) {
    return { key, value: emptyScalar(cursor.at), paired: false };
  }
  cursor.at++;
  skipToContent(cursor, "flow");
  const value = ",]}".includes(charAt(cursor)) ? emptyScalar(cursor.at) : readItem(cursor);
  return { key, value, paired: true };
}

function readItem(cursor: Cursor): YamlNode {
  return readProperties(cursor, () => {
    const char = charAt(cursor);
    if (char === "[" || char === "{") return readFlow(cursor);
    if (char === '"' || char === "'") return readQuoted(cursor);
    if (char === "" || ",]}".includes(char)) {
      fail(cursor, "did not find expected node content", "parsing a flow node");
    }
    if ("@`%".includes(char)) {
      fail(cursor, "found character that cannot start any token", "scanning for the next token");
    }
    return readPlain(cursor, -1, "flow");
  });
}
