import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Fence } from "../leases.ts";
import type {
  AddOutcome,
  ClaimOutcome,
  Fenced,
  NewRow,
  Queue,
  QueueRow,
  RowChange,
  RowFailure,
  RowList,
  RowPage,
} from "../queue.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";
import { createQueueChanges, type QueueChanges, threadsWithRows } from "./queue-changes.ts";
import { type StoredRow, toQueueRow } from "./queue-rows.ts";

const VISIBLE = "thread_id = ? AND state <> 'dispatching'";
const KNOWN = "SELECT * FROM queue WHERE thread_id = ? AND client_id = ?";
const COUNT = "SELECT COUNT(*) AS count FROM queue WHERE thread_id = ?";
const ADD = `
  INSERT INTO queue
    (thread_id, row_id, client_id, params, not_before_ms, state, created_at_ms, updated_at_ms, position)
  VALUES (?, ?, ?, ?, ?, 'pending', ?, ?,
    (SELECT COALESCE(MAX(position), 0) + 1 FROM queue WHERE thread_id = ?))
  RETURNING *`;
// One statement, so that all of it is of one moment.
const LIST = `
  SELECT whole.total, whole.pause, page.*
  FROM (SELECT
      (SELECT COUNT(*) FROM queue WHERE ${VISIBLE}) AS total,
      (SELECT reason FROM queue_pauses WHERE thread_id = ?) AS pause) AS whole
    LEFT JOIN (SELECT * FROM queue WHERE ${VISIBLE} ORDER BY position LIMIT ? OFFSET ?) AS page
  ORDER BY page.position`;
const PARAMS = `SELECT params FROM queue WHERE ${VISIBLE} AND row_id = ?`;
const UPDATE = `
  UPDATE queue SET params = ?, state = 'pending', failure = NULL, updated_at_ms = ?,
    not_before_ms = CASE WHEN ? THEN ? ELSE not_before_ms END
  WHERE ${VISIBLE} AND row_id = ? RETURNING *`;
const REMOVE = `DELETE FROM queue WHERE ${VISIBLE} AND row_id = ? RETURNING row_id`;
const PLACES = `SELECT row_id, position FROM queue WHERE ${VISIBLE} ORDER BY position`;
const PLACE = "UPDATE queue SET position = ? WHERE thread_id = ? AND row_id = ?";
const PAUSE = `
  INSERT INTO queue_pauses (thread_id, reason) VALUES (?, ?)
  ON CONFLICT (thread_id) DO UPDATE SET reason = excluded.reason`;
const RESUME = "DELETE FROM queue_pauses WHERE thread_id = ? RETURNING thread_id";
const PAUSED = "SELECT 1 FROM queue_pauses WHERE thread_id = ?";
const CLAIMED = "SELECT * FROM queue WHERE thread_id = ? AND state = 'dispatching'";
const FIRST = `SELECT * FROM queue WHERE ${VISIBLE} ORDER BY position LIMIT 1`;
const NAMED = `SELECT * FROM queue WHERE ${VISIBLE} AND row_id = ?`;
const CLAIM = `
  UPDATE queue SET state = 'dispatching', turn_id = ?, claim_owner = ?, claim_epoch = ?, failure = NULL, updated_at_ms = ?
  WHERE number = ? RETURNING *`;
const OF_CLAIM = "thread_id = ? AND row_id = ? AND turn_id = ? AND state = 'dispatching' RETURNING *";
const STARTED = `DELETE FROM queue WHERE ${OF_CLAIM}`;
const FAILED = `
  UPDATE queue SET state = 'failed', turn_id = NULL, claim_owner = NULL, claim_epoch = NULL, failure = ?, updated_at_ms = ?
  WHERE ${OF_CLAIM}`;

type Writing = Pick<Connection, "epoch" | "prepare" | "write">;

export interface SqliteQueue {
  readonly queue: Queue;
  /** Everything of a thread, in the transaction of the caller. */
  drop(threadId: string): void;
  close(): void;
}

/** Queued turns in the table `queue`, claimed and settled only while the owner holds their thread. */
export function createSqliteQueue(connection: Writing, owner: string, clock: Clock): SqliteQueue {
  const changes = createQueueChanges(connection, owner, clock);

  function drop(threadId: string): void {
    for (const table of ["queue", "queue_pauses"])
      connection.prepare(`DELETE FROM ${table} WHERE thread_id = ?`).run(threadId);
    changes.note(threadId);
  }

  return {
    queue: {
      ...rowsOf(connection, changes, clock),
      ...claimsOf(connection, changes, owner, clock),
      forget: async (threadId) => connection.write(() => drop(threadId)),
      threads: async () => threadsWithRows(connection),
      watch: changes.watch,
    },
    drop,
    close: changes.close,
  };
}

type Rows = Pick<Queue, "add" | "list" | "update" | "remove" | "reorder" | "pause" | "resume">;

function rowsOf(connection: Writing, changes: QueueChanges, clock: Clock): Rows {
  function add(threadId: string, row: NewRow, maxRows: number): AddOutcome {
    const { rowId, clientUserMessageId, params, notBeforeMs } = row;
    // As JSON: text of SQLite cannot hold halves of characters, and two keys that differ in these would be one.
    const clientId = clientUserMessageId === null ? null : JSON.stringify(clientUserMessageId);
    const known = clientId === null ? undefined : connection.prepare(KNOWN).get(threadId, clientId);
    if (known !== undefined) return { kind: "known", row: toQueueRow(known) };
    const { count } = connection.prepare(COUNT).get(threadId) as { count: number };
    if (count >= maxRows) return { kind: "full" };
    const now = clock.now();
    const values = [threadId, rowId, clientId, JSON.stringify(params), notBeforeMs, now, now, threadId];
    const added = connection.prepare(ADD).get(...values);
    changes.note(threadId);
    return { kind: "added", row: toQueueRow(added) };
  }

  function list(threadId: string, { offset, limit }: RowPage): RowList {
    const found = connection.prepare(LIST).all(threadId, threadId, threadId, limit, offset) as (Pick<
      RowList,
      "total" | "pause"
    > & { readonly row_id: string | null })[];
    const { total = 0, pause = null } = found[0] ?? {};
    return { rows: found.filter((row) => row.row_id !== null).map(toQueueRow), total, pause };
  }

  function update(threadId: string, rowId: string, { params, notBeforeMs }: RowChange): QueueRow | null {
    const found = connection.prepare(PARAMS).get(threadId, rowId) as { readonly params: string } | undefined;
    if (found === undefined) return null;
    const merged = JSON.stringify({ ...(JSON.parse(found.params) as JsonObject), ...params });
    const isTimed = notBeforeMs === undefined ? 0 : 1;
    const values = [merged, clock.now(), isTimed, notBeforeMs ?? null, threadId, rowId];
    const updated = connection.prepare(UPDATE).get(...values);
    changes.note(threadId);
    return toQueueRow(updated);
  }

  /** Gives the rows one another's places: one that is being started, or comes behind meanwhile, keeps its own. */
  function reorder(threadId: string, rowIds: readonly string[]): boolean {
    const places = connection.prepare(PLACES).all(threadId) as Pick<StoredRow, "row_id" | "position">[];
    const named = new Set(rowIds);
    const isEach = rowIds.length === places.length && places.every((place) => named.has(place.row_id));
    if (!isEach) return false;
    for (const [at, { row_id: before, position }] of places.entries()) {
      const rowId = rowIds[at];
      if (rowId !== undefined && rowId !== before) connection.prepare(PLACE).run(position, threadId, rowId);
    }
    changes.note(threadId);
    return true;
  }

  /** A step that changes something unless it finds nothing. */
  const changing = (sql: string, threadId: string, ...values: string[]): boolean =>
    connection.write(() => {
      const isFound = connection.prepare(sql).get(threadId, ...values) !== undefined;
      if (isFound) changes.note(threadId);
      return isFound;
    });

  return {
    add: async (threadId, row, maxRows) => connection.write(() => add(threadId, row, maxRows)),
    list: async (threadId, page) => list(threadId, page),
    update: async (threadId, rowId, change) => connection.write(() => update(threadId, rowId, change)),
    remove: async (threadId, rowId) => changing(REMOVE, threadId, rowId),
    reorder: async (threadId, rowIds) => connection.write(() => reorder(threadId, rowIds)),
    async pause(threadId, reason) {
      connection.write(() => {
        connection.prepare(PAUSE).run(threadId, reason);
        changes.note(threadId);
      });
    },
    resume: async (threadId) => changing(RESUME, threadId),
  };
}

type Claims = Pick<Queue, "claim" | "settle" | "recover">;
type Settling = Parameters<Queue["settle"]>[3];

function claimsOf(connection: Writing, changes: QueueChanges, owner: string, clock: Clock): Claims {
  const fenced = createFencedWrite(connection, owner);

  /** The row that a claim takes, or why there is none. */
  function choose(threadId: string, rowId: string | undefined): StoredRow | ClaimOutcome {
    if (connection.prepare(CLAIMED).get(threadId) !== undefined) return { kind: "none", why: "dispatching" };
    if (rowId !== undefined) {
      const named = connection.prepare(NAMED).get(threadId, rowId) as StoredRow | undefined;
      return named ?? { kind: "none", why: "unknownRow" };
    }
    const first = connection.prepare(FIRST).get(threadId) as StoredRow | undefined;
    if (first === undefined) return { kind: "none", why: "empty" };
    if (connection.prepare(PAUSED).get(threadId) !== undefined) return { kind: "none", why: "paused" };
    if (first.state === "failed") return { kind: "none", why: "failedHead" };
    const notBeforeMs = first.not_before_ms;
    return notBeforeMs !== null && notBeforeMs > clock.now() ? { kind: "later", notBeforeMs } : first;
  }

  function claim({ threadId, epoch }: Fence, turnId: string, rowId?: string): ClaimOutcome {
    const chosen = choose(threadId, rowId);
    if ("kind" in chosen) return chosen;
    const row = connection.prepare(CLAIM).get(turnId, owner, epoch, clock.now(), chosen.number);
    changes.note(threadId);
    return { kind: "claimed", row: toQueueRow(row) };
  }

  /** The row as it was, or is when it has failed; null where it is not claimed under this turn. */
  function settle(fence: Fence, rowId: string, turnId: string, outcome: Settling): QueueRow | null | Fenced {
    return fenced(fence, () => {
      const values =
        outcome.kind === "started" ? [] : ([JSON.stringify(outcome.failure), clock.now()] as const);
      const sql = outcome.kind === "started" ? STARTED : FAILED;
      const settled = connection.prepare(sql).get(...values, fence.threadId, rowId, turnId);
      if (settled === undefined) return null;
      changes.note(fence.threadId);
      return toQueueRow(settled);
    });
  }

  /** What this holder has claimed itself is still its own to settle. */
  const isLeft = (row: StoredRow, { epoch }: Fence): boolean =>
    row.claim_owner !== owner || row.claim_epoch !== epoch;

  async function recover(
    fence: Fence,
    hasStarted: (turnId: string) => Promise<boolean>,
    failure: RowFailure,
  ): ReturnType<Queue["recover"]> {
    const claimed = fenced(fence, () => connection.prepare(CLAIMED).all(fence.threadId) as StoredRow[]);
    if ("kind" in claimed) return claimed;
    const failed: QueueRow[] = [];
    for (const row of claimed.filter((each) => isLeft(each, fence))) {
      const turnId = row.turn_id ?? "";
      const isStarted = await hasStarted(turnId);
      const settled = settle(
        fence,
        row.row_id,
        turnId,
        isStarted ? { kind: "started" } : { kind: "failed", failure },
      );
      if (settled !== null && "kind" in settled) return settled;
      if (settled !== null && !isStarted) failed.push(settled);
    }
    return { kind: "recovered", failed };
  }

  return {
    claim: async (fence, turnId, rowId) => fenced(fence, () => claim(fence, turnId, rowId)),
    async settle(fence, rowId, turnId, outcome) {
      const settled = settle(fence, rowId, turnId, outcome);
      return settled !== null && "kind" in settled ? settled : settled !== null;
    },
    recover,
  };
}
