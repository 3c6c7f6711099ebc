/** Where a term stands in the messages of one thread: those of the user, and the last one of each turn's answer. */

import { createTimeSlices } from "../../base/time-slices.ts";
import type { ThreadSearchOccurrence } from "../../protocol/generated/types.ts";
import type { ItemRow, TurnRow } from "../history-index.ts";
import { occurrenceCursor, readOccurrenceCursor, seqCursor } from "./cursor.ts";
import { itemText } from "./message-text.ts";
import { DEFAULT_PAGE, type PageSource } from "./page-turns.ts";
import { readItems } from "./read-items.ts";
import { badCursor, type Refusal, refuseTerm } from "./refusal.ts";
import { findAll, snippetAround, type TextRange } from "./snippet.ts";
import type { Span } from "./spans.ts";

export interface OccurrencePage {
  readonly kind: "page";
  readonly data: readonly ThreadSearchOccurrence[];
  readonly nextCursor: string | null;
}

export interface OccurrenceOptions {
  readonly cursor?: string | null;
  readonly limit?: number;
}

const ROWS = 100;
const TYPES = ["userMessage", "agentMessage"];

export async function searchOccurrences(
  source: PageSource,
  term: string,
  { cursor = null, limit = DEFAULT_PAGE }: OccurrenceOptions,
): Promise<OccurrencePage | Refusal> {
  const refused = refuseTerm("thread/searchOccurrences", term);
  if (refused !== null) return refused;
  const { threadId } = source;
  const from = cursor === null ? null : readOccurrenceCursor(cursor, threadId, term);
  if (cursor !== null && from === null) return badCursor(cursor);
  const data: ThreadSearchOccurrence[] = [];
  for await (const message of messages(source, from?.seq ?? 0)) {
    const { seq } = message.item;
    const told = seq === from?.seq ? from.told : 0;
    const found = occurrencesIn(message, threadId, findAll(message.text, term, told + limit + 1)).slice(told);
    const room = limit - data.length;
    data.push(...found.slice(0, room));
    if (found.length > room) {
      const nextCursor = occurrenceCursor(threadId, term, { seq, told: told + room });
      return { kind: "page", data, nextCursor };
    }
  }
  return { kind: "page", data, nextCursor: null };
}

function occurrencesIn(
  { item, turn, text }: Message,
  threadId: string,
  matches: readonly TextRange[],
): ThreadSearchOccurrence[] {
  const turnCursor = seqCursor("turns", threadId, { seq: turn?.seq ?? item.seq, inclusive: true });
  return matches.map((match) => {
    const snippet = snippetAround(text, match);
    const { turnId, itemId } = item;
    return { turnId, itemId, snippet: snippet.text, snippetMatchRange: snippet.match, turnCursor };
  });
}

interface Message {
  readonly item: ItemRow;
  readonly turn: TurnRow | null;
  readonly text: string;
}

async function* messages(source: PageSource, fromSeq: number): AsyncGenerator<Message> {
  const slice = createTimeSlices(source.now);
  for (const span of source.spans) {
    let start = Math.max(span.fromSeq, fromSeq);
    while (start < span.toSeq) {
      const rows = await rowsFrom(source, span, start);
      const items = readItems(span.row, rows, source.faults);
      for (const [at, item] of rows.entries()) {
        await slice.pause();
        const turn = await source.index.turn(span.row.rolloutId, item.turnId);
        const read = items[at] ?? null;
        const isShown = item.type === "userMessage" || turn?.finalAgentItemId === item.itemId;
        const text = read === null || !isShown ? null : itemText(read);
        if (text !== null) yield { item, turn, text };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS) break;
      start = last.seq + 1;
    }
  }
}

function rowsFrom({ index }: PageSource, span: Span, fromSeq: number): Promise<readonly ItemRow[]> {
  const query = { rolloutId: span.row.rolloutId, fromSeq, toSeq: span.toSeq, direction: "asc" as const };
  return index.items({ ...query, types: TYPES, limit: ROWS });
}
