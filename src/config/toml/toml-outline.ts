// Locates the statements of a valid TOML document: the offsets of each header, key and value. Editing and
// diagnostics need offsets, which the parser does not provide.
import { parse } from "smol-toml";
import { isTable } from "./toml-value.ts";

export interface TomlStatement {
  readonly kind: "pair" | "header" | "listHeader";
  /** All keys from the root; entries of an array of tables are numbered. */
  readonly path: readonly string[];
  /** How many of these keys come from the header above; for headers all of them. */
  readonly headerLength: number;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** For pairs; empty for headers. */
  readonly valueStart: number;
  readonly valueEnd: number;
  /** The lines that the statement covers, including their line endings. */
  readonly lineStart: number;
  readonly lineEnd: number;
}

export function outlineToml(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  const lists = new Map<string, number>();
  let header: readonly string[] = [];
  let position = text.startsWith("\uFEFF") ? 1 : 0;
  while (position < text.length) {
    const start = skipBlank(text, position);
    if (start >= text.length) break;
    const first = text[start];
    if (first === "\n" || first === "\r" || first === "#") {
      position = lineEndAfter(text, start);
      continue;
    }
    const statement = first === "[" ? scanHeader(text, start, lists) : scanPair(text, start, header);
    if (statement.kind !== "pair") header = statement.path;
    statements.push(statement);
    position = statement.lineEnd;
  }
  return statements;
}

function scanHeader(text: string, start: number, lists: Map<string, number>): TomlStatement {
  const isList = text[start + 1] === "[";
  const keyStart = start + (isList ? 2 : 1);
  const keyEnd = skipKey(text, keyStart);
  const path = numberLists(decodeKey(text.slice(keyStart, keyEnd)), isList, lists);
  const kind = isList ? "listHeader" : "header";
  const lineEnd = lineEndAfter(text, keyEnd);
  return {
    kind,
    path,
    headerLength: path.length,
    keyStart,
    keyEnd,
    valueStart: keyEnd,
    valueEnd: keyEnd,
    lineStart: lineStartOf(text, start),
    lineEnd,
  };
}

/** Below an array of tables, a header refers to its last entry. */
function numberLists(keys: readonly string[], isList: boolean, lists: Map<string, number>): string[] {
  const path: string[] = [];
  keys.forEach((key, index) => {
    path.push(key);
    const name = JSON.stringify(path);
    const count = lists.get(name);
    if (isList && index === keys.length - 1) {
      lists.set(name, (count ?? 0) + 1);
      path.push(String(count ?? 0));
    } else if (count !== undefined) {
      path.push(String(count - 1));
    }
  });
  return path;
}

function scanPair(text: string, start: number, header: readonly string[]): TomlStatement {
  const keyEnd = skipKey(text, start);
  const valueStart = skipBlank(text, text.indexOf("=", keyEnd) + 1);
  const valueEnd = skipValue(text, valueStart);
  return {
    kind: "pair",
    path: [...header, ...decodeKey(text.slice(start, keyEnd))],
    headerLength: header.length,
    keyStart: start,
    keyEnd,
    valueStart,
    valueEnd,
    lineStart: lineStartOf(text, start),
    lineEnd: lineEndAfter(text, valueEnd),
  };
}

/** The parser decodes every escape that a quoted key may have. */
export function decodeKey(key: string): string[] {
  const keys: string[] = [];
  let current: unknown = parse(`${key}=true`);
  while (isTable(current)) {
    const [name] = Object.keys(current);
    if (name === undefined) break;
    keys.push(name);
    current = current[name];
  }
  return keys;
}

export function skipKey(text: string, start: number): number {
  let position = start;
  let end = start;
  while (position < text.length) {
    const character = text[position];
    if (character === '"' || character === "'") position = skipString(text, position);
    else if (character === "=" || character === "]") break;
    else position += 1;
    if (character !== " " && character !== "\t") end = position;
  }
  return end;
}

export function skipValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"' || first === "'") return skipString(text, start);
  if (first === "[" || first === "{") return skipNested(text, start);
  let end = start;
  while (end < text.length && !"#\r\n,]}".includes(text[end] ?? "")) end += 1;
  return text.slice(start, end).trimEnd().length + start;
}

function skipNested(text: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const character = text[position] ?? "";
    if (character === '"' || character === "'") {
      position = skipString(text, position);
      continue;
    }
    if (character === "#") {
      position = lineEndAfter(text, position);
      continue;
    }
    if (character === "[" || character === "{") depth += 1;
    if (character === "]" || character === "}") depth -= 1;
    position += 1;
    if (depth === 0) break;
  }
  return position;
}

function skipString(text: string, start: number): number {
  const quote = text[start] ?? "";
  const long = quote.repeat(3);
  const isLong = text.startsWith(long, start);
  let position = start + (isLong ? 3 : 1);
  while (position < text.length) {
    if (quote === '"' && text[position] === "\\") {
      position += 2;
    } else if (!isLong && text[position] === quote) {
      return position + 1;
    } else if (isLong && text.startsWith(long, position)) {
      // A multi-line string may end with quotes of its own: the last three close it.
      let end = position + 3;
      while (text[end] === quote && end < position + 5) end += 1;
      return end;
    } else {
      position += 1;
    }
  }
  return position;
}

function skipBlank(text: string, start: number): number {
  let position = start;
  while (text[position] === " " || text[position] === "\t") position += 1;
  return position;
}

export function lineStartOf(text: string, position: number): number {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return start === 0 && text.startsWith("\uFEFF") ? 1 : start;
}

export function lineEndAfter(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end === -1 ? text.length : end + 1;
}
