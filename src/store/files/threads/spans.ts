/** The file spans of a thread's history, oldest first, and reading along them. */
import type { Clock } from "../../../base/clock.ts";
import { createTimeSlices, type TimeSlices } from "../../../base/time-slices.ts";
import type { ThreadItem } from "../../../protocol/generated/types.ts";
import { comparePositions, type LinePosition } from "../../line-position.ts";
import { readCompletedItem } from "../../lines/history-step.ts";
import { parseLine } from "../../lines/line.ts";
import { END, type HistoryReader, type Span } from "../../pages/history-reader.ts";
import { missingThread, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { LineRange, StoredLine } from "../../thread-store.ts";
import type { FileItemRow, HistoryIndex, RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import { MAX_FILES } from "../index/read-head.ts";
import { DEFAULT_MAX_LINE_BYTES, readBytesAt, readBytesInto } from "../rollout/raw-lines.ts";
import { type FaultList, type LocatedLine, readLineage } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { type GenerationSource, generationOf } from "./generations.ts";

export interface FileSpan extends Span {
  readonly row: RolloutRow;
  readonly toOffset: number;
}

export type Spans =
  | { readonly kind: "found"; readonly spans: readonly FileSpan[]; readonly current: RolloutRow }
  | StoreRefusal;

export async function findSpans(indexer: Indexer, threadId: string): Promise<Spans> {
  const current = await indexer.currentRow(threadId);
  return current === null ? missingThread(threadId) : spansOf(indexer, current);
}

/** The spans of all files up to the given one, each indexed. */
async function spansOf(indexer: Indexer, newest: RolloutRow): Promise<Spans> {
  const spans: FileSpan[] = [];
  const seen = new Set<string>();
  let row: RolloutRow | null = await indexer.catchUp(newest);
  let end = { seq: END, offset: END };
  while (row !== null) {
    if (seen.has(row.rolloutId) || seen.size >= MAX_FILES) {
      return storeRefusal("unreadable", `the history of thread ${newest.threadId} is based on itself`);
    }
    seen.add(row.rolloutId);
    const { base } = row;
    spans.unshift({
      segmentId: row.rolloutId,
      row,
      fromSeq: base === null ? 0 : base.end_ordinal_exclusive,
      toSeq: end.seq,
      toOffset: end.offset,
      isLast: spans.length === 0,
    });
    if (base === null) {
      const current = spans.at(-1)?.row ?? newest;
      return { kind: "found", spans, current };
    }
    end = { seq: base.end_ordinal_exclusive, offset: base.end_byte_offset };
    const before = await indexer.rowOfRollout(base.thread_id);
    if (before === null) {
      const why = `the file of ${base.thread_id}, which it is based on, is missing`;
      return storeRefusal("unreadable", `the history of thread ${newest.threadId} cannot be read: ${why}`);
    }
    row = await indexer.catchUp(before);
  }
  return missingThread(newest.threadId);
}

/** The first user message of a history, including the part before a fork; empty if there is none. */
export async function firstMessage(index: HistoryIndex, spans: readonly FileSpan[]): Promise<string> {
  for (const { row, segmentId, fromSeq, toSeq } of spans) {
    const query = { segmentId, fromSeq, toSeq, direction: "asc", limit: 1 } as const;
    const [first] = await index.items({ ...query, types: ["userMessage"] });
    if (first !== undefined && row.facts.preview !== "") return row.facts.preview;
  }
  return "";
}

/** The reader for pages of a thread. */
export function createReader(
  threadId: string,
  spans: readonly FileSpan[],
  parts: Pick<HistoryReader, "live" | "ended"> & {
    readonly index: HistoryIndex;
    readonly faults: FaultList;
    readonly clock: Clock;
    readonly files: RolloutFiles;
  },
): HistoryReader<FileItemRow> {
  const { index, faults, clock, files, live, ended } = parts;
  const rows = new Map(spans.map(({ row }) => [row.rolloutId, row]));
  return {
    threadId,
    spans,
    rows: index,
    async readItems(segmentId, items) {
      const row = rows.get(segmentId);
      return row === undefined ? [] : readItems({ files, faults, now: () => clock.now() }, row, items);
    },
    live,
    ended,
    now: () => clock.now(),
  };
}

export interface LineSource extends GenerationSource {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly files: RolloutFiles;
  readonly faults: FaultList;
}

/** The lines of a history with their positions. */
export async function* readSpans(
  spans: readonly FileSpan[],
  { from = FIRST, wholeTurn = false }: LineRange,
  source: LineSource,
): AsyncGenerator<StoredLine> {
  let next = 0;
  for (const span of spans) {
    const { row, toSeq } = span;
    const generation = await generationOf(source, row);
    if (comparePositions({ generation, seq: toSeq - 1 }, from) < 0) {
      next = toSeq;
      continue;
    }
    const start =
      generation === from.generation ? await startBefore(source, span, from.seq, wholeTurn) : null;
    next = start?.seq ?? next;
    for await (const { line } of linesFrom(source, span, start?.offset ?? 0)) {
      const seq = line.ordinal ?? next;
      next = seq + 1;
      const isAsked = comparePositions({ generation, seq }, from) >= 0;
      if (isAsked || (wholeTurn && start !== null)) yield { generation, seq, line };
    }
  }
}

function linesFrom({ files, faults }: LineSource, { row, toOffset }: FileSpan, from: number) {
  const segment = { path: row.path, from, to: Math.min(toOffset, row.indexedBytes) };
  return readLineage(files, [segment], { onFault: (fault) => faults.line(fault) });
}

interface StartingLine {
  /** Of files without ordinals. */
  readonly seq: number;
  readonly offset: number;
}

/**
 * A line at or before a position to read from: the beginning of its turn, or a later item, whose line is found by its
 * ordinal. Null if there is none.
 */
async function startBefore(
  source: LineSource,
  span: FileSpan,
  seq: number,
  wholeTurn: boolean,
): Promise<StartingLine | null> {
  const turn = await turnBefore(source.index, span, seq);
  if (turn === null || wholeTurn) return turn;
  const offset = await itemBefore(source.index, span, seq);
  if (offset === null || offset <= turn.offset) return turn;
  return (await startsBefore(linesFrom(source, span, offset), seq)) ? { ...turn, offset } : turn;
}

const FIRST: LinePosition = { generation: 0, seq: 0 };

/** The start of the last turn that begins at or before a position; null if there is none. */
async function turnBefore(
  index: HistoryIndex,
  { segmentId, fromSeq }: FileSpan,
  seq: number,
): Promise<StartingLine | null> {
  const query = { segmentId, fromSeq, toSeq: seq + 1, direction: "desc", limit: 1 } as const;
  return (await index.turns(query))[0] ?? null;
}

/** The offset of a line about the last item at or before a position; null if there is none. */
async function itemBefore(
  index: HistoryIndex,
  { segmentId, fromSeq }: FileSpan,
  seq: number,
): Promise<number | null> {
  const query = { segmentId, fromSeq, toSeq: seq + 1, direction: "desc", limit: 1 } as const;
  return (await index.items(query))[0]?.offset ?? null;
}

/** Whether the first of some lines is at or before a position: an item may have been recorded again after it. */
async function startsBefore(lines: AsyncIterable<LocatedLine>, seq: number): Promise<boolean> {
  for await (const { line } of lines) return line.ordinal !== undefined && line.ordinal <= seq;
  return false;
}

interface ItemSource {
  readonly files: RolloutFiles;
  readonly faults: FaultList;
  readonly now: () => number;
}

/**
 * The items of one file in the order of the rows; null for those whose line has changed. Reads synchronously: a page
 * has dozens of short lines, which take microseconds each from the system's cache and 50 µs through the thread pool.
 * Long lines are read in time slices.
 */
export async function readItems(
  { files, faults, now }: ItemSource,
  { path }: RolloutRow,
  items: readonly FileItemRow[],
): Promise<(ThreadItem | null)[]> {
  const slice = createTimeSlices(now);
  if (items.every(({ json }) => json !== null)) return readEach(items, fromIndex, slice);
  const opened = await files.open(path);
  if (opened.kind === "unreadable") throw new Error(`cannot read ${path}: ${opened.message}`);
  try {
    const read = createBlockReader(opened.file, items.length);
    const fromFile = (row: FileItemRow): ThreadItem | null => {
      const item = row.json === null ? readItem(read, row) : fromIndex(row);
      if (item === null) faults.line({ path, lineNumber: null, offset: row.offset, reason: GONE });
      return item;
    };
    return await readEach(items, fromFile, slice);
  } finally {
    opened.close();
  }
}

async function readEach(
  rows: readonly FileItemRow[],
  read: (row: FileItemRow) => ThreadItem | null,
  slice: TimeSlices,
): Promise<(ThreadItem | null)[]> {
  const items: (ThreadItem | null)[] = [];
  for (const row of rows) {
    const pause = slice.pause();
    if (pause !== undefined) await pause;
    items.push(read(row));
  }
  return items;
}

function fromIndex({ json }: FileItemRow): ThreadItem | null {
  return json === null ? null : (JSON.parse(json) as ThreadItem);
}

const GONE = "its item has changed";

/** Read-ahead for several lines, which are usually close to one another. */
const BLOCK_BYTES = 64 * 1024;

function createBlockReader(file: number, count: number): (offset: number, length: number) => string {
  const buffer = count === 1 ? null : Buffer.allocUnsafe(BLOCK_BYTES);
  let start = 0;
  let end = 0;
  return (offset, length) => {
    if (buffer === null || length > BLOCK_BYTES) return readBytesAt(file, offset, length).toString();
    if (offset < start || offset + length > end) {
      start = offset;
      end = offset + readBytesInto(buffer, file, offset);
    }
    return buffer.toString("utf8", offset - start, Math.min(offset + length, end) - start);
  };
}

function readItem(
  read: (offset: number, length: number) => string,
  { offset, length, turnId, itemId }: FileItemRow,
): ThreadItem | null {
  if (length > DEFAULT_MAX_LINE_BYTES) return null;
  const parsed = parseLine(read(offset, length));
  if (parsed.kind !== "line") return null;
  const completed = readCompletedItem(parsed.line);
  return completed?.turnId === turnId && completed.item.id === itemId ? completed.item : null;
}
