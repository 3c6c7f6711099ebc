/**
 * The statement that appends to any number of threads. It moves the head of each thread on if the epoch and the position
 * are as expected; everything else is written for those threads only. So one statement is the lock, the fence, the order
 * and the write, and a statement that is sent again finds out whether the first one has run.
 */
import type { JsonObject } from "../../../base/json-object.ts";
import type { LinePosition } from "../../line-position.ts";
import { USAGE_SUMS } from "../../rows/usage-rows.ts";
import type { Statements } from "../connection/database.ts";
import { toRecords } from "../connection/parameters.ts";
import { toAppendRows } from "./append-rows.ts";
import type { FoldedChange } from "./thread-fold.ts";

/** The lines of one thread, and what follows from them. */
export interface ThreadAppend {
  readonly threadId: string;
  readonly epoch: number;
  /** The position before the append. */
  readonly expected: LinePosition;
  /** The position after it. */
  readonly next: LinePosition;
  /** The segment that begins with the append, with the names of its columns; null for an existing one. */
  readonly segment: JsonObject | null;
  readonly lines: readonly { readonly seq: number; readonly text: string }[];
  readonly changes: readonly FoldedChange[];
  /** With the names of its columns. */
  readonly thread: JsonObject;
}

const THREAD = [
  "thread_id",
  "tenant",
  "created_at",
  "updated_at",
  "recency_at",
  "cwd",
  "source_kind",
  "model_provider",
  "originator",
  "owner",
  "parent_thread_id",
  "preview",
  "facts",
  "state",
  "activity",
] as const;

const records = (parameter: number, alias: string, columns: string): string =>
  `json_to_recordset($${parameter}::text::json) AS ${alias} (${columns})`;

const APPEND = `
  WITH given AS (
    SELECT * FROM ${records(1, "g", "thread_id text, epoch bigint, generation integer, seq bigint, next_generation integer, next_seq bigint")}
  ), kept AS (
    UPDATE head SET generation = given.next_generation, next_seq = given.next_seq FROM given
    WHERE head.thread_id = given.thread_id AND head.owner = $10 AND head.epoch = given.epoch
      AND head.generation = given.generation AND head.next_seq = given.seq
    RETURNING head.thread_id
  ), lines AS (
    INSERT INTO line (thread_id, generation, seq, body) SELECT l.*
    FROM ${records(2, "l", "thread_id text, generation integer, seq bigint, body text")} JOIN kept USING (thread_id)
  ), threads AS (
    INSERT INTO thread (${THREAD.join(", ")}) SELECT ${THREAD.map((name) => `t.${name}`).join(", ")}
    FROM json_populate_recordset(NULL::thread, $3::text::json) AS t JOIN kept USING (thread_id)
    ON CONFLICT (thread_id) DO UPDATE SET ${THREAD.slice(2)
      .map((name) => `${name} = excluded.${name}`)
      .join(", ")}
  ), segments AS (
    INSERT INTO segment SELECT s.* FROM json_populate_recordset(NULL::segment, $4::text::json) AS s JOIN kept USING (thread_id)
  ), turns AS (
    INSERT INTO turn SELECT t.* FROM json_populate_recordset(NULL::turn, $5::text::json) AS t JOIN kept USING (thread_id)
    ON CONFLICT (thread_id, generation, turn_id) DO UPDATE SET
      end_seq = CASE WHEN excluded.status IS NULL THEN turn.end_seq ELSE excluded.end_seq END,
      status = coalesce(excluded.status, turn.status),
      root_turn_id = coalesce(excluded.root_turn_id, turn.root_turn_id),
      started_at = coalesce(excluded.started_at, turn.started_at),
      completed_at = coalesce(excluded.completed_at, turn.completed_at),
      duration_ms = coalesce(excluded.duration_ms, turn.duration_ms),
      error = coalesce(excluded.error, turn.error),
      hook_runs = CASE WHEN turn.hook_runs IS NULL OR excluded.hook_runs IS NULL
        THEN coalesce(turn.hook_runs, excluded.hook_runs)
        ELSE left(turn.hook_runs, -1) || ',' || substr(excluded.hook_runs, 2) END,
      first_user_item_id = coalesce(turn.first_user_item_id, excluded.first_user_item_id),
      final_agent_item_id = coalesce(excluded.final_agent_item_id, turn.final_agent_item_id)
  ), turn_runs AS (
    UPDATE turn SET hook_runs = coalesce(left(turn.hook_runs, -1) || ',', '[') || substr(r.hook_runs, 2)
    FROM ${records(6, "r", "thread_id text, generation integer, turn_id text, hook_runs text")} JOIN kept USING (thread_id)
    WHERE turn.thread_id = r.thread_id AND turn.generation = r.generation AND turn.turn_id = r.turn_id
  ), items AS (
    INSERT INTO item SELECT i.* FROM json_populate_recordset(NULL::item, $7::text::json) AS i JOIN kept USING (thread_id)
    ON CONFLICT (thread_id, generation, turn_id, item_id) DO UPDATE SET
      seq = CASE WHEN excluded.type = 'userMessage' AND excluded.json IS NULL THEN excluded.seq ELSE item.seq END,
      line_seq = excluded.line_seq, type = excluded.type, started_at_ms = excluded.started_at_ms,
      completed_at_ms = excluded.completed_at_ms, json = excluded.json
  ), usage AS (
    INSERT INTO usage_slot SELECT u.* FROM json_populate_recordset(NULL::usage_slot, $8::text::json) AS u JOIN kept USING (thread_id)
    ON CONFLICT (thread_id, slot, cwd, model) DO UPDATE SET
      ${USAGE_SUMS.map((name) => `${name} = usage_slot.${name} + excluded.${name}`).join(", ")}
  ), runs AS (
    INSERT INTO hook_run (thread_id, turn_id, event, source_path, display_order, status, started_at, duration_ms, run)
    SELECT h.thread_id, h.turn_id, h.event, h.source_path, h.display_order, h.status, h.started_at, h.duration_ms, h.run
    FROM json_populate_recordset(NULL::hook_run, $9::text::json) AS h JOIN kept USING (thread_id)
  )
  SELECT thread_id AS "threadId" FROM kept`;

/** Returns the threads whose lines were stored; the others have another holder or another position. */
export async function appendAll(
  { query }: Statements,
  nodeId: string,
  appends: readonly ThreadAppend[],
): Promise<ReadonlySet<string>> {
  const rows = appends.map(({ threadId, next, changes }) =>
    toAppendRows({ thread_id: threadId, generation: next.generation }, changes),
  );
  const kept = await query<{ readonly threadId: string }>(
    APPEND,
    toRecords(appends.map(toGiven)),
    toRecords(appends.flatMap(toLines)),
    toRecords(appends.map(({ thread }) => thread)),
    toRecords(appends.map(({ segment }) => segment).filter((segment) => segment !== null)),
    toRecords(rows.flatMap(({ turns }) => turns)),
    toRecords(rows.flatMap(({ turnRuns }) => turnRuns)),
    toRecords(rows.flatMap(({ items }) => items)),
    toRecords(rows.flatMap(({ usage }) => usage)),
    toRecords(rows.flatMap(({ hookRuns }) => hookRuns)),
    nodeId,
  );
  return new Set(kept.map(({ threadId }) => threadId));
}

function toGiven({ threadId, epoch, expected, next }: ThreadAppend): JsonObject {
  const { generation, seq } = expected;
  return {
    thread_id: threadId,
    epoch,
    generation,
    seq,
    next_generation: next.generation,
    next_seq: next.seq,
  };
}

function toLines({ threadId, next: { generation }, lines }: ThreadAppend): JsonObject[] {
  return lines.map(({ seq, text }) => ({ thread_id: threadId, generation, seq, body: text }));
}
