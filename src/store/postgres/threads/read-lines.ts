/** Lines along the spans of a history, in pages. */
import { comparePositions, type LinePosition } from "../../line-position.ts";
import { parseLine } from "../../lines/line.ts";
import type { LineRange, StoredLine } from "../../thread-store.ts";
import type { Statements } from "../connection/database.ts";
import type { PostgresSpan } from "./segments.ts";
import type { ThreadRows } from "./thread-rows.ts";

const LINES = `
  SELECT seq, body FROM line WHERE thread_id = $1 AND generation = $2 AND seq >= $3 AND seq < $4
  ORDER BY seq LIMIT $5`;
const LINES_AT_ONCE = 500;
const FIRST: LinePosition = { generation: 0, seq: 0 };

interface LineSource {
  readonly statements: Statements;
  readonly rows: ThreadRows;
}

export async function* readLines(
  spans: readonly PostgresSpan[],
  { from = FIRST, wholeTurn = false }: LineRange,
  { statements, rows }: LineSource,
): AsyncGenerator<StoredLine> {
  for (const span of spans) {
    const { generation, fromSeq, toSeq } = span;
    if (comparePositions({ generation, seq: toSeq - 1 }, from) < 0) continue;
    const isWithin = generation === from.generation && from.seq > fromSeq;
    const start = isWithin ? from.seq : fromSeq;
    const turn = isWithin && wholeTurn ? await startOfTurn(rows, span, start) : null;
    yield* linesFrom(statements, span, turn ?? start);
  }
}

async function startOfTurn(
  rows: ThreadRows,
  { segmentId, fromSeq }: PostgresSpan,
  seq: number,
): Promise<number | null> {
  const query = { segmentId, fromSeq, toSeq: seq + 1, direction: "desc", limit: 1 } as const;
  return (await rows.turns(query))[0]?.seq ?? null;
}

async function* linesFrom(
  { query }: Statements,
  { threadId, generation, toSeq }: PostgresSpan,
  start: number,
): AsyncGenerator<StoredLine> {
  for (let from = start; from < toSeq; ) {
    const values = [threadId, generation, from, toSeq, LINES_AT_ONCE];
    const found = await query<{ readonly seq: number; readonly body: string }>(LINES, ...values);
    for (const { seq, body } of found) {
      const parsed = parseLine(body);
      if (parsed.kind === "line") yield { generation, seq, line: parsed.line };
    }
    const last = found.at(-1);
    if (last === undefined || found.length < LINES_AT_ONCE) return;
    from = last.seq + 1;
  }
}
