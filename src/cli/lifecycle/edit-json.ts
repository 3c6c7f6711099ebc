/** Adds elements to lists of a JSON text and removes them, in the formatting of the text. */
import { isObject } from "../../base/json-object.ts";
import { type JsonNode, memberOf, valueOf } from "./json-outline.ts";

/** A replacement of a range of the text. */
export interface TextEdit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** The edits must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .toSorted((left, right) => right.at - left.at)
    .reduce((done, { at, length, text: by }) => done.slice(0, at) + by + done.slice(at + length), text);
}

/**
 * Appends a value to the list at the path, and creates missing containers. Null where the path leads to another type.
 */
export function addElement(
  text: string,
  root: JsonNode,
  path: readonly string[],
  value: unknown,
): TextEdit | null {
  let node = root;
  for (const [depth, key] of path.entries()) {
    if (node.kind !== "object") return null;
    const next = memberOf(node, key);
    if (next === undefined) {
      const missing = path
        .slice(depth + 1)
        .reduceRight<unknown>((inner, name) => ({ [name]: inner }), [value]);
      return insertInto(text, node, (style) => `${JSON.stringify(key)}:${style.gap}${style.render(missing)}`);
    }
    node = next;
  }
  return node.kind === "array" ? insertInto(text, node, (style) => style.render(value)) : null;
}

/** Removes the selected elements of a list, with their commas. */
export function removeElements(
  list: JsonNode | undefined,
  isSelected: (value: unknown) => boolean,
): readonly TextEdit[] {
  if (list?.kind !== "array") return [];
  const ranges = list.elements.map(({ start, end }) => ({ start, end }));
  return removeParts(list, ranges, (index) => isSelected(valueOf(list.elements[index] ?? list)));
}

/** Removes a member of an object. */
export function removeMember(object: JsonNode | undefined, key: string): readonly TextEdit[] {
  if (object?.kind !== "object") return [];
  const ranges = object.members.map(({ start, value }) => ({ start, end: value.end }));
  return removeParts(object, ranges, (index) => object.members[index]?.key === key);
}

interface Part {
  readonly start: number;
  readonly end: number;
}

function removeParts(
  { start, end }: JsonNode,
  parts: readonly Part[],
  isSelected: (index: number) => boolean,
): readonly TextEdit[] {
  const kept = parts.filter((_, index) => !isSelected(index));
  if (kept.length === parts.length) return [];
  if (kept.length === 0) return [{ at: start + 1, length: end - start - 2, text: "" }];
  return parts.flatMap((part, index) => {
    if (!isSelected(index)) return [];
    const before = kept.findLast((other) => other.end <= part.start);
    const next = parts[index + 1];
    // Removes exactly one comma: the one behind the part where no part before it stays, or else the one before it.
    const from = before === undefined ? part.start : (parts[index - 1]?.end ?? part.start);
    const to = before === undefined ? (next?.start ?? part.end) : part.end;
    return [{ at: from, length: to - from, text: "" }];
  });
}

interface Style {
  /** The white space after a colon. */
  readonly gap: string;
  readonly render: (value: unknown) => string;
}

type Container = Extract<JsonNode, { kind: "object" | "array" }>;

function insertInto(text: string, container: Container, write: (style: Style) => string): TextEdit {
  const { start, end } = container;
  const parts = container.kind === "object" ? container.members : container.elements;
  const formatting = formattingOf(text, container, parts);
  const written = write(formatting);
  const [before, after] = [
    `${formatting.newline}${formatting.inner}`,
    `${formatting.newline}${formatting.outer}`,
  ];
  if (parts.length === 0) {
    const isBlank = text.slice(start + 1, end - 1).trim() === "";
    const length = isBlank ? end - start - 2 : 0;
    return { at: start + 1, length, text: formatting.isOnLines ? `${before}${written}${after}` : written };
  }
  const at =
    container.kind === "object" ? container.members.at(-1)?.value.end : container.elements.at(-1)?.end;
  return {
    at: at ?? end - 1,
    length: 0,
    text: `,${formatting.isOnLines ? before : formatting.gap}${written}`,
  };
}

/** The formatting of the parts of a container. */
function formattingOf(text: string, { start }: Container, parts: readonly { readonly start: number }[]) {
  const [first, last] = [parts[0], parts.at(-1)];
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const isOnLines = first === undefined ? text.includes("\n") : text.slice(start, first.start).includes("\n");
  const unit = indentUnit(text);
  const outer = indentAt(text, start);
  const inner = last !== undefined && isOnLines ? indentAt(text, last.start) : outer + unit;
  const gap = isOnLines || text.includes('": ') ? " " : "";
  const render = (value: unknown): string => {
    if (isOnLines) return JSON.stringify(value, null, unit).replaceAll("\n", newline + inner);
    return gap === "" ? JSON.stringify(value) : inOneLine(value);
  };
  return { newline, isOnLines, outer, inner, gap, render };
}

/** Formats a value on one line, with spaces after colons and commas. */
function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${inOneLine(member)}`)
    .join(", ")}}`;
}

function indentAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? "";
}

/** The indentation of the first indented line. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}
