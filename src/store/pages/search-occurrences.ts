/** Occurrences of a term in the messages of one thread: user messages, and the final agent message of each turn. */

import { createTimeSlices } from "../../base/time-slices.ts";
import type { ThreadSearchOccurrence } from "../../protocol/generated/types.ts";
import { badCursor, refuseTerm, type StoreRefusal } from "../refusal.ts";
import type { OccurrenceOptions, OccurrencePage } from "../thread-store.ts";
import { occurrenceCursor, readOccurrenceCursor, seqCursor } from "./cursor.ts";
import type { HistoryReader, ItemRow, Span, TurnRow } from "./history-reader.ts";
import { DEFAULT_PAGE, findLater } from "./page-turns.ts";
import { findAll, itemText, type MatchRange, snippetAround } from "./snippet.ts";

const BATCH_ROWS = 100;
const TYPES = ["userMessage", "agentMessage"];

export async function searchOccurrences<I extends ItemRow>(
  reader: HistoryReader<I>,
  term: string,
  { cursor = null, limit = DEFAULT_PAGE }: OccurrenceOptions,
): Promise<OccurrencePage | StoreRefusal> {
  const refused = refuseTerm("thread/searchOccurrences", term);
  if (refused !== null) return refused;
  const { threadId } = reader;
  const from = cursor === null ? null : readOccurrenceCursor(cursor, threadId, term);
  if (cursor !== null && from === null) return badCursor(cursor);
  const data: ThreadSearchOccurrence[] = [];
  for await (const message of messages(reader, from?.seq ?? 0)) {
    const { seq } = message.item;
    const returned = seq === from?.seq ? from.returned : 0;
    const matches = findAll(message.text, term, returned + limit + 1).slice(returned);
    const found =
      matches.length === 0 ? [] : toOccurrences(message, await turnCursorOf(reader, message), matches);
    const room = limit - data.length;
    data.push(...found.slice(0, room));
    if (found.length > room) {
      const nextCursor = occurrenceCursor(threadId, term, { seq, returned: returned + room });
      return { kind: "page", data, nextCursor };
    }
  }
  return { kind: "page", data, nextCursor: null };
}

/** The cursor at which pages of the thread have the turn of a message. */
async function turnCursorOf(
  reader: Pick<HistoryReader, "threadId" | "spans" | "rows">,
  { item, span, turn }: SearchedMessage,
): Promise<string> {
  const shown = (await findLater(reader, span, item.turnId)) ?? turn;
  return seqCursor("turns", reader.threadId, { seq: shown?.seq ?? item.seq, inclusive: true });
}

function toOccurrences(
  { item, text }: SearchedMessage,
  turnCursor: string,
  matches: readonly MatchRange[],
): ThreadSearchOccurrence[] {
  return matches.map((match) => {
    const snippet = snippetAround(text, match);
    const { turnId, itemId } = item;
    return { turnId, itemId, snippet: snippet.text, snippetMatchRange: snippet.match, turnCursor };
  });
}

interface SearchedMessage {
  readonly item: ItemRow;
  readonly span: Span;
  readonly turn: TurnRow | null;
  readonly text: string;
}

async function* messages<I extends ItemRow>(
  reader: HistoryReader<I>,
  fromSeq: number,
): AsyncGenerator<SearchedMessage> {
  const slice = createTimeSlices(reader.now);
  for (const span of reader.spans) {
    let start = Math.max(span.fromSeq, fromSeq);
    while (start < span.toSeq) {
      const rows = await rowsFrom(reader, span, start);
      const items = await reader.readItems(span.segmentId, rows);
      for (const [at, item] of rows.entries()) {
        await slice.pause();
        const turn = await reader.rows.turn(span.segmentId, item.turnId);
        const read = items[at] ?? null;
        const isShown = item.type === "userMessage" || turn?.finalAgentItemId === item.itemId;
        const text = read === null || !isShown ? null : itemText(read);
        if (text !== null) yield { item, span, turn, text };
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH_ROWS) break;
      start = last.seq + 1;
    }
  }
}

function rowsFrom<I extends ItemRow>(
  { rows }: HistoryReader<I>,
  span: Span,
  fromSeq: number,
): Promise<readonly I[]> {
  const query = { segmentId: span.segmentId, fromSeq, toSeq: span.toSeq, direction: "asc" as const };
  return rows.items({ ...query, types: TYPES, limit: BATCH_ROWS });
}
