/** Claims of queued turns, which are made and acknowledged only under the lease of the thread. */
import type { Clock } from "../../../base/clock.ts";
import type { Fence } from "../../leases.ts";
import {
  type ClaimOutcome,
  type ClaimResult,
  type Fenced,
  type HasStarted,
  MAX_CRASH_RETRIES,
  type Queue,
  type RowFailure,
} from "../../queue.ts";
import { queuedPreview } from "../../queue-log.ts";
import { toQueueRow, type WholeRow } from "../../rows/queue-rows.ts";
import type { Connection } from "./connection.ts";
import { createFencedWrite } from "./lease-table.ts";
import type { QueueChanges } from "./queue-changes.ts";
import type { SqliteQueueLog } from "./queue-log.ts";
import { type SqliteRow, VISIBLE, WHOLE_ROWS } from "./stored-row.ts";

const CLAIMED = "SELECT 1 FROM queue_rows WHERE thread_id = ? AND state = 'dispatching'";
const CLAIMED_ROWS = `SELECT * FROM ${WHOLE_ROWS} WHERE thread_id = ? AND state = 'dispatching'`;
const CANDIDATE = "SELECT number, state, not_before_ms FROM queue_rows";
const FIRST = `${CANDIDATE} WHERE ${VISIBLE} ORDER BY position LIMIT 1`;
const NAMED = `${CANDIDATE} WHERE ${VISIBLE} AND row_id = ?`;
const PAUSED = "SELECT 1 FROM queue_pauses WHERE thread_id = ?";
const CLAIM = `
  UPDATE queue_rows SET state = 'dispatching', turn_id = ?, claim_owner = ?, claim_epoch = ?, failure = NULL, updated_at_ms = ?
  WHERE number = ?`;
const TAKEN = `SELECT * FROM ${WHOLE_ROWS} WHERE number = ?`;
const OF_CLAIM = "thread_id = ? AND row_id = ? AND turn_id = ? AND state = 'dispatching' RETURNING *";
const STARTED = `DELETE FROM queue_rows WHERE ${OF_CLAIM}`;
const FAILED = `
  UPDATE queue_rows SET state = 'failed', turn_id = NULL, claim_owner = NULL, claim_epoch = NULL, failure = ?, updated_at_ms = ?
  WHERE ${OF_CLAIM}`;
const RETRIED = `
  UPDATE queue_rows SET state = 'pending', turn_id = NULL, claim_owner = NULL, claim_epoch = NULL, crashes = crashes + 1, updated_at_ms = ?
  WHERE crashes < ${MAX_CRASH_RETRIES} AND ${OF_CLAIM}`;

type Candidate = Pick<SqliteRow, "number" | "state" | "not_before_ms">;

function changeOf(outcome: ClaimResult, nowMs: number) {
  if (outcome.kind === "started") return { sql: STARTED, values: [] };
  if (outcome.kind === "retried") return { sql: RETRIED, values: [nowMs] };
  return { sql: FAILED, values: [JSON.stringify(outcome.failure), nowMs] };
}

export interface QueueClaimsOptions {
  readonly connection: Pick<Connection, "prepare" | "write">;
  readonly changes: QueueChanges;
  readonly log: Pick<SqliteQueueLog, "add">;
  readonly owner: string;
  readonly clock: Clock;
}

export function createQueueClaims(options: QueueClaimsOptions): Pick<Queue, "claim" | "ack" | "recover"> {
  const { connection, changes, log, owner, clock } = options;
  const fenced = createFencedWrite(connection, owner);

  /** The row to claim, or the reason why there is none. */
  function choose(threadId: string, rowId: string | undefined): Candidate | ClaimOutcome {
    if (connection.prepare(CLAIMED).get(threadId) !== undefined) return { kind: "none", why: "dispatching" };
    if (rowId !== undefined) {
      const named = connection.prepare(NAMED).get(threadId, rowId) as Candidate | undefined;
      return named ?? { kind: "none", why: "unknownRow" };
    }
    const first = connection.prepare(FIRST).get(threadId) as Candidate | undefined;
    if (first === undefined) return { kind: "none", why: "empty" };
    if (connection.prepare(PAUSED).get(threadId) !== undefined) return { kind: "none", why: "paused" };
    if (first.state === "failed") return { kind: "none", why: "failedHead" };
    const notBeforeMs = first.not_before_ms;
    return notBeforeMs !== null && notBeforeMs > clock.now() ? { kind: "later", notBeforeMs } : first;
  }

  function claim({ threadId, epoch }: Fence, turnId: string, rowId?: string): ClaimOutcome {
    const chosen = choose(threadId, rowId);
    if ("kind" in chosen) return chosen;
    connection.prepare(CLAIM).run(turnId, owner, epoch, clock.now(), chosen.number);
    changes.note(threadId);
    return { kind: "claimed", row: toQueueRow(connection.prepare(TAKEN).get(chosen.number)) };
  }

  /** False if the row is not claimed under this turn. */
  function ack(fence: Fence, rowId: string, turnId: string, outcome: ClaimResult): boolean | Fenced {
    const { threadId } = fence;
    return fenced(fence, () => {
      const { sql, values } = changeOf(outcome, clock.now());
      const row = connection.prepare(sql).get(...values, threadId, rowId, turnId);
      if (row === undefined) return false;
      const { clientUserMessageId } = toQueueRow(row, {});
      if (outcome.kind === "started")
        log.add({ threadId, rowId, clientUserMessageId, turnId, preview: outcome.preview });
      changes.note(threadId);
      return true;
    });
  }

  /** The current holder's own claims are still its own to acknowledge. */
  const isAbandoned = (row: SqliteRow, { epoch }: Fence): boolean =>
    row.claim_owner !== owner || row.claim_epoch !== epoch;

  async function recover(
    fence: Fence,
    hasStarted: HasStarted,
    failure: RowFailure,
  ): ReturnType<Queue["recover"]> {
    const claimed = fenced(
      fence,
      () => connection.prepare(CLAIMED_ROWS).all(fence.threadId) as (SqliteRow & WholeRow)[],
    );
    if ("kind" in claimed) return claimed;
    const failed: string[] = [];
    for (const row of claimed.filter((each) => isAbandoned(each, fence)).map((each) => toQueueRow(each))) {
      const { rowId, turnId: claimedAs, params } = row;
      const turnId = claimedAs ?? "";
      const isStarted = await hasStarted(turnId);
      if (isStarted === "retry") {
        const retried = ack(fence, rowId, turnId, { kind: "retried" });
        if (typeof retried === "object") return retried;
        if (retried) continue;
      }
      const outcome: ClaimResult =
        isStarted === true
          ? { kind: "started", preview: queuedPreview(params) }
          : { kind: "failed", failure };
      const acknowledged = ack(fence, rowId, turnId, outcome);
      if (typeof acknowledged === "object") return acknowledged;
      if (acknowledged && isStarted !== true) failed.push(rowId);
    }
    return { kind: "recovered", failed, hasChanged: changes.has(fence.threadId) };
  }

  return {
    claim: async (fence, turnId, rowId) => fenced(fence, () => claim(fence, turnId, rowId)),
    ack: async (fence, rowId, turnId, outcome) => ack(fence, rowId, turnId, outcome),
    recover,
  };
}
