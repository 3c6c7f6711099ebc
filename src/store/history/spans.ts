/**
 * The parts of files that one thread's history runs through, the oldest first. A fork or a revert shares the files
 * before it with others; only what lies in its spans belongs to it.
 */
import type { HistoryIndex, RolloutRow, TurnRow } from "../history-index.ts";
import type { Indexer } from "./indexer.ts";
import { missingThread, type Refusal, refuse } from "./refusal.ts";

export interface Span {
  readonly row: RolloutRow;
  /** The place of the first line behind the file's own beginning. */
  readonly fromSeq: number;
  /** Where its part ends; beyond all lines for the newest file. */
  readonly toSeq: number;
  readonly toOffset: number;
  readonly isLast: boolean;
}

export type Spans =
  | { readonly kind: "found"; readonly spans: readonly Span[]; readonly current: RolloutRow }
  | Refusal;

/** More files than these are no history. */
export const MAX_FILES = 1000;
const END = Number.MAX_SAFE_INTEGER;

export async function findSpans(indexer: Indexer, threadId: string): Promise<Spans> {
  const current = await indexer.currentRow(threadId);
  return current === null ? missingThread(threadId) : spansOf(indexer, current);
}

/** All files up to the given one, each taken in by the index. */
export async function spansOf(indexer: Indexer, newest: RolloutRow): Promise<Spans> {
  const spans: Span[] = [];
  const seen = new Set<string>();
  let row: RolloutRow | null = await indexer.catchUp(newest);
  let end = { seq: END, offset: END };
  while (row !== null) {
    if (seen.has(row.rolloutId) || seen.size >= MAX_FILES) {
      return refuse("unreadable", `the history of thread ${newest.threadId} goes on from itself`);
    }
    seen.add(row.rolloutId);
    const { base } = row;
    spans.unshift({
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
      const why = `the file of ${base.thread_id}, which it goes on from, is missing`;
      return refuse("unreadable", `the history of thread ${newest.threadId} cannot be read: ${why}`);
    }
    row = await indexer.catchUp(before);
  }
  return missingThread(newest.threadId);
}

/** The first message of a user in a history, also where it was said before a fork; empty when there is none. */
export async function firstMessage(index: HistoryIndex, spans: readonly Span[]): Promise<string> {
  for (const { row, fromSeq, toSeq } of spans) {
    const query = { rolloutId: row.rolloutId, fromSeq, toSeq, direction: "asc", limit: 1 } as const;
    const [first] = await index.items({ ...query, types: ["userMessage"] });
    if (first !== undefined && row.facts.preview !== "") return row.facts.preview;
  }
  return "";
}

/** The last turn of a history, should it have no end there. */
export async function unfinishedTurn(index: HistoryIndex, spans: readonly Span[]): Promise<TurnRow | null> {
  for (const { row, fromSeq, toSeq } of spans.toReversed()) {
    const query = { rolloutId: row.rolloutId, fromSeq, toSeq, direction: "desc", limit: 1 } as const;
    const [last] = await index.turns(query);
    if (last === undefined) continue;
    const isOpen = last.status === "inProgress" || (last.end !== null && last.end.seq > toSeq);
    return isOpen ? last : null;
  }
  return null;
}
