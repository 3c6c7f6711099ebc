// Statements that update files, turns and items in the index. Each runs inside a transaction.
import type {
  FileItemRow,
  IndexBatch,
  IndexChange,
  IndexedTurnWrite,
  RolloutMove,
  RolloutRow,
} from "../index/history-index.ts";
import type { Connection } from "./connection.ts";
import { ROLLOUT_COLUMNS, rolloutValues } from "./rollout-rows.ts";

const columns = ROLLOUT_COLUMNS.join(", ");
const marks = ROLLOUT_COLUMNS.map(() => "?").join(", ");
const updates = ROLLOUT_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ");

const PUT_HEAD = `
  INSERT INTO rollouts (${columns}) VALUES (${marks})
  ON CONFLICT (rollout_id) DO UPDATE SET ${updates} WHERE indexed_bytes = 0`;
const MOVE = `
  UPDATE rollouts SET path = ?, archived = ?, updated_at = coalesce(?, updated_at), size = coalesce(?, size),
    inode = coalesce(?, inode), mtime_ms = coalesce(?, mtime_ms)
  WHERE rollout_id = ? RETURNING thread_id`;
const PUT_INDEXED = `
  INSERT INTO rollouts (${columns}, state) VALUES (${marks}, ?)
  ON CONFLICT (rollout_id) DO UPDATE SET ${updates}, state = excluded.state`;
/**
 * The current file of a thread is the newest active one, or the newest archived one if none is active. Rows that are
 * already correct are not written, because that would update all of their indexes.
 */
const SHELF = `CASE
    WHEN rollout_id <> (
      SELECT rollout_id FROM rollouts WHERE thread_id = ?
      ORDER BY archived, file_time DESC, rollout_id DESC LIMIT 1
    ) THEN 3
    WHEN preview = '' THEN 2
    ELSE archived
  END`;
const UPDATE_SHELVES = `UPDATE rollouts SET shelf = ${SHELF} WHERE thread_id = ? AND shelf <> ${SHELF}`;
const PUT_TURN = `
  INSERT INTO turns (rollout_id, seq, turn_id, start_offset, end_seq, end_offset, status, root_turn_id,
    started_at, completed_at, duration_ms, error, first_user_item_id, final_agent_item_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (rollout_id, turn_id) DO UPDATE SET
    end_seq = excluded.end_seq, end_offset = excluded.end_offset, status = excluded.status,
    root_turn_id = coalesce(excluded.root_turn_id, root_turn_id),
    started_at = coalesce(excluded.started_at, started_at),
    completed_at = coalesce(excluded.completed_at, completed_at),
    duration_ms = coalesce(excluded.duration_ms, duration_ms),
    error = coalesce(excluded.error, error)`;
const NEW_TURN = `
  INSERT INTO turns (rollout_id, seq, turn_id, start_offset, status) VALUES (?, ?, ?, ?, 'inProgress')
  ON CONFLICT (rollout_id, turn_id) DO NOTHING`;
const PUT_ITEM = `
  INSERT INTO items (rollout_id, turn_id, item_id, seq, type, line_offset, line_length,
    started_at_ms, completed_at_ms, json)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (rollout_id, turn_id, item_id) DO UPDATE SET
    seq = CASE WHEN excluded.type = 'userMessage' AND excluded.json IS NULL THEN excluded.seq ELSE seq END,
    type = excluded.type, line_offset = excluded.line_offset, line_length = excluded.line_length,
    started_at_ms = excluded.started_at_ms, completed_at_ms = excluded.completed_at_ms, json = excluded.json`;
const FIRST_USER = `
  UPDATE turns SET first_user_item_id = coalesce(first_user_item_id, ?) WHERE rollout_id = ? AND turn_id = ?`;
const FINAL_AGENT = "UPDATE turns SET final_agent_item_id = ? WHERE rollout_id = ? AND turn_id = ?";
const ADD_HOOK_RUN = `
  UPDATE turns SET hook_runs = json_insert(coalesce(hook_runs, '[]'), '$[#]', json(?))
  WHERE rollout_id = ? AND turn_id = ?`;
const LAST_TURNS = "SELECT turn_id FROM turns WHERE rollout_id = ? ORDER BY seq DESC LIMIT ?";

export function writeHead(connection: Connection, row: RolloutRow): void {
  connection.prepare(PUT_HEAD).run(...rolloutValues(row));
  writeMove(connection, row);
}

export function writeMove(
  connection: Connection,
  { rolloutId, path, archived, updatedAtMs, file }: RolloutMove,
): void {
  const stamp = [file?.size ?? null, file?.inode ?? null, file?.mtimeMs ?? null];
  const found = connection
    .prepare(MOVE)
    .get(path, archived ? 1 : 0, updatedAtMs ?? null, ...stamp, rolloutId);
  if (found !== undefined) updateShelves(connection, (found as { thread_id: string }).thread_id);
}

/** Writes a batch; false if the index is at another position. */
export function writeBatch(connection: Connection, { row, state, from, changes }: IndexBatch): boolean {
  const known = connection
    .prepare("SELECT indexed_bytes FROM rollouts WHERE rollout_id = ?")
    .get(row.rolloutId) as { indexed_bytes: number } | undefined;
  if (from !== null && (known?.indexed_bytes ?? 0) !== from) return false;
  if (from === null) deleteLines(connection, row.rolloutId);
  connection.prepare(PUT_INDEXED).run(...rolloutValues(row), JSON.stringify(state));
  updateShelves(connection, row.threadId);
  for (const change of changes) writeChange(connection, row.rolloutId, change);
  return true;
}

function updateShelves(connection: Connection, threadId: string): void {
  connection.prepare(UPDATE_SHELVES).run(threadId, threadId, threadId);
}

function deleteLines(connection: Connection, rolloutId: string): void {
  connection.prepare("DELETE FROM turns WHERE rollout_id = ?").run(rolloutId);
  connection.prepare("DELETE FROM items WHERE rollout_id = ?").run(rolloutId);
}

/** Removes a file; an older file of its thread may become current again. */
export function removeRollout(connection: Connection, rolloutId: string): void {
  const row = connection.prepare("SELECT thread_id FROM rollouts WHERE rollout_id = ?").get(rolloutId);
  if (row === undefined) return;
  deleteLines(connection, rolloutId);
  connection.prepare("DELETE FROM rollouts WHERE rollout_id = ?").run(rolloutId);
  updateShelves(connection, (row as { thread_id: string }).thread_id);
}

function writeChange(connection: Connection, rolloutId: string, change: IndexChange): void {
  switch (change.kind) {
    case "turn":
      return writeTurn(connection, rolloutId, change);
    case "item":
      return writeItem(connection, rolloutId, change);
    case "hookRun":
      connection.prepare(ADD_HOOK_RUN).run(change.run, rolloutId, change.turnId);
      return;
    case "rolledBack":
      return rollBack(connection, rolloutId, change.turns);
  }
}

function writeTurn(connection: Connection, rolloutId: string, turn: IndexedTurnWrite): void {
  connection
    .prepare(PUT_TURN)
    .run(
      rolloutId,
      turn.seq,
      turn.turnId,
      turn.offset,
      turn.end?.seq ?? null,
      turn.end?.offset ?? null,
      turn.status,
      turn.rootTurnId ?? null,
      turn.startedAt ?? null,
      turn.completedAt ?? null,
      turn.durationMs ?? null,
      turn.error ?? null,
      turn.firstUserItemId ?? null,
      turn.finalAgentItemId ?? null,
    );
}

function writeItem(connection: Connection, rolloutId: string, item: FileItemRow): void {
  connection.prepare(NEW_TURN).run(rolloutId, item.seq, item.turnId, item.offset);
  connection
    .prepare(PUT_ITEM)
    .run(
      rolloutId,
      item.turnId,
      item.itemId,
      item.seq,
      item.type,
      item.offset,
      item.length,
      item.startedAtMs,
      item.completedAtMs,
      item.json,
    );
  if (item.type === "userMessage") connection.prepare(FIRST_USER).run(item.itemId, rolloutId, item.turnId);
  if (item.type === "agentMessage") connection.prepare(FINAL_AGENT).run(item.itemId, rolloutId, item.turnId);
}

function rollBack(connection: Connection, rolloutId: string, turns: number): void {
  const gone = connection.prepare(LAST_TURNS).all(rolloutId, turns) as { turn_id: string }[];
  for (const { turn_id: turnId } of gone) {
    connection.prepare("DELETE FROM turns WHERE rollout_id = ? AND turn_id = ?").run(rolloutId, turnId);
    connection.prepare("DELETE FROM items WHERE rollout_id = ? AND turn_id = ?").run(rolloutId, turnId);
  }
}
