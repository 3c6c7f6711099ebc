import type { DecisionLog } from "./decisions/decision-log.ts";
import type { HistoryIndex } from "./history-index.ts";

/**
 * The port for durable facts that have no file of their own. What a promise of a write has settled
 * survives `kill -9`. Calls may come from several processes on one home at once; a lock is waited
 * for and never surfaces.
 */
export interface Store {
  readonly threads: ThreadIndex;
  readonly history: HistoryIndex;
  readonly decisions: DecisionLog;
  close(): Promise<void>;
}

/** What lists of threads need to know of each, without opening its history. */
export interface ThreadRecord {
  readonly id: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly cwd: string;
  readonly preview: string;
  readonly modelProvider: string;
  readonly model: string;
  readonly originator: string;
}

export interface ThreadIndex {
  /** Adds the thread, or replaces what was known of it. */
  put(record: ThreadRecord): Promise<void>;
  get(id: string): Promise<ThreadRecord | null>;
}
