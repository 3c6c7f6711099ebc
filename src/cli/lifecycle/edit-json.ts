/** Adds elements to lists of a JSON text, and takes them out again, in the manner in which the text is written. */
import { isObject } from "../../base/json-object.ts";
import { type JsonNode, memberOf, valueOf } from "./json-outline.ts";

/** A piece of the text, and what stands there instead. */
export interface TextEdit {
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

/** Edits do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .toSorted((left, right) => right.at - left.at)
    .reduce((done, { at, length, text: by }) => done.slice(0, at) + by + done.slice(at + length), text);
}

/**
 * Makes the value the last element of the list at the path; what is missing on the way is made. Null where something
 * else than an object or a list is in the way.
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

/** Takes out the elements of a list that are meant, with the commas that they need no more. */
export function removeElements(
  list: JsonNode | undefined,
  isMeant: (value: unknown) => boolean,
): readonly TextEdit[] {
  if (list?.kind !== "array") return [];
  const places = list.elements.map(({ start, end }) => ({ start, end }));
  return removeParts(list, places, (index) => isMeant(valueOf(list.elements[index] ?? list)));
}

/** Takes out a member of an object. */
export function removeMember(object: JsonNode | undefined, key: string): readonly TextEdit[] {
  if (object?.kind !== "object") return [];
  const places = object.members.map(({ start, value }) => ({ start, end: value.end }));
  return removeParts(object, places, (index) => object.members[index]?.key === key);
}

interface Part {
  readonly start: number;
  readonly end: number;
}

function removeParts(
  { start, end }: JsonNode,
  parts: readonly Part[],
  isMeant: (index: number) => boolean,
): readonly TextEdit[] {
  const kept = parts.filter((_, index) => !isMeant(index));
  if (kept.length === parts.length) return [];
  if (kept.length === 0) return [{ at: start + 1, length: end - start - 2, text: "" }];
  return parts.flatMap((part, index) => {
    if (!isMeant(index)) return [];
    const before = kept.findLast((other) => other.end <= part.start);
    const next = parts[index + 1];
    // Up to what follows, or from what goes before: one comma goes with it in either case.
    const from = before === undefined ? part.start : (parts[index - 1]?.end ?? part.start);
    const to = before === undefined ? (next?.start ?? part.end) : part.end;
    return [{ at: from, length: to - from, text: "" }];
  });
}

interface Style {
  /** Behind a colon. */
  readonly gap: string;
  readonly render: (value: unknown) => string;
}

type Container = Extract<JsonNode, { kind: "object" | "array" }>;

function insertInto(text: string, container: Container, write: (style: Style) => string): TextEdit {
  const { start, end } = container;
  const parts = container.kind === "object" ? container.members : container.elements;
  const manner = mannerOf(text, container, parts);
  const written = write(manner);
  const [before, after] = [`${manner.newline}${manner.inner}`, `${manner.newline}${manner.outer}`];
  if (parts.length === 0) {
    const isBlank = text.slice(start + 1, end - 1).trim() === "";
    const length = isBlank ? end - start - 2 : 0;
    return { at: start + 1, length, text: manner.isOnLines ? `${before}${written}${after}` : written };
  }
  const at =
    container.kind === "object" ? container.members.at(-1)?.value.end : container.elements.at(-1)?.end;
  return { at: at ?? end - 1, length: 0, text: `,${manner.isOnLines ? before : manner.gap}${written}` };
}

/** How a part of a container is written beside the others. */
function mannerOf(text: string, { start }: Container, parts: readonly { readonly start: number }[]) {
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

/** In one line, with blanks where people put them. */
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

/** By which the first line that is indented is. */
function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}
