/** Queued turns in memory: those of a thread in a list, in their order. */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Fence, Leases } from "../leases.ts";
import type { ClaimOutcome, Queue, QueueRow } from "../queue.ts";
import { beyond, rowBytes } from "../queue-bytes.ts";
import { fencedBy } from "./memory-leases.ts";

interface Watcher {
  readonly owner: string;
  readonly onChange: (threadId: string) => void;
}

export interface QueueMemory {
  readonly rows: Map<string, readonly QueueRow[]>;
  readonly pauses: Map<string, string>;
  /** The epoch of the fence that a row of a thread is claimed under. */
  readonly claims: Map<string, number>;
  /** Threads whose queues have changed. */
  readonly changed: Set<string>;
  readonly watchers: Set<Watcher>;
}

interface Changing {
  readonly clock: Clock;
  readonly owner: string;
}

export interface MemoryQueueOptions extends Changing {
  readonly leases: Pick<Leases, "confirm">;
}

export function createMemoryQueue(memory: QueueMemory, options: MemoryQueueOptions): Queue {
  return {
    ...rowsOf(memory, options),
    ...claimsOf(memory, options),
    forget: async (threadId) => forgetQueue(memory, options, threadId),
    threads: async () => [...memory.rows.keys()].sort(),
    watch(onChange) {
      const watcher = { owner: options.owner, onChange };
      memory.watchers.add(watcher);
      return () => memory.watchers.delete(watcher);
    },
  };
}

export function forgetQueue(memory: QueueMemory, changing: Changing, threadId: string): void {
  memory.pauses.delete(threadId);
  memory.claims.delete(threadId);
  put(memory, changing, threadId, []);
}

/** Others hear of it when it is done. */
function put(
  { rows, changed, watchers }: QueueMemory,
  changing: Changing,
  threadId: string,
  next: readonly QueueRow[],
): void {
  changed.add(threadId);
  if (next.length === 0) rows.delete(threadId);
  else rows.set(threadId, next);
  for (const watcher of watchers) {
    const tell = (): void => {
      if (watchers.has(watcher)) watcher.onChange(threadId);
    };
    if (watcher.owner !== changing.owner) changing.clock.after(0, tell, { keepsAlive: false });
  }
}

const isVisible = (row: QueueRow): boolean => row.state !== "dispatching";

/** As JSON would bring it back: what the caller does to it later changes nothing. */
const kept = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

const bytesOf = ({ params, clientUserMessageId: key }: Pick<QueueRow, "params" | "clientUserMessageId">) =>
  rowBytes(JSON.stringify(params), key === null ? null : JSON.stringify(key));

const bytesOfAll = (rows: readonly QueueRow[]): number => rows.reduce((sum, row) => sum + bytesOf(row), 0);

type Rows = Pick<
  Queue,
  "add" | "list" | "find" | "ids" | "update" | "remove" | "reorder" | "pause" | "resume"
>;

function rowsOf(memory: QueueMemory, changing: Changing): Rows {
  const { pauses } = memory;
  const rowsIn = (threadId: string): readonly QueueRow[] => memory.rows.get(threadId) ?? [];
  const change = (threadId: string, next: readonly QueueRow[]): void => put(memory, changing, threadId, next);
  const visibleAt = (threadId: string, rowId: string): number =>
    rowsIn(threadId).findIndex((row) => row.rowId === rowId && isVisible(row));

  return {
    async add(threadId, { rowId, clientUserMessageId, params, notBeforeMs }, limits) {
      const rows = rowsIn(threadId);
      const known = rows.find(
        (row) => clientUserMessageId !== null && row.clientUserMessageId === clientUserMessageId,
      );
      if (known !== undefined) return { kind: "known", row: known };
      if (rows.length >= limits.maxRows) return { kind: "full", limit: "maxRows" };
      const full = beyond(limits, bytesOf({ params, clientUserMessageId }), bytesOfAll(rows));
      if (full !== null) return full;
      if (rows.some((row) => row.rowId === rowId)) throw new Error(`row ${rowId} is there already`);
      const now = changing.clock.now();
      const fresh = { state: "pending", turnId: null, failure: null } as const;
      const given = { rowId, clientUserMessageId, params: kept(params), notBeforeMs };
      const row: QueueRow = { threadId, ...given, ...fresh, createdAtMs: now, updatedAtMs: now };
      change(threadId, [...rows, row]);
      return { kind: "added", row: row };
    },
    async list(threadId, { offset, limit, maxBytes, atLeast }) {
      const visible = rowsIn(threadId).filter(isVisible);
      let room = maxBytes;
      const rows: QueueRow[] = [];
      for (const row of visible.slice(offset, offset + limit)) {
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
    ids: async (threadId) =>
      rowsIn(threadId)
        .filter(isVisible)
        .map(({ rowId }) => rowId),
    async update(threadId, rowId, { params, notBeforeMs }, limits) {
      const at = visibleAt(threadId, rowId);
      const before = rowsIn(threadId)[at];
      if (before === undefined) return { kind: "unknownRow" };
      const row: QueueRow = {
        ...before,
        params: { ...before.params, ...kept(params) },
        notBeforeMs: notBeforeMs === undefined ? before.notBeforeMs : notBeforeMs,
        state: "pending",
        failure: null,
        updatedAtMs: changing.clock.now(),
      };
      const others = bytesOfAll(rowsIn(threadId)) - bytesOf(before);
      const full = beyond(limits, bytesOf(row), others);
      if (full !== null) return full;
      change(threadId, rowsIn(threadId).with(at, row));
      return { kind: "updated", row };
    },
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
      const wanted = [...new Set(rowIds)].flatMap((rowId) => byId.get(rowId) ?? []);
      if (wanted.length !== byId.size || rowIds.length !== byId.size) return false;
      const next = wanted.values();
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
    async resume(threadId) {
      const wasPaused = pauses.delete(threadId);
      if (wasPaused) change(threadId, rowsIn(threadId));
      return wasPaused;
    },
  };
}

type Claims = Pick<Queue, "claim" | "settle" | "recover">;
type Settling = Parameters<Queue["settle"]>[3];

function claimsOf(memory: QueueMemory, { leases, ...changing }: MemoryQueueOptions): Claims {
  const { clock } = changing;
  const rowsIn = (threadId: string): readonly QueueRow[] => memory.rows.get(threadId) ?? [];

  /** The row that a claim takes, or why there is none. */
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
    put(
      memory,
      changing,
      threadId,
      rowsIn(threadId).map((row) => (row === before ? after : row)),
    );
    return after;
  }

  /** False where it is not claimed under this turn. */
  function settle(fence: Fence, rowId: string, turnId: string, outcome: Settling) {
    return fencedBy(leases, fence, (): boolean => {
      const rows = rowsIn(fence.threadId);
      const row = rows.find((each) => each.rowId === rowId && each.turnId === turnId);
      if (row === undefined) return false;
      memory.claims.delete(fence.threadId);
      const failed = { state: "failed", turnId: null, updatedAtMs: clock.now() } as const;
      if (outcome.kind === "failed") replace(row, { ...row, ...failed, failure: kept(outcome.failure) });
      else
        put(
          memory,
          changing,
          fence.threadId,
          rows.filter((each) => each !== row),
        );
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
    settle,
    async recover(fence, hasStarted, failure) {
      const claimed = await fencedBy(leases, fence, () =>
        // What this holder has claimed itself is still its own to settle.
        memory.claims.get(fence.threadId) === fence.epoch
          ? []
          : rowsIn(fence.threadId).filter((row) => !isVisible(row)),
      );
      if ("kind" in claimed) return claimed;
      const failed: string[] = [];
      for (const { rowId, turnId } of claimed) {
        const isStarted = await hasStarted(turnId ?? "");
        const outcome: Settling = isStarted ? { kind: "started" } : { kind: "failed", failure };
        const settled = await settle(fence, rowId, turnId ?? "", outcome);
        if (typeof settled === "object") return settled;
        if (settled && !isStarted) failed.push(rowId);
      }
      return { kind: "recovered", failed, hasChanged: memory.changed.has(fence.threadId) };
    },
  };
}
