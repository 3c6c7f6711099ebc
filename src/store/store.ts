import type { DecisionLog } from "./decisions/decision-log.ts";
import type { HistoryIndex } from "./history-index.ts";

/**
 * The port for durable facts that have no file of their own. What a promise of a write has settled
 * survives `kill -9`. Calls may come from several processes on one home at once; a lock is waited
 * for and never surfaces.
 */
export interface Store {
  readonly history: HistoryIndex;
  readonly decisions: DecisionLog;
  close(): Promise<void>;
}
