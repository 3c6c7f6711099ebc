/** Claims of queued turns, which are made and acknowledged only under the lease of the thread. */
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
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { FencedTransaction } from "../leases/fenced.ts";
import type { PostgresQueueLog } from "./queue-log.ts";
import { type LockedQueue, type QueueWriter, VISIBLE_ROWS } from "./queue-writer.ts";

const CLAIMED = "SELECT * FROM queue_row WHERE thread_id = $1 AND state = 'dispatching'";
const CANDIDATE = "SELECT row_id, state, not_before_ms FROM queue_row";
const FIRST = `${CANDIDATE} WHERE ${VISIBLE_ROWS} ORDER BY position LIMIT 1`;
const NAMED = `${CANDIDATE} WHERE ${VISIBLE_ROWS} AND row_id = $2`;
const CLAIM = `
  UPDATE queue_row SET state = 'dispatching', turn_id = $3, claim_epoch = $4, failure = NULL, updated_at_ms = $5
  WHERE thread_id = $1 AND row_id = $2 RETURNING *`;
const OF_CLAIM = "thread_id = $1 AND row_id = $2 AND turn_id = $3 AND state = 'dispatching' RETURNING *";
const STARTED = `DELETE FROM queue_row WHERE ${OF_CLAIM}`;
const FAILED = `
  UPDATE queue_row SET state = 'failed', turn_id = NULL, claim_epoch = NULL, failure = $5, updated_at_ms = $4
  WHERE ${OF_CLAIM}`;
const RETRIED = `
  UPDATE queue_row SET state = 'pending', turn_id = NULL, claim_epoch = NULL, crashes = crashes + 1, updated_at_ms = $4
  WHERE crashes < ${MAX_CRASH_RETRIES} AND ${OF_CLAIM}`;
const HAS_CHANGED = "SELECT 1 FROM queue_change WHERE thread_id = $1 LIMIT 1";

type Candidate = Pick<WholeRow, "row_id" | "state" | "not_before_ms">;

export interface PostgresClaimsOptions {
  readonly database: PostgresDatabase;
  readonly writer: QueueWriter;
  readonly log: Pick<PostgresQueueLog, "add">;
  readonly fenced: FencedTransaction;
  readonly announce: () => void;
}

export interface QueueClaims extends Pick<Queue, "claim" | "ack" | "recover"> {
  /** Moves a claimed row to the log, within a transaction of the caller. False if the row is not claimed. */
  start(statements: Statements, threadId: string, claim: StartedClaim): Promise<boolean>;
}

export interface StartedClaim {
  readonly rowId: string;
  readonly turnId: string;
  readonly preview: string;
}

export function createPostgresClaims(options: PostgresClaimsOptions): QueueClaims {
  const { database, writer, fenced, announce } = options;

  const lockAndWrite = async <T>(
    fence: Fence,
    work: (queue: LockedQueue) => Promise<T>,
  ): Promise<T | Fenced> => {
    const result = await fenced(fence, async (statements) =>
      work(await writer.lock(statements, fence.threadId)),
    );
    announce();
    return result;
  };

  /** False if the row is not claimed under this turn. */
  const ack = (
    fence: Fence,
    rowId: string,
    turnId: string,
    outcome: ClaimResult,
  ): Promise<boolean | Fenced> =>
    lockAndWrite(fence, (queue) => acknowledge(options, queue, { rowId, turnId }, outcome));

  async function recover(
    fence: Fence,
    hasStarted: HasStarted,
    failure: RowFailure,
  ): ReturnType<Queue["recover"]> {
    const { threadId, epoch } = fence;
    const claimed = await fenced(fence, ({ query }) => query<WholeRow>(CLAIMED, threadId));
    if ("kind" in claimed) return claimed;
    const failed: string[] = [];
    // The current holder's own claims are still its own to acknowledge.
    for (const row of claimed.filter((each) => each.claim_epoch !== epoch).map((each) => toQueueRow(each))) {
      const { rowId, params } = row;
      const turnId = row.turnId ?? "";
      const isStarted = await hasStarted(turnId);
      if (isStarted === "retry") {
        const retried = await ack(fence, rowId, turnId, { kind: "retried" });
        if (typeof retried === "object") return retried;
        if (retried) continue;
      }
      const outcome: ClaimResult =
        isStarted === true
          ? { kind: "started", preview: queuedPreview(params) }
          : { kind: "failed", failure };
      const acknowledged = await ack(fence, rowId, turnId, outcome);
      if (typeof acknowledged === "object") return acknowledged;
      if (acknowledged && isStarted !== true) failed.push(rowId);
    }
    const hasChanged = (await database.query(HAS_CHANGED, threadId)).length > 0;
    return { kind: "recovered", failed, hasChanged };
  }

  return {
    claim: (fence, turnId, rowId) =>
      lockAndWrite(fence, async (queue): Promise<ClaimOutcome> => {
        const now = database.time.now();
        const chosen = await choose(queue, rowId, now);
        if ("kind" in chosen) return chosen;
        const values = [fence.threadId, chosen.row_id, turnId, fence.epoch, now];
        const [claimed] = await queue.query<WholeRow>(CLAIM, ...values);
        await queue.note();
        return { kind: "claimed", row: toQueueRow(claimed) };
      }),
    ack,
    recover,
    start: async (statements, threadId, { preview, ...claim }) =>
      acknowledge(options, await writer.lock(statements, threadId), claim, { kind: "started", preview }),
  };
}

/** The row to claim, or the reason why there is none. */
async function choose(
  { query, threadId, pause }: LockedQueue,
  rowId: string | undefined,
  now: number,
): Promise<Candidate | ClaimOutcome> {
  if ((await query(CLAIMED, threadId)).length > 0) return { kind: "none", why: "dispatching" };
  if (rowId !== undefined)
    return (await query<Candidate>(NAMED, threadId, rowId))[0] ?? { kind: "none", why: "unknownRow" };
  const [first] = await query<Candidate>(FIRST, threadId);
  if (first === undefined) return { kind: "none", why: "empty" };
  if (pause !== null) return { kind: "none", why: "paused" };
  if (first.state === "failed") return { kind: "none", why: "failedHead" };
  const notBeforeMs = first.not_before_ms;
  return notBeforeMs !== null && notBeforeMs > now ? { kind: "later", notBeforeMs } : first;
}

async function acknowledge(
  { database, log }: Pick<PostgresClaimsOptions, "database" | "log">,
  queue: LockedQueue,
  { rowId, turnId }: Omit<StartedClaim, "preview">,
  outcome: ClaimResult,
): Promise<boolean> {
  const { query, threadId } = queue;
  const [sql, ...values] = changeOf(outcome, database.time.now());
  const [row] = await query<WholeRow>(sql, threadId, rowId, turnId, ...values);
  if (row === undefined) return false;
  const { clientUserMessageId } = toQueueRow(row);
  if (outcome.kind === "started")
    await log.add(queue, { threadId, rowId, clientUserMessageId, turnId, preview: outcome.preview });
  await queue.note();
  return true;
}

function changeOf(
  outcome: ClaimResult,
  nowMs: number,
): readonly [sql: string, ...values: (string | number)[]] {
  if (outcome.kind === "started") return [STARTED];
  if (outcome.kind === "retried") return [RETRIED, nowMs];
  return [FAILED, nowMs, JSON.stringify(outcome.failure)];
}
