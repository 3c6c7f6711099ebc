// Finds the place in a file that a fault or a warning is about.
import type { TextLocation, TextPosition } from "./config-fault.ts";
import { outlineToml, type Statement } from "./toml-outline.ts";

/** The value at `path`, or the nearest thing that stands in the file: a table's header, its first key. */
export function locateValue(file: string, text: string, path: readonly string[]): TextLocation | undefined {
  const statements = outlineToml(text);
  const exact = statements.find((statement) => isPrefix(statement.path, path) && statement.kind === "pair");
  if (exact !== undefined) return spanOf(file, text, exact.valueStart, exact.valueEnd);
  return locateInside(file, text, statements, path);
}

export function locateKey(file: string, text: string, path: readonly string[]): TextLocation | undefined {
  const statements = outlineToml(text);
  const exact = statements.find((statement) => statement.kind === "pair" && samePath(statement.path, path));
  if (exact !== undefined) return spanOf(file, text, exact.keyStart, exact.keyEnd);
  const holder = statements.find((statement) => statement.kind === "pair" && isPrefix(statement.path, path));
  if (holder !== undefined) return spanOf(file, text, holder.valueStart, holder.valueEnd);
  return locateInside(file, text, statements, path);
}

function locateInside(
  file: string,
  text: string,
  statements: readonly Statement[],
  path: readonly string[],
): TextLocation | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length);
    const inside = statements.find((statement) => isPrefix(prefix, statement.path));
    if (inside !== undefined) return spanOf(file, text, inside.keyStart, inside.keyEnd);
  }
  return undefined;
}

export function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isPrefix(a, b);
}

function spanOf(file: string, text: string, start: number, end: number): TextLocation {
  return { file, start: positionOf(text, start), end: positionOf(text, Math.max(start, end - 1)) };
}

function positionOf(text: string, offset: number): TextPosition {
  const before = text
    .slice(0, offset)
    .replace(/^\uFEFF/, "")
    .split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
