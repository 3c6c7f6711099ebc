/** Queued turns in memory: an ordered list for each thread. */
import { exceededLimit, OUTLINE_KEY, type Queue, type QueueRow, rowBytes } from "../queue.ts";
import { createMemoryClaims } from "./memory-queue-claims.ts";
import { createMemoryDue, createMemoryLog, findStarted } from "./memory-queue-log.ts";
import {
  type ChangeSource,
  copyJson,
  isVisible,
  type MemoryQueueOptions,
  type QueueMemory,
  replaceRows,
} from "./queue-memory.ts";

export function createMemoryQueue(memory: QueueMemory, options: MemoryQueueOptions): Queue {
  return {
    ...contentsOf(memory, options),
    ...orderOf(memory, options),
    ...createMemoryClaims(memory, options),
    ...createMemoryLog(memory, options),
    ...createMemoryDue(memory, options),
    threads: async () => [...memory.rows.keys()].sort(),
    async totals() {
      const rows = [...memory.rows.values()].flat().filter(isVisible);
      const failed = rows.filter(({ state }) => state === "failed").length;
      const oldestAtMs = rows.length === 0 ? null : Math.min(...rows.map(({ createdAtMs }) => createdAtMs));
      return { pending: rows.length - failed, failed, oldestAtMs };
    },
    watch(onChange) {
      const watcher = { owner: options.owner, onChange };
      memory.watchers.add(watcher);
      return () => memory.watchers.delete(watcher);
    },
  };
}

export function forgetQueue(memory: QueueMemory, source: ChangeSource, threadId: string): void {
  memory.pauses.delete(threadId);
  memory.claims.delete(threadId);
  memory.pausedAfter.delete(threadId);
  const others = memory.started.filter((row) => row.threadId !== threadId);
  memory.started.splice(0, memory.started.length, ...others);
  replaceRows(memory, source, threadId, []);
}

const bytesOf = ({ params, clientUserMessageId: key }: Pick<QueueRow, "params" | "clientUserMessageId">) =>
  rowBytes(JSON.stringify(params), key === null ? null : JSON.stringify(key));

const bytesOfAll = (rows: readonly QueueRow[]): number => rows.reduce((sum, row) => sum + bytesOf(row), 0);

function outlineOf(row: QueueRow): QueueRow {
  const key = row.clientUserMessageId;
  const isShort = key !== null && JSON.stringify(key).length <= OUTLINE_KEY;
  return { ...row, params: {}, clientUserMessageId: isShort ? key : null, isOutline: true };
}

type Contents = Pick<Queue, "add" | "list" | "find" | "update">;
type Order = Pick<Queue, "ids" | "remove" | "reorder" | "pause" | "pauseAfter" | "resume">;

/** Accessors for the rows of a thread. */
function rowsWith(memory: QueueMemory, source: ChangeSource) {
  const rowsIn = (threadId: string): readonly QueueRow[] => memory.rows.get(threadId) ?? [];
  return {
    rowsIn,
    change: (threadId: string, next: readonly QueueRow[]): void =>
      replaceRows(memory, source, threadId, next),
    visibleAt: (threadId: string, rowId: string): number =>
      rowsIn(threadId).findIndex((row) => row.rowId === rowId && isVisible(row)),
  };
}

function contentsOf(memory: QueueMemory, source: ChangeSource): Contents {
  const { pauses } = memory;
  const { rowsIn, change, visibleAt } = rowsWith(memory, source);

  return {
    async add(threadId, { rowId, clientUserMessageId, params, notBeforeMs, source: from }, limits) {
      const rows = rowsIn(threadId);
      const existing = rows.find(
        (row) => clientUserMessageId !== null && row.clientUserMessageId === clientUserMessageId,
      );
      if (existing !== undefined) return { kind: "known", row: existing };
      const { clock } = source;
      const started =
        clientUserMessageId === null ? null : findStarted(memory, clock, threadId, clientUserMessageId);
      if (started !== null) return { kind: "started", started };
      if (rows.length >= limits.maxRows) return { kind: "full", limit: "maxRows" };
      const full = exceededLimit(limits, bytesOf({ params, clientUserMessageId }), bytesOfAll(rows));
      if (full !== null) return full;
      if (rows.some((row) => row.rowId === rowId)) throw new Error(`row ${rowId} is there already`);
      const now = clock.now();
      const fresh = { state: "pending", turnId: null, failure: null } as const;
      const given = { rowId, clientUserMessageId, params: copyJson(params), notBeforeMs };
      const origin = from === undefined ? {} : { source: from };
      const row: QueueRow = { threadId, ...given, ...fresh, createdAtMs: now, updatedAtMs: now, ...origin };
      change(threadId, [...rows, row]);
      return { kind: "added", row: row };
    },
    async list(threadId, { offset, limit, maxBytes, atLeast, isOutline = false }) {
      const visible = rowsIn(threadId).filter(isVisible);
      let room = maxBytes;
      const rows: QueueRow[] = [];
      for (const row of visible.slice(offset, offset + limit)) {
        if (isOutline && bytesOf(row) > maxBytes) {
          rows.push(outlineOf(row));
          continue;
        }
        room -= bytesOf(row);
        if (room < 0 && rows.length >= atLeast) break;
        rows.push(row);
      }
      return { rows, total: visible.length, pause: pauses.get(threadId) ?? null };
    },
    async find(threadId, rowId) {
      const found = rowsIn(threadId).find((row) => isVisible(row) && (rowId === null || row.rowId === rowId));
      return found?.rowId ?? null;
    },
    async update(threadId, rowId, { params, notBeforeMs }, limits) {
      const at = visibleAt(threadId, rowId);
      const before = rowsIn(threadId)[at];
      if (before === undefined) return { kind: "unknownRow" };
      const row: QueueRow = {
        ...before,
        params: { ...before.params, ...copyJson(params) },
        notBeforeMs: notBeforeMs === undefined ? before.notBeforeMs : notBeforeMs,
        state: "pending",
        failure: null,
        updatedAtMs: source.clock.now(),
      };
      const others = bytesOfAll(rowsIn(threadId)) - bytesOf(before);
      const full = exceededLimit(limits, bytesOf(row), others);
      if (full !== null) return full;
      change(threadId, rowsIn(threadId).with(at, row));
      return { kind: "updated", row };
    },
  };
}

function orderOf(memory: QueueMemory, source: ChangeSource): Order {
  const { pauses } = memory;
  const { rowsIn, change, visibleAt } = rowsWith(memory, source);

  return {
    ids: async (threadId) =>
      rowsIn(threadId)
        .filter(isVisible)
        .map(({ rowId }) => rowId),
    async remove(threadId, rowId) {
      const at = visibleAt(threadId, rowId);
      if (at === -1) return false;
      change(threadId, rowsIn(threadId).toSpliced(at, 1));
      return true;
    },
    async reorder(threadId, rowIds) {
      const byId = new Map(
        rowsIn(threadId)
          .filter(isVisible)
          .map((row) => [row.rowId, row]),
      );
      const ordered = [...new Set(rowIds)].flatMap((rowId) => byId.get(rowId) ?? []);
      if (ordered.length !== byId.size || rowIds.length !== byId.size) return false;
      const next = ordered.values();
      change(
        threadId,
        rowsIn(threadId).map((row) => (isVisible(row) ? (next.next().value ?? row) : row)),
      );
      return true;
    },
    async pause(threadId, reason) {
      pauses.set(threadId, reason);
      change(threadId, rowsIn(threadId));
    },
    async pauseAfter(threadId, turnId, reason) {
      if (memory.pausedAfter.get(threadId) === turnId) return false;
      memory.pausedAfter.set(threadId, turnId);
      pauses.set(threadId, reason);
      change(threadId, rowsIn(threadId));
      return true;
    },
    async resume(threadId) {
      const wasPaused = pauses.delete(threadId);
      if (wasPaused) change(threadId, rowsIn(threadId));
      return wasPaused;
    },
  };
}
