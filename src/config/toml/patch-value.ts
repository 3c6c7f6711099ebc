/**
 * Edits a list or inline table in its text, so that comments stay with the entries that they describe:
 * entries in both the old and the new value keep their text.
 */
import { parse } from "smol-toml";
import { renderPath, renderValue } from "./render-toml.ts";
import { decodeKey, lineEndAfter, lineStartOf, skipKey, skipValue } from "./toml-outline.ts";
import { isPrefix, isTable, sameValue, type TomlTable, type TomlValue, valueAt } from "./toml-value.ts";

/** An entry of a list, or a pair of a table. */
interface Item {
  readonly start: number;
  readonly end: number;
  /** The offset after the following comma; null without one. */
  readonly commaEnd: number | null;
  /** The keys of a pair; empty for list entries. */
  readonly path: readonly string[];
  readonly valueStart: number;
}

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text of `value` that replaces `oldText`. */
export function patchValue(oldText: string, value: TomlValue): string {
  const old = read(oldText);
  if (sameValue(old, value)) return oldText;
  const patched = hasComment(oldText) ? patchInside(oldText, old, value) : null;
  // The patched text is parsed to verify it; if it differs, the value is rendered anew.
  return patched !== null && holds(patched, value) ? patched : renderValue(value);
}

function hasComment(text: string): boolean {
  return /#[^\n]*\n/.test(text);
}

function read(text: string): TomlValue | undefined {
  return parse(`v = ${text}`, { integersAsBigInt: true })["v"];
}

function holds(text: string, value: TomlValue): boolean {
  try {
    return sameValue(read(text), value);
  } catch {
    return false;
  }
}

function patchInside(text: string, old: TomlValue | undefined, value: TomlValue): string | null {
  if (Array.isArray(old) && Array.isArray(value)) return splice(text, listSplices(text, old, value));
  if (isTable(old) && isTable(value)) return splice(text, tableSplices(text, value));
  return null;
}

/**
 * The common prefix and suffix are unchanged; between them, as many entries as possible are changed in place.
 */
function listSplices(text: string, old: readonly TomlValue[], target: readonly TomlValue[]): Splice[] {
  const items = itemsOf(text);
  const shorter = Math.min(old.length, target.length);
  let before = 0;
  while (before < shorter && sameValue(old[before], target[before])) before += 1;
  let behind = 0;
  while (behind < shorter - before && sameValue(old.at(-1 - behind), target.at(-1 - behind))) behind += 1;

  const gone = items.slice(before, items.length - behind);
  const come = target.slice(before, target.length - behind);
  const changed = gone
    .slice(0, come.length)
    .map((item, index) => replaceValue(text, item, come[index] ?? false));
  const removed = gone.slice(come.length).map((item) => removeItem(text, item));
  const added = come.slice(gone.length).map(renderValue);
  return [...changed, ...removed, ...addItems(text, items, before + changed.length, added)];
}

function tableSplices(text: string, target: TomlTable): Splice[] {
  const items = itemsOf(text);
  const splices: Splice[] = [];
  const kept: Item[] = [];
  for (const item of items) {
    const value = valueAt(target, item.path);
    if (value === undefined) splices.push(removeItem(text, item));
    else {
      kept.push(item);
      splices.push(replaceValue(text, item, value));
    }
  }
  const added = missingPairs(target, kept, []);
  const last = kept.at(-1);
  // An inline table must not have a trailing comma.
  if (added.length === 0 && last !== undefined && last !== items.at(-1) && last.commaEnd !== null) {
    splices.push({ start: last.end, end: last.commaEnd, text: text.slice(last.end, last.commaEnd - 1) });
  }
  return [...splices, ...addItems(text, kept, kept.length, added)];
}

/** The pairs that a table lacks; one below a dotted key becomes a dotted key as well. */
function missingPairs(target: TomlTable, kept: readonly Item[], above: readonly string[]): string[] {
  return Object.entries(target).flatMap(([key, value]) => {
    const path = [...above, key];
    const near = kept.filter((item) => isPrefix(path, item.path));
    if (near.length === 0) return [`${renderPath(path)} = ${renderValue(value)}`];
    return isTable(value) && near.every((item) => item.path.length > path.length)
      ? missingPairs(value, near, path)
      : [];
  });
}

function replaceValue(text: string, { valueStart: start, end }: Item, value: TomlValue): Splice {
  return { start, end, text: patchValue(text.slice(start, end), value) };
}

/** Removing an entry on its own line also removes the comment at the end of that line. */
function removeItem(text: string, { start, end, commaEnd }: Item): Splice {
  const from = lineStartOf(text, start);
  const to = commaEnd ?? end;
  const rest = /^[ \t]*(?:#.*)?\r?\n/.exec(text.slice(to, lineEndAfter(text, to)));
  const isAlone = from > 0 && text.slice(from, start).trim() === "" && rest !== null;
  if (isAlone) return { start: from, end: to + rest[0].length, text: "" };
  return { start, end: to + (/^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0), text: "" };
}

/** Inserts items before `index`, on separate lines where the preceding item has one. */
function addItems(text: string, items: readonly Item[], index: number, added: readonly string[]): Splice[] {
  if (added.length === 0) return [];
  const previous = items[index - 1];
  const next = items[index];
  const insert = (at: number, what: string): Splice => ({ start: at, end: at, text: what });
  if (previous === undefined) {
    const all = added.join(", ");
    return [next === undefined ? insert(text.length - 1, all) : insert(next.start, `${all}, `)];
  }
  const { start, end, commaEnd } = previous;
  const indent = text.slice(lineStartOf(text, start), start);
  const line = lineEndAfter(text, commaEnd ?? end);
  const isOnOwnLine = indent.trim() === "" && (next === undefined || next.start >= line);
  const newLine = text.includes("\r\n") ? "\r\n" : "\n";
  const separator = isOnOwnLine ? `,${newLine}${indent}` : ", ";
  const all = added.join(separator);
  if (!isOnOwnLine || lineStartOf(text, start) === 0) return [insert(end, `, ${added.join(", ")}`)];
  const comma = commaEnd === null ? [insert(end, ",")] : [];
  return [...comma, insert(line, `${indent}${all}${commaEnd === null ? "" : ","}${newLine}`)];
}

function splice(text: string, splices: readonly Splice[]): string {
  let result = "";
  let position = 0;
  for (const { start, end, text: between } of [...splices].sort(
    (a, b) => a.start - b.start || a.end - b.end,
  )) {
    result += text.slice(position, start) + between;
    position = Math.max(position, end);
  }
  return result + text.slice(position);
}

/** `text` is a list or an inline table. */
function itemsOf(text: string): Item[] {
  const isList = text.startsWith("[");
  const close = isList ? "]" : "}";
  const items: Item[] = [];
  for (let start = skipTrivia(text, 1); text[start] !== close && start < text.length; ) {
    const keyEnd = isList ? start : skipKey(text, start);
    const valueStart = isList ? start : skipTrivia(text, text.indexOf("=", keyEnd) + 1);
    const end = skipValue(text, valueStart);
    const comma = skipTrivia(text, end);
    const commaEnd = text[comma] === "," ? comma + 1 : null;
    const path = isList ? [] : decodeKey(text.slice(start, keyEnd));
    items.push({ start, end, commaEnd, path, valueStart });
    start = skipTrivia(text, commaEnd ?? comma);
  }
  return items;
}

/** Skips white space, line ends and comments. */
function skipTrivia(text: string, from: number): number {
  let position = from;
  for (;;) {
    const blank = /[ \t\r\n]*/y;
    blank.lastIndex = position;
    position += blank.exec(text)?.[0].length ?? 0;
    if (text[position] !== "#") return position;
    position = lineEndAfter(text, position);
  }
}
