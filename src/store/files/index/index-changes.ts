/** Folds lines into index changes, which store positions instead of content. */

import { type HistoryState, type HistoryStep, stepHistory } from "../../lines/history-step.ts";
import { sourceKindOf } from "../../lines/session-source.ts";
import { rowChanges } from "../../pages/row-changes.ts";
import { readHistoryBase } from "../rollout/file-meta.ts";
import type { LocatedLine } from "../rollout/reader.ts";
import { createdOrderMs, creationTime } from "../rollout/rollout-name.ts";
import type { IndexChange, RolloutRow } from "./history-index.ts";

/**
 * A file that is being indexed: the state after its last folded line, and the changes that are not saved yet. The row
 * has thirty members, so it is built when it is read and not for each line.
 */
export class Folding {
  state: HistoryState;
  changes: IndexChange[] = [];
  #row: RolloutRow;
  /** The position members of the row after lines that it does not reflect yet; null where it is up to date. */
  #ahead: Pick<RolloutRow, "base" | "recencyAtMs" | "indexedBytes"> | null = null;

  constructor(row: RolloutRow, state: HistoryState) {
    this.#row = row;
    this.state = state;
  }

  get row(): RolloutRow {
    if (this.#ahead === null) return this.#row;
    const { facts } = this.state;
    const { threadId, rolloutId, fileTime: time } = this.#row;
    const createdAtMs = creationTime({ time }, facts.createdAtMs);
    this.#row = {
      ...this.#row,
      facts: { ...facts, id: threadId, createdAtMs, baseInstructions: null, dynamicTools: null },
      createdOrderMs:
        createdAtMs === this.#row.facts.createdAtMs
          ? this.#row.createdOrderMs
          : createdOrderMs({ threadId, rolloutId, time }, createdAtMs),
      base: this.#ahead.base,
      sourceKind: sourceKindOf(facts.source),
      recencyAtMs: this.#ahead.recencyAtMs,
      indexedBytes: this.#ahead.indexedBytes,
    };
    this.#ahead = null;
    return this.#row;
  }

  set row(row: RolloutRow) {
    this.#row = row;
    this.#ahead = null;
  }

  fold(located: LocatedLine): void {
    const step = stepHistory(this.state, located.line);
    const { facts } = step.state;
    const seq = located.line.ordinal ?? step.state.lines - 1;
    if (step.changes.length > 0)
      for (const change of indexChanges(step, located, seq)) this.changes.push(change);
    const began = step.changes.some((change) => change.kind === "turn" && change.status === "inProgress");
    this.state = step.state;
    const { base, recencyAtMs } = this.#ahead ?? this.#row;
    this.#ahead = {
      base: base ?? baseOf(located),
      recencyAtMs: began ? facts.updatedAtMs : recencyAtMs || facts.createdAtMs,
      indexedBytes: located.offset + located.length,
    };
  }
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
