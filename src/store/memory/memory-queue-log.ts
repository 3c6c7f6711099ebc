/** The log of started rows, and due queues, in memory. */
import type { Clock } from "../../base/clock.ts";
import { ATTENDED_MS, type Queue, type QueueRow } from "../queue.ts";
import {
  clipEnd,
  decodeClientKey,
  encodeClientKey,
  MAX_STARTED,
  type QueueLog,
  STARTED_AGE_MS,
  type StartedRow,
} from "../queue-log.ts";
import { fencedBy } from "./memory-leases.ts";
import { isVisible, type LoggedRow, type MemoryQueueOptions, type QueueMemory } from "./queue-memory.ts";

export function createMemoryLog(
  memory: QueueMemory,
  { leases, clock }: Pick<MemoryQueueOptions, "leases" | "clock">,
): QueueLog {
  return {
    startedBy: async (threadId, key) => findStarted(memory, clock, threadId, key),
    started: async ({ threadId, isOpen, limit }) =>
      memory.started
        .filter(
          (row) =>
            isRetained(row, clock) &&
            (threadId === undefined || row.threadId === threadId) &&
            (isOpen !== true || row.end === null),
        )
        .toReversed()
        .slice(0, limit)
        .map(toStartedRow),
    recordEnd: (fence, turnId, end) =>
      fencedBy(leases, fence, (): boolean => {
        const isMatch = (row: LoggedRow) =>
          row.threadId === fence.threadId && row.turnId === turnId && row.end === null;
        const at = memory.started.findIndex(isMatch);
        const row = memory.started[at];
        if (row === undefined) return false;
        memory.started[at] = { ...row, end: clipEnd(end) };
        return true;
      }),
  };
}

const isRetained = ({ startedAtMs }: LoggedRow, clock: Clock): boolean =>
  startedAtMs > clock.now() - STARTED_AGE_MS;

function toStartedRow({ encodedKey, ...row }: LoggedRow): StartedRow {
  return { ...row, clientUserMessageId: decodeClientKey(encodedKey) };
}

export function findStarted(
  memory: QueueMemory,
  clock: Clock,
  threadId: string,
  key: string,
): StartedRow | null {
  const encodedKey = encodeClientKey(key);
  const found = memory.started.findLast(
    (row) => row.threadId === threadId && row.encodedKey === encodedKey && isRetained(row, clock),
  );
  return found === undefined ? null : toStartedRow(found);
}

export function logStarted(memory: QueueMemory, clock: Clock, row: QueueRow, preview: string): void {
  const { threadId, rowId, turnId, clientUserMessageId: key } = row;
  const encodedKey = key === null ? null : encodeClientKey(key);
  memory.started.push({
    threadId,
    rowId,
    turnId: turnId ?? "",
    encodedKey,
    preview,
    startedAtMs: clock.now(),
    end: null,
  });
  if (memory.started.length > MAX_STARTED) memory.started.shift();
}

export function createMemoryDue(
  memory: QueueMemory,
  { clock, owner }: Pick<MemoryQueueOptions, "clock" | "owner">,
): Pick<Queue, "due" | "attend" | "leave" | "isAttended"> {
  /** When the queue of a thread can continue; null if only a user can unblock it. */
  function dueAt(threadId: string, rows: readonly QueueRow[]): number | null {
    if (!rows.every(isVisible)) return 0;
    const [first] = rows;
    if (first?.state !== "pending" || memory.pauses.has(threadId)) return null;
    return first.notBeforeMs ?? 0;
  }

  return {
    async due() {
      const now = clock.now();
      const all = [...memory.rows].flatMap(([threadId, rows]) => {
        const at = dueAt(threadId, rows);
        return at === null ? [] : [{ threadId, at }];
      });
      const due = all
        .filter(({ at }) => at <= now)
        .sort((a, b) => a.at - b.at || (a.threadId < b.threadId ? -1 : 1));
      const later = all.filter(({ at }) => at > now).map(({ at }) => at);
      return {
        threadIds: due.map(({ threadId }) => threadId),
        nextAtMs: later.length === 0 ? null : Math.min(...later),
      };
    },
    attend: async () => void memory.attendants.set(owner, clock.now()),
    leave: async () => void memory.attendants.delete(owner),
    isAttended: async () =>
      [...memory.attendants.values()].some((seenAt) => Math.abs(clock.now() - seenAt) < ATTENDED_MS),
  };
}
