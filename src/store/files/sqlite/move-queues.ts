/**
 * Moves queued turns out of a database that was removed while the server runs. The index is rebuilt from the rollout
 * files, but queued turns exist only in the old database, which the server still has open. A later move by another
 * process finds only rows that were added since, so that it does not restore rows that the new database has already
 * started.
 */

import type { WholeRow } from "../../rows/queue-rows.ts";
import type { Database } from "./driver.ts";
import { rollBack } from "./migrate.ts";
import { type SqliteRow, WHOLE_ROWS } from "./stored-row.ts";

const MOVED_COLUMNS = [
  "thread_id",
  "row_id",
  "client_id",
  "bytes",
  "not_before_ms",
  "state",
  "turn_id",
  "claim_owner",
  "claim_epoch",
  "failure",
  "created_at_ms",
  "updated_at_ms",
  "source",
] as const satisfies readonly (keyof SqliteRow)[];
const MOVE = `
  INSERT INTO queue_rows (${MOVED_COLUMNS.join(", ")}, position)
  VALUES (${MOVED_COLUMNS.map(() => "?").join(", ")}, ?) ON CONFLICT DO NOTHING RETURNING number`;
const MOVE_PARAMS = "INSERT INTO queue_params (number, params) VALUES (?, ?)";
const MOVE_PAUSE = "INSERT INTO queue_pauses (thread_id, reason) VALUES (?, ?) ON CONFLICT DO NOTHING";
const STARTED_COLUMNS = [
  "thread_id",
  "row_id",
  "client_id",
  "turn_id",
  "preview",
  "started_at_ms",
  "how",
  "ended_at_ms",
  "duration_ms",
  "tokens",
  "error",
] as const;
const STARTED = `SELECT ${STARTED_COLUMNS.join(", ")} FROM queue_started ORDER BY number`;
const MOVE_STARTED = `
  INSERT INTO queue_started (${STARTED_COLUMNS.join(", ")}) VALUES (${STARTED_COLUMNS.map(() => "?").join(", ")})`;
const POSITIONS = "SELECT number, thread_id, position FROM queue_rows ORDER BY thread_id, position";
const ROW = `SELECT * FROM ${WHOLE_ROWS} WHERE number = ?`;
const FIRST_POSITION = "SELECT MIN(position) AS first FROM queue_rows WHERE thread_id = ?";
const NOTE = "INSERT INTO queue_changes (thread_id, owner) VALUES (?, '')";

interface Pause {
  readonly thread_id: string;
  readonly reason: string;
}

/**
 * Moves all queues into the new database. They are deleted from the old one, which other processes may have open too.
 */
export function moveQueues(from: Database, to: Database): "moved" | "unreadable" {
  const found = readQueues(from);
  if (found === "unreadable" || found === "moved") return found;
  try {
    to.exec("BEGIN IMMEDIATE");
    insertQueues(from, to, found);
    to.exec("COMMIT");
  } catch (error) {
    rollBack(to);
    rollBack(from);
    throw error;
  }
  try {
    from.exec("DELETE FROM queue_rows; DELETE FROM queue_pauses;");
    if (found.started.length > 0) from.exec("DELETE FROM queue_started");
    from.exec("COMMIT");
  } catch {
    rollBack(from);
  }
  return "moved";
}

type RowPosition = Pick<SqliteRow, "number" | "thread_id" | "position">;

interface Queues {
  /** In order. Rows may be large and are read one by one. */
  readonly positions: readonly RowPosition[];
  readonly pauses: readonly Pause[];
  /** Started rows, whose client keys stay idempotent. */
  readonly started: readonly StartedValues[];
}

type StartedValues = Readonly<Record<(typeof STARTED_COLUMNS)[number], string | number | null>>;

/** Leaves the transaction open if there is anything to move. */
function readQueues(from: Database): Queues | "moved" | "unreadable" {
  let outcome: "moved" | "unreadable" = "moved";
  try {
    from.exec("BEGIN IMMEDIATE");
    const positions = from.prepare(POSITIONS).all() as RowPosition[];
    const pauses = from.prepare("SELECT thread_id, reason FROM queue_pauses").all() as Pause[];
    const started = startedIn(from);
    if (positions.length + pauses.length + started.length > 0) return { positions, pauses, started };
  } catch {
    outcome = "unreadable";
  }
  rollBack(from);
  return outcome;
}

/** Pending turns are moved even if the log of started ones is unreadable. */
function startedIn(from: Database): StartedValues[] {
  try {
    return from.prepare(STARTED).all() as StartedValues[];
  } catch {
    return [];
  }
}

function insertQueues(from: Database, to: Database, { positions, pauses, started }: Queues): void {
  const read = from.prepare(ROW);
  const [move, addParams] = [to.prepare(MOVE), to.prepare(MOVE_PARAMS)];
  const threads = new Map<string, RowPosition[]>();
  for (const place of positions) {
    const queued = threads.get(place.thread_id);
    if (queued === undefined) threads.set(place.thread_id, [place]);
    else queued.push(place);
  }
  for (const [threadId, queued] of threads) {
    const { first } = to.prepare(FIRST_POSITION).get(threadId) as { first: number | null };
    // Moved rows come before those that were added to the new database.
    const shift = first === null ? 0 : first - 1 - (queued.at(-1)?.position ?? 0);
    for (const { number, position } of queued) {
      const row = read.get(number) as SqliteRow & WholeRow;
      const moved = move.get(...MOVED_COLUMNS.map((column) => row[column]), position + shift);
      if (moved !== undefined) addParams.run((moved as RowPosition).number, row.params);
    }
  }
  const moveStarted = to.prepare(MOVE_STARTED);
  for (const row of started) moveStarted.run(...STARTED_COLUMNS.map((column) => row[column]));
  for (const { thread_id: threadId, reason } of pauses) to.prepare(MOVE_PAUSE).run(threadId, reason);
  for (const threadId of new Set([...threads.keys(), ...pauses.map((pause) => pause.thread_id)]))
    to.prepare(NOTE).run(threadId);
}
