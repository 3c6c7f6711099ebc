// Removes and inserts lines of a TOML text, and keeps the blank lines around them consistent.
import { lineStartOf, type TomlStatement } from "./toml-outline.ts";

/**
 * The start of the comment lines directly above a statement, which describe it. A comment at the very top
 * describes the file.
 */
export function attachedStart(text: string, statement: TomlStatement): number {
  let start = statement.lineStart;
  while (start > 0) {
    const previous = lineStartOf(text, start - 1);
    if (previous >= start || !/^[ \t]*#/.test(text.slice(previous, start))) break;
    start = previous;
  }
  const isTop = start <= (text.startsWith("\uFEFF") ? 1 : 0);
  return isTop ? statement.lineStart : start;
}

/** The end of a statement's section: before the next header and its comments. */
export function sectionEnd(
  text: string,
  statements: readonly TomlStatement[],
  statement: TomlStatement,
): number {
  const index = statements.indexOf(statement);
  const next = statements.find((other, at) => at > index && other.kind !== "pair");
  return next === undefined ? text.length : attachedStart(text, next);
}

/** Inserts lines surrounded by blank lines. */
export function insertBlock(text: string, at: number, lines: readonly string[]): string {
  const newLine = /\r\n/.test(text) ? "\r\n" : "\n";
  const block = lines.join(newLine) + newLine;
  const before = text.slice(0, at);
  const after = text.slice(at);
  const hasText = before.replace(/^\uFEFF/, "").trim() !== "";
  const closed = before === "" || before.endsWith("\n") || before === "\uFEFF" ? before : before + newLine;
  const gap = !hasText || /\n[ \t]*\r?\n$/.test(closed) ? "" : newLine;
  const needsGapBelow = after.trim() !== "" && !/^[ \t]*\r?\n/.test(after);
  return closed + gap + block + (needsGapBelow ? newLine : "") + after;
}

export function removeRanges(text: string, ranges: readonly (readonly [number, number])[]): string {
  let result = "";
  let position = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (end <= position) continue;
    const from = Math.max(start, position);
    result += text.slice(position, from);
    position = end;
    if (isBlankAtEnd(result)) position = skipBlankLines(text, position);
  }
  const rest = text.slice(position);
  return rest === "" ? result.replace(/(\r?\n)(?:[ \t]*\r?\n)+$/, "$1") : result + rest;
}

/** Whether the text ends with a blank line, or is empty. */
function isBlankAtEnd(text: string): boolean {
  return text === "" || text === "\uFEFF" || /\n[ \t]*\r?\n$/.test(text);
}

function skipBlankLines(text: string, from: number): number {
  const blank = /^(?:[ \t]*\r?\n)+/.exec(text.slice(from));
  return from + (blank?.[0].length ?? 0);
}
