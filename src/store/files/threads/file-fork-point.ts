/** Finds the position in the files at which a fork or a revert leaves its source. */
import type { LineBody } from "../../lines/line.ts";
import { findForkPoint, toCopiedLine } from "../../pages/fork-point.ts";
import { END } from "../../pages/history-reader.ts";
import type { StoreRefusal } from "../../refusal.ts";
import type { Boundary } from "../../thread-store.ts";
import type { FileTurnRow, HistoryIndex, RolloutRow } from "../index/history-index.ts";
import type { HistoryBase } from "../rollout/file-meta.ts";
import { type FaultList, openRollout, readLineage } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import type { FileSpan } from "./spans.ts";

export type FileForkPoint =
  | { readonly kind: "point"; readonly base: HistoryBase | null; readonly spans: readonly FileSpan[] }
  | StoreRefusal;

/** The spans up to the boundary, and the base for the new file's first line; null if nothing is shared. */
export async function findFileForkPoint(
  { index, files }: { readonly index: HistoryIndex; readonly files: RolloutFiles },
  spans: readonly FileSpan[],
  boundary: Boundary,
): Promise<FileForkPoint> {
  const legacy = spans.some(({ row, isLast }) => isLast && isLegacy(row));
  const turn = (segmentId: string, turnId: string) => index.turn(segmentId, turnId);
  const point = await findForkPoint({ spans, turn, legacy }, boundary);
  if (point.kind === "refused") return point;
  const { span } = point;
  switch (point.kind) {
    case "end":
      return pointAt(spans, span, { seq: await nextOrdinal(files, span), offset: span.row.indexedBytes });
    case "before":
      return pointAt(spans, span, point.turn);
    case "behind":
      return pointAt(spans, span, point.turn.end ?? (await legacyEnd(index, span, point.turn)));
  }
}

export function isLegacy(row: RolloutRow): boolean {
  return row.facts.historyMode === "legacy";
}

function pointAt(
  spans: readonly FileSpan[],
  span: FileSpan,
  { seq, offset }: { readonly seq: number; readonly offset: number },
): FileForkPoint {
  const at = spans.indexOf(span);
  const before = spans.slice(0, at);
  // If only the first line of this file would be shared, the history ends in the file before it.
  if (seq <= span.fromSeq + 1) {
    return { kind: "point", base: span.row.base, spans: before };
  }
  const base = { thread_id: span.row.rolloutId, end_ordinal_exclusive: seq, end_byte_offset: offset };
  return { kind: "point", base, spans: [...before, { ...span, toSeq: seq, toOffset: offset }] };
}

async function legacyEnd(index: HistoryIndex, { row, segmentId, toSeq }: FileSpan, turn: FileTurnRow) {
  const query = { segmentId, fromSeq: turn.seq + 1, toSeq, direction: "asc", limit: 1 } as const;
  const [next] = await index.turns(query);
  return next === undefined
    ? { seq: END - 1, offset: row.indexedBytes }
    : { seq: next.seq, offset: next.offset };
}

async function nextOrdinal(files: RolloutFiles, { row, fromSeq }: FileSpan): Promise<number> {
  if (isLegacy(row)) return END - 1;
  const opened = await openRollout(files, row.path);
  if (opened.kind === "unreadable") return fromSeq;
  try {
    const { lines } = await opened.reader.page({ before: row.indexedBytes, limit: 1 });
    return (lines[0]?.line.ordinal ?? fromSeq - 1) + 1;
  } finally {
    await opened.reader.close();
  }
}

/** The lines of a thread without its first one, for a file that begins with a copy of them. */
export async function copyLines(
  spans: readonly FileSpan[],
  { files, faults }: { readonly files: RolloutFiles; readonly faults: FaultList },
): Promise<LineBody[]> {
  const segments = spans.map(({ row, toOffset }) => ({ path: row.path, to: toOffset }));
  const bodies: LineBody[] = [];
  for await (const { line } of readLineage(files, segments, { onFault: (fault) => faults.line(fault) })) {
    const body = toCopiedLine(line);
    if (body !== null) bodies.push(body);
  }
  return bodies;
}
