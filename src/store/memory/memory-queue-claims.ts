/** Claims of queued turns in memory. */
import type { Fence } from "../leases.ts";
import {
  type ClaimOutcome,
  type ClaimResult,
  MAX_CRASH_RETRIES,
  type Queue,
  type QueueRow,
} from "../queue.ts";
import { queuedPreview, type StartedRow } from "../queue-log.ts";
import { fencedBy } from "./memory-leases.ts";
import { logStarted } from "./memory-queue-log.ts";
import {
  type ChangeSource,
  copyJson,
  isVisible,
  type MemoryQueueOptions,
  type QueueMemory,
  replaceRows,
} from "./queue-memory.ts";

/** Moves a claimed row whose turn has started to the log. False if the row is not claimed. */
export function startClaimed(
  memory: QueueMemory,
  source: ChangeSource,
  { threadId, rowId, turnId, preview }: Pick<StartedRow, "threadId" | "rowId" | "turnId" | "preview">,
): boolean {
  const rows = memory.rows.get(threadId) ?? [];
  const row = rows.find((each) => each.rowId === rowId && each.turnId === turnId);
  if (row === undefined) return false;
  memory.claims.delete(threadId);
  memory.crashes.delete(rowId);
  logStarted(memory, source.clock, row, preview);
  replaceRows(
    memory,
    source,
    threadId,
    rows.filter((each) => each !== row),
  );
  return true;
}

/** Null for a row that has returned to its place too often. */
function endOfClaim(
  { crashes }: QueueMemory,
  rowId: string,
  outcome: Exclude<ClaimResult, { kind: "started" }>,
): Pick<QueueRow, "state" | "failure"> | null {
  if (outcome.kind === "failed") return { state: "failed", failure: copyJson(outcome.failure) };
  const count = crashes.get(rowId) ?? 0;
  if (count >= MAX_CRASH_RETRIES) return null;
  crashes.set(rowId, count + 1);
  return { state: "pending", failure: null };
}

type Claims = Pick<Queue, "claim" | "ack" | "recover">;

export function createMemoryClaims(memory: QueueMemory, { leases, ...source }: MemoryQueueOptions): Claims {
  const { clock } = source;
  const rowsIn = (threadId: string): readonly QueueRow[] => memory.rows.get(threadId) ?? [];

  /** The row to claim, or the reason why there is none. */
  function choose(threadId: string, rowId: string | undefined): QueueRow | ClaimOutcome {
    const rows = rowsIn(threadId);
    if (!rows.every(isVisible)) return { kind: "none", why: "dispatching" };
    if (rowId !== undefined)
      return rows.find((row) => row.rowId === rowId) ?? { kind: "none", why: "unknownRow" };
    const [first] = rows;
    if (first === undefined) return { kind: "none", why: "empty" };
    if (memory.pauses.has(threadId)) return { kind: "none", why: "paused" };
    if (first.state === "failed") return { kind: "none", why: "failedHead" };
    const { notBeforeMs } = first;
    return notBeforeMs !== null && notBeforeMs > clock.now() ? { kind: "later", notBeforeMs } : first;
  }

  function replace(before: QueueRow, after: QueueRow): QueueRow {
    const { threadId } = before;
    replaceRows(
      memory,
      source,
      threadId,
      rowsIn(threadId).map((row) => (row === before ? after : row)),
    );
    return after;
  }

  /** False if the row is not claimed under this turn. */
  function ack(fence: Fence, rowId: string, turnId: string, outcome: ClaimResult) {
    return fencedBy(leases, fence, (): boolean => {
      const { threadId } = fence;
      if (outcome.kind === "started")
        return startClaimed(memory, source, { threadId, rowId, turnId, preview: outcome.preview });
      const row = rowsIn(threadId).find((each) => each.rowId === rowId && each.turnId === turnId);
      if (row === undefined) return false;
      const change = endOfClaim(memory, rowId, outcome);
      if (change === null) return false;
      memory.claims.delete(threadId);
      replace(row, { ...row, ...change, turnId: null, updatedAtMs: clock.now() });
      return true;
    });
  }

  return {
    claim: (fence, turnId, rowId) =>
      fencedBy(leases, fence, (): ClaimOutcome => {
        const row = choose(fence.threadId, rowId);
        if ("kind" in row) return row;
        memory.claims.set(fence.threadId, fence.epoch);
        const claim = { state: "dispatching", turnId, failure: null, updatedAtMs: clock.now() } as const;
        return { kind: "claimed", row: replace(row, { ...row, ...claim }) };
      }),
    ack,
    async recover(fence, hasStarted, failure) {
      const claimed = await fencedBy(leases, fence, () =>
        // The current holder's own claims are still its own to acknowledge.
        memory.claims.get(fence.threadId) === fence.epoch
          ? []
          : rowsIn(fence.threadId).filter((row) => !isVisible(row)),
      );
      if ("kind" in claimed) return claimed;
      const failed: string[] = [];
      for (const { rowId, turnId, params } of claimed) {
        const isStarted = await hasStarted(turnId ?? "");
        if (isStarted === "retry") {
          const retried = await ack(fence, rowId, turnId ?? "", { kind: "retried" });
          if (typeof retried === "object") return retried;
          if (retried) continue;
        }
        const outcome: ClaimResult =
          isStarted === true
            ? { kind: "started", preview: queuedPreview(params) }
            : { kind: "failed", failure };
        const acked = await ack(fence, rowId, turnId ?? "", outcome);
        if (typeof acked === "object") return acked;
        if (acked && isStarted !== true) failed.push(rowId);
      }
      return { kind: "recovered", failed, hasChanged: memory.changed.has(fence.threadId) };
    },
  };
}
