/** Folds lines into index changes, which store positions instead of content. */

import { type HistoryState, type HistoryStep, stepHistory } from "../../lines/history-step.ts";
import { sourceKindOf } from "../../lines/session-source.ts";
import { rowChanges } from "../../pages/row-changes.ts";
import { readHistoryBase } from "../rollout/file-meta.ts";
import type { LocatedLine } from "../rollout/reader.ts";
import { createdOrderMs, creationTime } from "../rollout/rollout-name.ts";
import type { IndexChange, RolloutRow } from "./history-index.ts";

/** A file that is being indexed: the state after a line, and the changes that are not saved yet. */
export interface Folding {
  row: RolloutRow;
  state: HistoryState;
  changes: IndexChange[];
}

export function foldLine(folding: Folding, located: LocatedLine): void {
  const step = stepHistory(folding.state, located.line);
  const { facts } = step.state;
  const seq = located.line.ordinal ?? step.state.lines - 1;
  for (const change of indexChanges(step, located, seq)) folding.changes.push(change);
  const began = step.changes.some((change) => change.kind === "turn" && change.status === "inProgress");
  folding.state = step.state;
  const { threadId, rolloutId, fileTime: time } = folding.row;
  const createdAtMs = creationTime({ time }, facts.createdAtMs);
  folding.row = {
    ...folding.row,
    facts: { ...facts, id: threadId, createdAtMs, baseInstructions: null, dynamicTools: null },
    ...(createdAtMs === folding.row.facts.createdAtMs
      ? {}
      : { createdOrderMs: createdOrderMs({ threadId, rolloutId, time }, createdAtMs) }),
    base: folding.row.base ?? baseOf(located),
    sourceKind: sourceKindOf(facts.source),
    recencyAtMs: began ? facts.updatedAtMs : folding.row.recencyAtMs || facts.createdAtMs,
    indexedBytes: located.offset + located.length,
  };
}

/** Only the first line names the base of a file. */
function baseOf({ line, offset }: LocatedLine): RolloutRow["base"] {
  return offset === 0 && line.type === "session_meta" ? readHistoryBase(line.payload) : null;
}

function indexChanges(step: HistoryStep, located: LocatedLine, seq: number): IndexChange[] {
  const { offset, length, line } = located;
  return rowChanges(step, line, seq).map((change): IndexChange => {
    switch (change.kind) {
      case "turn": {
        const { turn } = change;
        const end =
          turn.end === null
            ? null
            : { seq: turn.end.seq, offset: turn.end.seq > seq ? offset + length : offset };
        return { kind: "turn", ...turn, offset, end };
      }
      case "item": {
        // Legacy files spread an item over several lines and number it by earlier ones; a message does not name its
        // turn. Such an item cannot be read back from one line.
        const needsMore = step.state.facts.historyMode === "legacy" || line.type === "response_item";
        const json = needsMore ? JSON.stringify(change.item) : null;
        return { kind: "item", ...change.row, offset, length, json };
      }
      case "hookRun":
      case "rolledBack":
        return change;
    }
  });
}
