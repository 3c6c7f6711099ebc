/** Folds the lines of a thread into what its rows have, with the folds that every backend uses. */
import type { JsonObject } from "../../../base/json-object.ts";
import {
  type ActivityState,
  type HookRan,
  noActivity,
  type SpentTokens,
  stepActivity,
} from "../../lines/activity-step.ts";
import { type HistoryState, noHistory, stepHistory } from "../../lines/history-step.ts";
import type { RolloutLine } from "../../lines/line.ts";
import { sourceKindOf } from "../../lines/session-source.ts";
import type { FoldedFacts } from "../../lines/thread-facts.ts";
import { type HistoryRowChange, rowChanges } from "../../pages/row-changes.ts";

/** The state after a line; small, so that it is stored with the thread. */
export interface ThreadFoldState {
  readonly history: HistoryState;
  readonly activity: ActivityState;
  readonly recencyAtMs: number;
}

/** A change that follows from a line. An item that cannot be read back from its line has its JSON. */
export type FoldedChange =
  | (HistoryRowChange & { readonly lineSeq: number; readonly json: string | null })
  | { readonly kind: "activity"; readonly change: SpentTokens | HookRan };

export function newFold(facts: FoldedFacts): ThreadFoldState {
  return { history: { ...noHistory, facts }, activity: noActivity, recencyAtMs: 0 };
}

export function foldLine(
  before: ThreadFoldState,
  line: RolloutLine,
  seq: number,
): { readonly state: ThreadFoldState; readonly changes: readonly FoldedChange[] } {
  const step = stepHistory(before.history, line);
  const counted = stepActivity(before.activity, line);
  const { facts } = step.state;
  const began = step.changes.some((change) => change.kind === "turn" && change.status === "inProgress");
  const recencyAtMs = began ? facts.updatedAtMs : before.recencyAtMs || facts.createdAtMs;
  // A message of the model's history does not name its turn.
  const jsonOf = (change: HistoryRowChange) =>
    change.kind === "item" && line.type === "response_item" ? JSON.stringify(change.item) : null;
  const changes: FoldedChange[] = rowChanges(step, line, seq).map((change) => ({
    ...change,
    lineSeq: seq,
    json: jsonOf(change),
  }));
  if (counted.change !== null) changes.push({ kind: "activity", change: counted.change });
  return { state: { history: step.state, activity: counted.state, recencyAtMs }, changes };
}

/** The row of a thread, with the names of its columns. */
export function toThreadRow(threadId: string, tenant: string, state: ThreadFoldState): JsonObject {
  const { facts, ...history } = state.history;
  const stored = { ...facts, id: threadId, preview: "", baseInstructions: null, dynamicTools: null };
  return {
    thread_id: threadId,
    tenant,
    created_at: facts.createdAtMs,
    updated_at: facts.updatedAtMs,
    recency_at: state.recencyAtMs,
    cwd: facts.cwd,
    source_kind: sourceKindOf(facts.source),
    model_provider: facts.modelProvider,
    originator: facts.originator,
    owner: facts.owner,
    parent_thread_id: facts.parentThreadId,
    preview: facts.preview,
    facts: JSON.stringify(stored),
    state: JSON.stringify(history),
    activity: JSON.stringify(state.activity),
  };
}
