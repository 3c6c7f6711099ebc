/**
 * Leases on threads, in the row of each thread's head. Safety rests on the epoch alone, which every write compares. The
 * rows of processes only say when others may try to acquire.
 */

import { messageOf } from "../../../base/errors.ts";
import type { Fence, LeaseOutcome, Leases, Membership, NodeInfo } from "../../leases.ts";
import type { LinePosition } from "../../line-position.ts";
import { NOW_MS } from "../connection/store-time.ts";
import { createNodeRow, type NodeRow, type NodeRowOptions } from "./node-row.ts";

/** Whether the owner of a head lives; `head` is the alias of its table. */
export const OWNER_LIVES = `EXISTS (
  SELECT 1 FROM node WHERE node.node_id = head.owner AND node.expires_at_ms > ${NOW_MS})`;

const ACQUIRE = `
  WITH holder AS (
    SELECT node.info FROM head JOIN node ON node.node_id = head.owner
    WHERE head.thread_id = $1 AND head.owner <> $2 AND node.expires_at_ms > ${NOW_MS}
  ), taken AS (
    INSERT INTO head (thread_id, owner, epoch) VALUES ($1, $2, 1)
    ON CONFLICT (thread_id) DO UPDATE SET owner = excluded.owner, epoch = head.epoch + 1
    WHERE $3::boolean OR head.owner IS NULL OR head.owner = $2 OR NOT ${OWNER_LIVES}
    RETURNING epoch, generation, next_seq
  )
  SELECT taken.epoch, taken.generation, taken.next_seq AS seq, (SELECT info FROM holder) AS holder
  FROM (SELECT 1) AS one LEFT JOIN taken ON true`;
const READ = "SELECT owner, epoch, generation, next_seq AS seq FROM head WHERE thread_id = $1";
const TAKE_BACK = `
  UPDATE head SET owner = $2, epoch = epoch + 1
  WHERE thread_id = $1 AND epoch = $3 AND generation = $4 AND next_seq = $5 AND (owner IS NULL OR NOT ${OWNER_LIVES})
  RETURNING epoch`;
const RELEASE = "UPDATE head SET owner = NULL WHERE thread_id = $1 AND owner = $2 AND epoch = $3";
const RELEASE_ALL = "UPDATE head SET owner = NULL WHERE owner = $1";
const HELD = `SELECT 1 FROM head WHERE thread_id = $1 AND owner IS NOT NULL AND ${OWNER_LIVES}`;

interface Head {
  readonly owner: string | null;
  readonly epoch: number;
  readonly generation: number;
  readonly seq: number;
}

export interface PostgresLeases extends Leases {
  /** Resolves once other processes see this one. */
  joined(): Promise<void>;
  /** The fence that this process holds for a thread. */
  fence(threadId: string): Fence | null;
  /** As `acquire`, with the position of the thread's next line. */
  acquireHead(threadId: string, how: "ifFree" | "takeOver"): Promise<HeldHead>;
  /** Marks a thread as open until its release, with the position after its last line. */
  watch(threadId: string, next: () => LinePosition): void;
  close(): Promise<void>;
}

export type HeldHead =
  | (Extract<LeaseOutcome, { kind: "held" }> & { readonly position: LinePosition })
  | Extract<LeaseOutcome, { kind: "elsewhere" }>;

export function createPostgresLeases(options: NodeRowOptions): PostgresLeases {
  const { database, log } = options;
  const held = new Map<string, number>();
  const watched = new Map<string, () => LinePosition>();
  let row: NodeRow | null = null;
  const me = (): string => row?.node.id ?? "";

  function hold(threadId: string, epoch: number): Fence {
    held.set(threadId, epoch);
    return { threadId, epoch };
  }

  /** False if it fails: the lease then ends with the row of this process. */
  async function released(sql: string, ...values: readonly (string | number)[]): Promise<boolean> {
    try {
      await database.query(sql, ...values);
      return true;
    } catch (error) {
      log.warn("a lease could not be released", { reason: messageOf(error) });
      return false;
    }
  }

  async function acquireHead(threadId: string, how: "ifFree" | "takeOver"): Promise<HeldHead> {
    await row?.joined;
    const [found] = await database.query<AcquiredRow>(ACQUIRE, threadId, me(), how === "takeOver");
    const holder = typeof found?.holder === "string" ? (JSON.parse(found.holder) as NodeInfo) : null;
    if (found === undefined || found.epoch === null) return { kind: "elsewhere", node: holder };
    const { epoch, generation, seq } = found;
    return { kind: "held", fence: hold(threadId, epoch), takenFrom: holder, position: { generation, seq } };
  }

  /** Another process may have held an open thread and released it without a line. */
  async function takeBack(threadId: string, { epoch, generation, seq }: Head): Promise<Fence | null> {
    const next = watched.get(threadId)?.();
    if (next === undefined || next.generation !== generation || next.seq !== seq) return null;
    const values = [threadId, me(), epoch, generation, seq];
    const [taken] = await database.query<Pick<Head, "epoch">>(TAKE_BACK, ...values);
    return taken === undefined ? null : hold(threadId, taken.epoch);
  }

  return {
    join(node): Membership {
      row = createNodeRow(node, options);
      // The acquisition of a lease reports the error.
      row.joined.catch(() => {});
      return row;
    },
    joined: async () => row?.joined,
    acquireHead,
    async acquire(threadId, how): Promise<LeaseOutcome> {
      const { position: _position, ...outcome } = { position: null, ...(await acquireHead(threadId, how)) };
      return outcome;
    },
    async confirm(fence) {
      const { threadId, epoch } = fence;
      const [head] = await database.query<Head>(READ, threadId);
      if (head === undefined) return null;
      if (head.owner === me() && head.epoch === epoch) return fence;
      return held.get(threadId) === epoch ? takeBack(threadId, head) : null;
    },
    async release({ threadId, epoch }) {
      if (held.get(threadId) !== epoch) return;
      held.delete(threadId);
      watched.delete(threadId);
      await released(RELEASE, threadId, me(), epoch);
    },
    isHeld: async (threadId) => (await database.query(HELD, threadId)).length > 0,
    fence(threadId) {
      const epoch = held.get(threadId);
      return epoch === undefined ? null : { threadId, epoch };
    },
    watch: (threadId, next) => void watched.set(threadId, next),
    async close() {
      held.clear();
      if (await released(RELEASE_ALL, me())) await row?.leave();
    },
  };
}

interface AcquiredRow {
  readonly epoch: number | null;
  readonly generation: number;
  readonly seq: number;
  readonly holder: string | null;
}
