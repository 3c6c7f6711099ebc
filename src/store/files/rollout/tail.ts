/** Inspects the end of a rollout file: where the next line belongs, and what must be repaired first. */

import { objectMember, textMember } from "../../../base/json-members.ts";
import { parseLine, type RolloutLine } from "../../lines/line.ts";
import { backwardLines, forwardLines, type RawLine, type ReadableFile } from "./raw-lines.ts";

export interface Tail {
  /** The number of bytes to keep; the rest is an incomplete line. */
  readonly keep: number;
  /** Whether the last line lacks its line break. */
  readonly needsNewline: boolean;
  /** Null for files without ordinals. */
  readonly nextOrdinal: number | null;
}

export interface NewFile {
  readonly firstOrdinal: number;
  readonly legacy: boolean;
}

const PAGE_LINES = 64;

export async function inspectTail(file: ReadableFile, size: number, fresh: NewFile): Promise<Tail> {
  const [last] = await backwardLines(file, { before: size, limit: 1 });
  const end = last === undefined || last.terminated ? size : endOfUnfinished(last);
  const needsNewline = last?.terminated === false && end > 0 && end === size;
  const first = await firstLine(file, size);
  if (first === null)
    return { keep: end, needsNewline, nextOrdinal: fresh.legacy ? null : fresh.firstOrdinal };
  const legacy = isLegacy(first);
  const nextOrdinal = legacy ? null : await ordinalAfter(file, end, fresh.firstOrdinal);
  return { keep: end, needsNewline, nextOrdinal };
}

/** A line that lacks only its line break is kept, as is one that is too long to parse. */
function endOfUnfinished(last: RawLine): number {
  const readable = last.text === null || parseLine(last.text).kind !== "bad";
  return readable ? last.offset + last.length : last.offset;
}

async function firstLine(file: ReadableFile, size: number): Promise<RolloutLine | null> {
  for await (const batch of forwardLines(file, { from: 0, to: size })) {
    for (const { text } of batch) {
      const parsed = parseLine((text ?? "").replace(/^\uFEFF/, ""));
      if (parsed.kind === "line") return parsed.line;
    }
  }
  return null;
}

function isLegacy(line: RolloutLine): boolean {
  if (line.type !== "session_meta") return line.ordinal === undefined;
  const payload = objectMember(line, "payload") ?? {};
  return textMember(payload, "history_mode") !== "paginated";
}

async function ordinalAfter(file: ReadableFile, end: number, fallback: number): Promise<number> {
  let before = end;
  while (before > 0) {
    const lines = await backwardLines(file, { before, limit: PAGE_LINES });
    for (const { text, offset } of lines) {
      const parsed = parseLine(text ?? "");
      if (parsed.kind === "line" && parsed.line.ordinal !== undefined) return parsed.line.ordinal + 1;
      before = offset;
    }
    if (lines.length === 0) break;
  }
  return fallback;
}
