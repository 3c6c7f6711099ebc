/**
 * Applies the chunks of an update to the text of a file. Unchanged lines keep their exact text and line
 * ending; new lines get the ending of the file's first line; every line gets an ending, so the result always
 * ends with a newline.
 */
import type { Chunk } from "./patch.ts";
import { seekLines } from "./seek-lines.ts";

export type UpdatedText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "mismatch"; readonly message: string };

interface Line {
  readonly text: string;
  readonly ending: string;
}

/** The two sides of a chunk, and the positions of its context lines in each. */
interface Sides {
  readonly before: string[];
  readonly after: string[];
  readonly context: { readonly before: number; readonly after: number }[];
}

interface Replacement {
  readonly start: number;
  readonly count: number;
  readonly lines: readonly string[];
}

type Found =
  | { readonly kind: "found"; readonly replacements: readonly Replacement[]; readonly next: number }
  | { readonly kind: "mismatch"; readonly message: string };

const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/gy;

/** `path` appears in the error message when the chunks do not match. */
export function updateText(text: string, chunks: readonly Chunk[], path: string): UpdatedText {
  const source = splitLines(text);
  const texts = source.map((line) => line.text);
  const replacements: Replacement[] = [];
  let from = 0;
  for (const chunk of chunks) {
    const found = locate(texts, chunk, from, path);
    if (found.kind === "mismatch") return found;
    replacements.push(...found.replacements);
    from = found.next;
  }
  replacements.sort((a, b) => a.start - b.start);
  return { kind: "text", text: rebuild(source, replacements) };
}

function locate(texts: readonly string[], chunk: Chunk, from: number, path: string): Found {
  let start = from;
  if (chunk.header !== undefined) {
    const at = seekLines(texts, [chunk.header], from, false);
    if (at === undefined) {
      return { kind: "mismatch", message: `Failed to find context '${chunk.header}' in ${path}` };
    }
    start = at + 1;
  }
  const sides = sidesOf(chunk);
  const expected = sides.before.join("\n");
  if (sides.before.length === 0) {
    const replacement = { start: texts.length, count: 0, lines: sides.after };
    return { kind: "found", replacements: [replacement], next: start };
  }
  let at = seekLines(texts, sides.before, start, chunk.atEnd);
  if (at === undefined && sides.before.at(-1) === "") {
    // The model wrote an empty line for the newline that ends the file.
    sides.before.pop();
    if (sides.after.at(-1) === "") sides.after.pop();
    at = seekLines(texts, sides.before, start, chunk.atEnd);
  }
  if (at === undefined) {
    return { kind: "mismatch", message: `Failed to find expected lines in ${path}:\n${expected}` };
  }
  return { kind: "found", replacements: replacementsAt(at, sides), next: at + sides.before.length };
}

function sidesOf(chunk: Chunk): Sides {
  const sides: Sides = { before: [], after: [], context: [] };
  for (const { kind, text } of chunk.lines) {
    if (kind === "context") sides.context.push({ before: sides.before.length, after: sides.after.length });
    if (kind !== "added") sides.before.push(text);
    if (kind !== "removed") sides.after.push(text);
  }
  return sides;
}

/** One replacement per run of changed lines, so that context lines stay as they are in the file. */
function replacementsAt(at: number, sides: Sides): Replacement[] {
  const end = { before: sides.before.length, after: sides.after.length };
  const kept = sides.context.filter((line) => line.before < end.before && line.after < end.after);
  const replacements: Replacement[] = [];
  let before = 0;
  let after = 0;
  for (const line of [...kept, end]) {
    if (line.before > before || line.after > after) {
      const lines = sides.after.slice(after, line.after);
      replacements.push({ start: at + before, count: line.before - before, lines });
    }
    before = line.before + 1;
    after = line.after + 1;
  }
  return replacements;
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  for (const [whole, line, ending] of text.matchAll(LINE)) {
    if (whole !== "") lines.push({ text: line ?? "", ending: ending ?? "" });
  }
  return lines;
}

function rebuild(source: readonly Line[], replacements: readonly Replacement[]): string {
  const preferred = source.find((line) => line.ending !== "")?.ending ?? "\n";
  const parts: string[] = [];
  let position = 0;
  const keepUntil = (end: number) => {
    for (const line of source.slice(position, end)) parts.push(line.text, line.ending || preferred);
    position = Math.max(position, end);
  };
  for (const { start, count, lines } of replacements) {
    keepUntil(start);
    for (const line of lines) parts.push(line, preferred);
    position = Math.max(position, start + count);
  }
  keepUntil(source.length);
  return parts.join("");
}
