/** Parses the lines after `*** Update File`: the move target and the chunks. */
import { type ChunkLine, trimEnd } from "./patch.ts";

/** A hunk under construction. */
export interface HunkDraft {
  readonly kind: "add" | "delete" | "update";
  readonly path: string;
  /** The line of the patch at which it starts. */
  readonly line: number;
  /** The text of an added file. */
  readonly lines: string[];
  moveTo: string | undefined;
  readonly chunks: DraftChunk[];
}

interface DraftChunk {
  readonly header: string | undefined;
  readonly lines: ChunkLine[];
  atEnd: boolean;
}

/** A parse error in a line of a hunk. */
export interface HunkFault {
  readonly about: "hunk";
  readonly line: number;
  readonly text: string;
}

export const END_PATCH = "*** End Patch";
const MOVE_TO = "*** Move to: ";
const END_OF_FILE = "*** End of File";
const NO_LINES = "Update hunk does not contain any lines";
const KINDS: Readonly<Record<string, ChunkLine["kind"]>> = { " ": "context", "+": "added", "-": "removed" };

export function readUpdateLine(draft: HunkDraft, line: string, number: number): HunkFault | undefined {
  const bare = trimEnd(line);
  const chunk = draft.chunks.at(-1);
  const isHeader = bare === "@@" || bare.startsWith("@@ ");

  if (chunk?.atEnd === true && !isHeader) return bare === "" ? undefined : expectedHeader(line, number);
  if (chunk === undefined && draft.moveTo === undefined && bare.startsWith(MOVE_TO)) {
    draft.moveTo = bare.slice(MOVE_TO.length);
    return undefined;
  }
  if (isHeader) {
    if (isEmpty(chunk)) return unexpected(line, number);
    draft.chunks.push({ header: bare === "@@" ? undefined : bare.slice(3), lines: [], atEnd: false });
    return undefined;
  }
  if (bare === END_OF_FILE) {
    if (isEmpty(chunk)) return { about: "hunk", line: number, text: NO_LINES };
    if (chunk !== undefined) chunk.atEnd = true;
    return undefined;
  }
  return readChunkLine(draft, line, number);
}

function readChunkLine(draft: HunkDraft, line: string, number: number): HunkFault | undefined {
  const kind = line === "" ? "context" : KINDS[line.charAt(0)];
  if (kind === undefined) {
    const chunk = draft.chunks.at(-1);
    return chunk === undefined || isEmpty(chunk) ? unexpected(line, number) : expectedHeader(line, number);
  }
  openChunk(draft).lines.push({ kind, text: line.slice(1) });
  return undefined;
}

/** The error if an update is incomplete when `line` ends it. */
export function unfinishedUpdate(
  draft: HunkDraft | undefined,
  line: string,
  number: number,
): HunkFault | undefined {
  if (draft?.kind !== "update") return undefined;
  const chunk = draft.chunks.at(-1);
  if (chunk === undefined) {
    return { about: "hunk", line: draft.line, text: `Update file hunk for path '${draft.path}' is empty` };
  }
  if (chunk.lines.length > 0) return undefined;
  return line === END_PATCH ? { about: "hunk", line: number, text: NO_LINES } : unexpected(line, number);
}

function isEmpty(chunk: DraftChunk | undefined): boolean {
  return chunk?.lines.length === 0;
}

function openChunk(draft: HunkDraft): DraftChunk {
  const last = draft.chunks.at(-1);
  if (last !== undefined) return last;
  const chunk: DraftChunk = { header: undefined, lines: [], atEnd: false };
  draft.chunks.push(chunk);
  return chunk;
}

function unexpected(line: string, number: number): HunkFault {
  return {
    about: "hunk",
    line: number,
    text: `Unexpected line found in update hunk: '${line}'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`,
  };
}

function expectedHeader(line: string, number: number): HunkFault {
  return {
    about: "hunk",
    line: number,
    text: `Expected update hunk to start with a @@ context marker, got: '${line}'`,
  };
}
