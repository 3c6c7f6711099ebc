/** The queue state that stores in memory share. */
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Leases } from "../leases.ts";
import type { QueueRow } from "../queue.ts";
import type { StartedRow } from "../queue-log.ts";

interface Watcher {
  readonly owner: string;
  readonly onChange: (threadId: string) => void;
}

/** A started row with its encoded client key. */
export interface LoggedRow extends Omit<StartedRow, "clientUserMessageId"> {
  readonly encodedKey: string | null;
}

export interface QueueMemory {
  readonly rows: Map<string, readonly QueueRow[]>;
  readonly pauses: Map<string, string>;
  /** The last turn after which the queue of a thread was paused. */
  readonly pausedAfter: Map<string, string>;
  /** The epoch of the fence under which a row of a thread is claimed. */
  readonly claims: Map<string, number>;
  /** How often a row has returned to its place after a crash, by row. */
  readonly crashes: Map<string, number>;
  /** Threads whose queues have changed. */
  readonly changed: Set<string>;
  readonly watchers: Set<Watcher>;
  /** Started rows, oldest first. */
  readonly started: LoggedRow[];
  /** When each store last announced that it attends to queues. */
  readonly attendants: Map<string, number>;
}

export const emptyQueueMemory = (): QueueMemory => ({
  rows: new Map(),
  pauses: new Map(),
  pausedAfter: new Map(),
  claims: new Map(),
  crashes: new Map(),
  changed: new Set(),
  watchers: new Set(),
  started: [],
  attendants: new Map(),
});

export interface ChangeSource {
  readonly clock: Clock;
  readonly owner: string;
}

export interface MemoryQueueOptions extends ChangeSource {
  readonly leases: Pick<Leases, "confirm">;
}

/** Replaces the rows of a thread and notifies the watchers of other stores asynchronously. */
export function replaceRows(
  { rows, changed, watchers }: QueueMemory,
  source: ChangeSource,
  threadId: string,
  next: readonly QueueRow[],
): void {
  changed.add(threadId);
  if (next.length === 0) rows.delete(threadId);
  else rows.set(threadId, next);
  for (const watcher of watchers) {
    const notify = (): void => {
      if (watchers.has(watcher)) watcher.onChange(threadId);
    };
    if (watcher.owner !== source.owner) source.clock.after(0, notify, { keepsAlive: false });
  }
}

export const isVisible = (row: QueueRow): boolean => row.state !== "dispatching";

/** A deep copy by JSON, so that later mutations by the caller have no effect. */
export const copyJson = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
