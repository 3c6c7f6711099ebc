/**
 * The index of a database that is removed under a running server is made anew from the rollout files. Queued turns are
 * in none of them, but in the old database, which the server still has open: they are taken out of it. Whoever does
 * that later finds only what was added since, and so does not bring back what has been started in the new one.
 */
import type { Database } from "./driver.ts";
import { rollBack } from "./migrations.ts";
import type { StoredRow } from "./queue-rows.ts";

const MOVED_COLUMNS = [
  "thread_id",
  "row_id",
  "client_id",
  "params",
  "not_before_ms",
  "state",
  "turn_id",
  "claim_owner",
  "claim_epoch",
  "failure",
  "created_at_ms",
  "updated_at_ms",
] as const satisfies readonly (keyof StoredRow)[];
const MOVE = `
  INSERT INTO queue (${MOVED_COLUMNS.join(", ")}, position)
  VALUES (${MOVED_COLUMNS.map(() => "?").join(", ")}, ?) ON CONFLICT DO NOTHING`;
const MOVE_PAUSE = "INSERT INTO queue_pauses (thread_id, reason) VALUES (?, ?) ON CONFLICT DO NOTHING";
const FIRST_PLACE = "SELECT MIN(position) AS first FROM queue WHERE thread_id = ?";
const NOTE = "INSERT INTO queue_changes (thread_id, owner) VALUES (?, '')";

interface Pause {
  readonly thread_id: string;
  readonly reason: string;
}

/** Into the database that is there now. They leave the old one, which other processes may have open as well. */
export function moveQueues(from: Database, to: Database): "moved" | "unreadable" {
  const found = takeOut(from);
  if (found === "unreadable" || found === "moved") return found;
  try {
    to.exec("BEGIN IMMEDIATE");
    putIn(to, found);
    to.exec("COMMIT");
  } catch (error) {
    rollBack(to);
    rollBack(from);
    throw error;
  }
  try {
    from.exec("COMMIT");
  } catch {
    rollBack(from);
  }
  return "moved";
}

interface Queues {
  readonly rows: readonly StoredRow[];
  readonly pauses: readonly Pause[];
}

/** Leaves the transaction open where there is anything. */
function takeOut(from: Database): Queues | "moved" | "unreadable" {
  let outcome: "moved" | "unreadable" = "moved";
  try {
    from.exec("BEGIN IMMEDIATE");
    const rows = from.prepare("SELECT * FROM queue ORDER BY position").all() as StoredRow[];
    const pauses = from.prepare("SELECT thread_id, reason FROM queue_pauses").all() as Pause[];
    if (rows.length > 0 || pauses.length > 0) {
      from.exec("DELETE FROM queue; DELETE FROM queue_pauses;");
      return { rows, pauses };
    }
  } catch {
    outcome = "unreadable";
  }
  rollBack(from);
  return outcome;
}

function putIn(to: Database, { rows, pauses }: Queues): void {
  const move = to.prepare(MOVE);
  const threads = new Map<string, StoredRow[]>();
  for (const row of rows) {
    const queued = threads.get(row.thread_id);
    if (queued === undefined) threads.set(row.thread_id, [row]);
    else queued.push(row);
  }
  for (const [threadId, queued] of threads) {
    const { first } = to.prepare(FIRST_PLACE).get(threadId) as { first: number | null };
    // Before what has come since.
    const shift = first === null ? 0 : first - 1 - (queued.at(-1)?.position ?? 0);
    for (const row of queued) move.run(...MOVED_COLUMNS.map((column) => row[column]), row.position + shift);
  }
  for (const { thread_id: threadId, reason } of pauses) to.prepare(MOVE_PAUSE).run(threadId, reason);
  for (const threadId of new Set([...threads.keys(), ...pauses.map((pause) => pause.thread_id)]))
    to.prepare(NOTE).run(threadId);
}
