// Edits single values in the text of a TOML file and preserves everything else: comments, order, spacing,
// line endings.
import { parse } from "smol-toml";
import { patchValue } from "./patch-value.ts";
import { renderPath, renderSections, renderValue } from "./render-toml.ts";
import { attachedStart, insertBlock, removeRanges, sectionEnd } from "./toml-lines.ts";
import { outlineToml, type TomlStatement } from "./toml-outline.ts";
import {
  cloneValue,
  createTable,
  isPrefix,
  isTable,
  samePath,
  sameValue,
  type TomlTable,
  type TomlValue,
  valueAt,
} from "./toml-value.ts";

type Path = readonly string[];

export interface TomlEdit {
  readonly path: Path;
  /** Undefined removes the key. */
  readonly value: TomlValue | undefined;
}

/** `text` must be valid TOML. */
export function editToml(text: string, { path, value }: TomlEdit): string {
  if (value !== undefined) return setKey(text, path, value);
  // The outline numbers list entries, so that a key such as "1" would match one of them.
  return obstacleOn(parseText(text), path) === undefined ? removeKey(text, path) : text;
}

/** Removes one `[[list]]` section with all of its contents. */
export function removeListEntry(text: string, list: Path, index: number): string {
  return removeKey(text, [...list, String(index)]);
}

function setKey(text: string, path: Path, value: TomlValue): string {
  const root = parseText(text);
  const obstacle = obstacleOn(root, path);
  if (obstacle !== undefined) {
    return setKey(text, obstacle, withValue(createTable(), path.slice(obstacle.length), value));
  }
  const statements = outlineToml(text);
  const holder = statements.find((statement) => statement.kind === "pair" && isPrefix(statement.path, path));
  if (holder !== undefined) return setInPair(text, holder, path, value);
  if (!statements.some((statement) => isPrefix(path, statement.path)))
    return addKey(text, statements, path, value);
  const current = valueAt(root, path);
  if (isTable(current) && isTable(value)) return reconcile(text, path, current, value);
  const cleared = removeKey(text, path);
  return addKey(cleared, outlineToml(cleared), path, value);
}

/** The key has a pair of its own, or is inside the inline table of one. */
function setInPair(text: string, pair: TomlStatement, path: Path, value: TomlValue): string {
  const valueText = text.slice(pair.valueStart, pair.valueEnd);
  if (!samePath(pair.path, path)) {
    const whole = parseText(`v = ${valueText}`);
    const changed = withValue(whole, ["v", ...path.slice(pair.path.length)], value)["v"] ?? value;
    return replaceValue(text, pair, patchValue(valueText, changed));
  }
  if (isTable(value) && !valueText.startsWith("{")) {
    const cleared = removeRanges(text, [[pair.lineStart, pair.lineEnd]]);
    return addKey(cleared, outlineToml(cleared), path, value);
  }
  return replaceValue(text, pair, patchValue(valueText, value));
}

/** Changes only the keys that differ, so that comments between the others are preserved. */
function reconcile(text: string, path: Path, current: TomlTable, target: TomlTable): string {
  let result = text;
  for (const key of Object.keys(current)) {
    if (!(key in target)) result = removeKey(result, [...path, key]);
  }
  for (const [key, value] of Object.entries(target)) {
    if (!sameValue(current[key], value)) result = setKey(result, [...path, key], value);
  }
  const statements = outlineToml(result);
  if (statements.some((statement) => isPrefix(path, statement.path))) return result;
  return addKey(result, statements, path, target);
}

/** The first key on the path whose value cannot contain the rest. */
function obstacleOn(root: TomlTable, path: Path): Path | undefined {
  for (let length = 1; length < path.length; length += 1) {
    const ancestor = path.slice(0, length);
    const found = valueAt(root, ancestor);
    if (found === undefined) return undefined;
    if (!isTable(found)) return ancestor;
  }
  return undefined;
}

function replaceValue(text: string, pair: TomlStatement, valueText: string): string {
  return text.slice(0, pair.valueStart) + valueText + text.slice(pair.valueEnd);
}

function addKey(text: string, statements: readonly TomlStatement[], path: Path, value: TomlValue): string {
  if (isTable(value)) return addSections(text, statements, path, value);
  const parent = path.slice(0, -1);
  const line = `${renderPath(path.slice(-1))} = ${renderValue(value)}`;
  if (parent.length === 0) return addRootPair(text, statements, line);
  const header = statements.find(
    (statement) => statement.kind === "header" && samePath(statement.path, parent),
  );
  if (header !== undefined) {
    const last = lastPairBelow(statements, header);
    return insertLine(text, last ?? header, (last === undefined ? "" : indentOf(text, last)) + line);
  }
  // A table that is defined by dotted keys cannot have a header as well: the new key is added to them.
  const dotted = statements.findLast(
    (statement) =>
      statement.kind === "pair" && statement.headerLength < parent.length && isPrefix(parent, statement.path),
  );
  if (dotted !== undefined) {
    const prefix = renderPath(parent.slice(dotted.headerLength));
    return insertLine(text, dotted, `${indentOf(text, dotted)}${prefix}.${line}`);
  }
  return addSections(text, statements, parent, createTable([[path.at(-1) ?? "", value]]));
}

function addRootPair(text: string, statements: readonly TomlStatement[], line: string): string {
  const last = statements.findLast((statement) => statement.kind === "pair" && statement.headerLength === 0);
  const first = statements[0];
  if (last !== undefined) return insertLine(text, last, indentOf(text, last) + line);
  const at = first === undefined ? text.length : attachedStart(text, first);
  return insertBlock(text, at, [line]);
}

/** New tables are inserted before their subtables, else after their siblings, else at the end. */
function addSections(
  text: string,
  statements: readonly TomlStatement[],
  path: Path,
  table: TomlTable,
): string {
  const isHeader = (statement: TomlStatement) => statement.kind !== "pair";
  const inner = statements.find((statement) => isHeader(statement) && isPrefix(path, statement.path));
  const relative = statements.findLast(
    (statement) => statement.headerLength > 0 && statement.path[0] === path[0],
  );
  let at = text.length;
  if (inner !== undefined) at = attachedStart(text, inner);
  else if (relative !== undefined) at = sectionEnd(text, statements, relative);
  return insertBlock(text, at, renderSections(path, table));
}

function lastPairBelow(
  statements: readonly TomlStatement[],
  header: TomlStatement,
): TomlStatement | undefined {
  const start = statements.indexOf(header) + 1;
  const next = statements.findIndex((statement, index) => index >= start && statement.kind !== "pair");
  return statements.slice(start, next === -1 ? undefined : next).at(-1);
}

function insertLine(text: string, after: TomlStatement, line: string): string {
  const newLine = lineEndStyle(text);
  const before = text.slice(0, after.lineEnd);
  const separator = before.endsWith("\n") ? "" : newLine;
  return `${before}${separator}${line}${newLine}${text.slice(after.lineEnd)}`;
}

function indentOf(text: string, statement: TomlStatement): string {
  return text.slice(statement.lineStart, statement.keyStart);
}

function lineEndStyle(text: string): string {
  return /\r\n/.test(text) ? "\r\n" : "\n";
}

function removeKey(text: string, path: Path): string {
  const statements = outlineToml(text);
  const holder = statements.find(
    (statement) =>
      statement.kind === "pair" && isPrefix(statement.path, path) && statement.path.length < path.length,
  );
  if (holder !== undefined) {
    const whole = parseText(`v = ${text.slice(holder.valueStart, holder.valueEnd)}`);
    const changed = withValue(whole, ["v", ...path.slice(holder.path.length)], undefined)["v"];
    if (changed === undefined || sameValue(changed, whole["v"])) return text;
    return replaceValue(text, holder, patchValue(text.slice(holder.valueStart, holder.valueEnd), changed));
  }
  const ranges = statements.flatMap((statement): [number, number][] => {
    if (!isPrefix(path, statement.path)) return [];
    const start = attachedStart(text, statement);
    if (statement.kind !== "pair") return [[start, sectionEnd(text, statements, statement)]];
    return [[start, statement.lineEnd]];
  });
  return removeRanges(text, ranges);
}

/** A copy of `table` with one value set, or removed where `value` is undefined. */
export function withValue(table: TomlTable, path: Path, value: TomlValue | undefined): TomlTable {
  const copy = cloneValue(table);
  let current: TomlTable = copy;
  for (const key of path.slice(0, -1)) {
    const next = current[key];
    if (isTable(next)) {
      current = next;
      continue;
    }
    if (value === undefined) return copy;
    const created = createTable();
    current[key] = created;
    current = created;
  }
  const last = path.at(-1) ?? "";
  if (value === undefined) delete current[last];
  else current[last] = value;
  return copy;
}

function parseText(text: string): TomlTable {
  return parse(text, { integersAsBigInt: true });
}
