/** Turns and items of segments, for the pages that every backend has. An item comes with the line that it is read from. */
import type { ThreadItem, TurnStatus } from "../../../protocol/generated/types.ts";
import { readCompletedItem } from "../../lines/history-step.ts";
import { parseLine } from "../../lines/line.ts";
import type { ItemQuery, ItemRow, RowReader, SpanQuery, TurnRow } from "../../pages/history-reader.ts";
import type { Statements } from "../connection/database.ts";
import { toTextArray } from "../connection/parameters.ts";
import { parseSegmentId } from "./segments.ts";

export interface PostgresItem extends ItemRow {
  /** The item itself; null if it is read from its line. */
  readonly json: string | null;
  readonly body: string | null;
}

export type ThreadRows = RowReader<PostgresItem>;

const TURNS = `
  SELECT turn_id AS "turnId", seq, end_seq AS "endSeq", status, root_turn_id AS "rootTurnId",
    started_at AS "startedAt", completed_at AS "completedAt", duration_ms AS "durationMs", error,
    hook_runs AS "hookRuns", first_user_item_id AS "firstUserItemId", final_agent_item_id AS "finalAgentItemId"
  FROM turn WHERE thread_id = $1 AND generation = $2`;
const ITEMS = `
  SELECT item.turn_id AS "turnId", item.item_id AS "itemId", item.type, item.seq,
    item.started_at_ms AS "startedAtMs", item.completed_at_ms AS "completedAtMs", item.json,
    CASE WHEN item.json IS NULL THEN line.body END AS body
  FROM item LEFT JOIN line ON line.thread_id = item.thread_id AND line.generation = item.generation
    AND line.seq = item.line_seq
  WHERE item.thread_id = $1 AND item.generation = $2`;

type StoredTurn = Omit<TurnRow, "end" | "status"> & {
  readonly endSeq: number | null;
  readonly status: TurnStatus | null;
};

export function createThreadRows({ query }: Statements): ThreadRows {
  const turnsWith = async (sql: string, segmentId: string, ...values: (string | number)[]) => {
    const { threadId, generation } = parseSegmentId(segmentId);
    return (await query<StoredTurn>(`${TURNS} ${sql}`, threadId, generation, ...values)).map(toTurnRow);
  };
  return {
    turns: ({ segmentId, ...span }) => turnsWith(...within(segmentId, "seq", span)),
    turn: async (segmentId, turnId) => (await turnsWith("AND turn_id = $3", segmentId, turnId))[0] ?? null,
    async items({ segmentId, turnId, itemId, types, ...span }: ItemQuery) {
      const { threadId, generation } = parseSegmentId(segmentId);
      const filters = [
        "AND ($6::text IS NULL OR item.turn_id = $6)",
        "AND ($7::text IS NULL OR item.item_id = $7)",
        "AND ($8::text[] IS NULL OR item.type = ANY ($8::text[]))",
      ];
      const [sql, , ...values] = within(segmentId, "item.seq", span);
      const wanted = [turnId ?? null, itemId ?? null, types === undefined ? null : toTextArray(types)];
      const text = `${ITEMS} ${filters.join(" ")} ${sql}`;
      return query<PostgresItem>(text, threadId, generation, ...values, ...wanted);
    },
    async itemsById(segmentId, turnId, itemIds) {
      const { threadId, generation } = parseSegmentId(segmentId);
      const text = `${ITEMS} AND item.turn_id = $3 AND item.item_id = ANY ($4::text[]) ORDER BY item.seq`;
      return query<PostgresItem>(text, threadId, generation, turnId, toTextArray(itemIds));
    },
  };
}

function within(
  segmentId: string,
  column: string,
  { fromSeq, toSeq, direction, limit }: Omit<SpanQuery, "segmentId">,
): [sql: string, segmentId: string, fromSeq: number, toSeq: number, limit: number] {
  const order = direction === "asc" ? "ASC" : "DESC";
  const sql = `AND ${column} >= $3 AND ${column} < $4 ORDER BY ${column} ${order} LIMIT $5`;
  return [sql, segmentId, fromSeq, toSeq, limit];
}

function toTurnRow({ endSeq, status, ...turn }: StoredTurn): TurnRow {
  return { ...turn, status: status ?? "inProgress", end: endSeq === null ? null : { seq: endSeq } };
}

/** The items in the order of the rows; null for a line that has another item. */
export function readItemRows(rows: readonly PostgresItem[]): (ThreadItem | null)[] {
  return rows.map(({ turnId, itemId, json, body }) => {
    if (json !== null) return JSON.parse(json) as ThreadItem;
    const parsed = parseLine(body ?? "");
    const completed = parsed.kind === "line" ? readCompletedItem(parsed.line) : null;
    return completed?.turnId === turnId && completed.item.id === itemId ? completed.item : null;
  });
}
