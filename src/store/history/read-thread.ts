/** The whole of a thread's history, read once for somebody who is about to go on with it. */

import { type HistoryState, noHistory, stepHistory } from "../rollout/history-step.ts";
import { readLineage } from "../rollout/lineage.ts";
import { emptyModelHistory, foldModelHistory, type ModelHistory } from "../rollout/model-history.ts";
import type { FaultList } from "./fault-list.ts";
import type { Span } from "./spans.ts";

export interface ReadThread {
  readonly state: HistoryState;
  readonly model: ModelHistory;
}

/** Up to a byte of the newest span, or to its end. */
export async function readThread(spans: readonly Span[], faults: FaultList): Promise<ReadThread> {
  const segments = spans.map(({ row, toOffset, isLast }) => ({
    path: row.path,
    to: isLast && toOffset === Number.MAX_SAFE_INTEGER ? null : toOffset,
  }));
  const model = emptyModelHistory();
  let state = noHistory;
  for await (const located of readLineage(segments, { onFault: (fault) => faults.line(fault) })) {
    ({ state } = stepHistory(state, located));
    foldModelHistory(model, located.line, state.facts.historyMode === "legacy");
  }
  return { state, model };
}
