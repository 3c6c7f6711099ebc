/** A parsed patch: its hunks in order, one per file. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  readonly environmentId: string | undefined;
}

export type Hunk =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | UpdateHunk;

export interface UpdateHunk {
  readonly kind: "update";
  readonly path: string;
  readonly moveTo: string | undefined;
  readonly chunks: readonly Chunk[];
}

export interface Chunk {
  /** A line of the file somewhere before the chunk. */
  readonly header: string | undefined;
  readonly lines: readonly ChunkLine[];
  readonly atEnd: boolean;
}

export interface ChunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
}

/**
 * Trimming by the Unicode property White_Space, which is what patches are defined with. `String.trim`
 * differs in two characters: it also removes the byte order mark, and it keeps U+0085.
 */
const LEADING = /^\p{White_Space}+/u;
const WHITE_SPACE = /\p{White_Space}/u;

function trimStart(text: string): string {
  return text.replace(LEADING, "");
}

export function trimEnd(text: string): string {
  // A regular expression anchored at the end is quadratic on long runs of spaces.
  let end = text.length;
  while (end > 0 && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function trim(text: string): string {
  return trimEnd(trimStart(text));
}
