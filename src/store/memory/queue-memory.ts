/** What stores in memory share of queued turns. */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Leases } from "../leases.ts";
import type { QueueRow } from "../queue.ts";
import type { StartedRow } from "../queue-log.ts";

interface Watcher {
  readonly owner: string;
  readonly onChange: (threadId: string) => void;
}

/** With its key as it is kept. */
export interface LoggedRow extends Omit<StartedRow, "clientUserMessageId"> {
  readonly mark: string | null;
}

export interface QueueMemory {
  readonly rows: Map<string, readonly QueueRow[]>;
  readonly pauses: Map<string, string>;
  /** The last turn after which the queue of a thread was paused. */
  readonly pausedAfter: Map<string, string>;
  /** The epoch of the fence that a row of a thread is claimed under. */
  readonly claims: Map<string, number>;
  /** Threads whose queues have changed. */
  readonly changed: Set<string>;
  readonly watchers: Set<Watcher>;
  /** Rows that have started, the oldest first. */
  readonly started: LoggedRow[];
  /** When each store said last that it attends to queues. */
  readonly attendants: Map<string, number>;
}

export const emptyQueueMemory = (): QueueMemory => ({
  rows: new Map(),
  pauses: new Map(),
  pausedAfter: new Map(),
  claims: new Map(),
  changed: new Set(),
  watchers: new Set(),
  started: [],
  attendants: new Map(),
});

export interface Changing {
  readonly clock: Clock;
  readonly owner: string;
}

export interface MemoryQueueOptions extends Changing {
  readonly leases: Pick<Leases, "confirm">;
}

/** Others hear of it when it is done. */
export function put(
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

export const isVisible = (row: QueueRow): boolean => row.state !== "dispatching";

/** As JSON would bring it back: what the caller does to it later changes nothing. */
export const kept = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
