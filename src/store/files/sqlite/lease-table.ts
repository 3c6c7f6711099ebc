// Leases in the table `leases`. SQLite's clock decides when a lease has expired, for all processes.

import type { Clock } from "../../../base/clock.ts";
import type { WriterFence } from "../../leases.ts";
import { LEASE_MS, type LeaseTable } from "../index/history-index.ts";
import { createCommitCache } from "./commit-cache.ts";
import type { Connection } from "./connection.ts";

const NOW_MS = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** The owner of a released lease. */
const NO_OWNER = "";

const HOLDER = `SELECT owner FROM leases WHERE thread_id = ? AND owner <> '${NO_OWNER}' AND expires_at_ms > ${NOW_MS}`;
const MARK = "SELECT owner, epoch FROM leases WHERE thread_id = ?";
const TAKE = `
  INSERT INTO leases (thread_id, owner, expires_at_ms, epoch) VALUES (?, ?, ${NOW_MS} + ${LEASE_MS}, 1)
  ON CONFLICT (thread_id) DO UPDATE SET
    owner = excluded.owner, expires_at_ms = excluded.expires_at_ms, epoch = epoch + 1
  RETURNING epoch`;
const RENEW = `UPDATE leases SET expires_at_ms = ${NOW_MS} + ${LEASE_MS} WHERE owner = ? RETURNING thread_id`;
const RELEASE = `
  UPDATE leases SET owner = '${NO_OWNER}', expires_at_ms = 0 WHERE thread_id = ? AND owner = ? AND epoch = ?`;
const HOLDS = "SELECT 1 FROM leases WHERE thread_id = ? AND owner = ? AND epoch = ?";

/** Runs the work in one transaction with the lease check; `fenced` if the lease is not held. */
export type FencedWrite = <T>(source: WriterFence, work: () => T) => T | { readonly kind: "fenced" };

export function createFencedWrite(
  connection: Pick<Connection, "prepare" | "write">,
  owner: string,
): FencedWrite {
  return (source, work) =>
    connection.write(() => {
      const isOurs =
        "ephemeral" in source ||
        connection.prepare(HOLDS).get(source.threadId, owner, source.epoch) !== undefined;
      return isOurs ? work() : { kind: "fenced" };
    });
}

type Mark = { readonly owner: string; readonly epoch: number } | undefined;

export function createLeaseTable(connection: Connection, clock: Clock): LeaseTable {
  const ownerOf = (threadId: string): string | null =>
    (connection.prepare(HOLDER).get(threadId) as { owner: string } | undefined)?.owner ?? null;
  const markOf = (threadId: string): Mark => connection.prepare(MARK).get(threadId) as Mark;
  const marks = createCommitCache<Mark>(connection, clock);

  return {
    async acquireLease({ threadId, owner, ignoring = [] }) {
      return connection.write(() => {
        const other = ownerOf(threadId);
        if (other !== null && other !== owner && !ignoring.includes(other))
          return { kind: "elsewhere", owner: other };
        marks.clear();
        const { epoch } = connection.prepare(TAKE).get(threadId, owner) as { epoch: number };
        return { kind: "held", epoch };
      });
    },
    leaseOwner: async (threadId) => ownerOf(threadId),
    leaseMark: async (threadId) => markOf(threadId) ?? null,
    isMarked({ threadId, epoch }, owner) {
      try {
        const mark = marks.get(threadId, () => markOf(threadId));
        return mark?.owner === owner && mark.epoch === epoch;
      } catch {
        // The asynchronous check waits for a lock, or replaces a damaged file.
        return false;
      }
    },
    renewLeases: async (owner) =>
      connection
        .prepare(RENEW)
        .all(owner)
        .map((row) => (row as { thread_id: string }).thread_id),
    async releaseLease(threadId, owner, epoch) {
      marks.clear();
      connection.prepare(RELEASE).run(threadId, owner, epoch);
    },
  };
}
