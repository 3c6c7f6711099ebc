/** Folding of lines into what the index keeps: places instead of contents. */
import type { IndexChange, RolloutRow, TurnWrite } from "../history-index.ts";
import {
  type HistoryState,
  type HistoryStep,
  stepHistory,
  type TurnChange,
} from "../rollout/history-step.ts";
import type { LocatedLine } from "../rollout/line.ts";
import { textOf } from "../rollout/members.ts";
import { sourceKindOf } from "../source-kind.ts";
import { createdOrderMs, creationTime } from "./created-order.ts";

/** A file on its way into the index: what is known up to a line, and what the lines before it have changed. */
export interface Folding {
  row: RolloutRow;
  state: HistoryState;
  changes: IndexChange[];
}

const TURN_ENDS = new Set(["task_complete", "turn_complete", "turn_aborted"]);

export function foldLine(folding: Folding, located: LocatedLine): void {
  const step = stepHistory(folding.state, located);
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
    base: folding.row.base ?? (located.offset === 0 ? facts.historyBase : null),
    sourceKind: sourceKindOf(facts.source),
    recencyAtMs: began ? facts.updatedAtMs : folding.row.recencyAtMs || facts.createdAtMs,
    indexedBytes: located.offset + located.length,
  };
}

function indexChanges({ state, changes }: HistoryStep, located: LocatedLine, seq: number): IndexChange[] {
  const { offset, length, line } = located;
  const isEnd = TURN_ENDS.has(textOf(line.payload, "type") ?? "");
  const turnChanges = changes.filter((change) => change.kind === "turn").length;
  return changes.map((change): IndexChange => {
    switch (change.kind) {
      case "turn": {
        const isCut = change.status === "interrupted" && turnChanges > 1;
        const behind = { seq: seq + 1, offset: offset + length };
        const end = isCut ? { seq, offset } : isEnd ? behind : null;
        return { kind: "turn", ...turnWrite(change, seq), end };
      }
      case "item":
        return {
          kind: "item",
          turnId: change.turnId,
          itemId: change.item.id,
          type: change.item.type,
          seq,
          offset,
          length,
          startedAtMs: change.startedAtMs,
          completedAtMs: change.completedAtMs,
          // Old files tell an item over several lines, and number it by those before.
          json: state.facts.historyMode === "legacy" ? JSON.stringify(change.item) : null,
        };
      case "rolledBack":
        return change;
    }
  });
}

function turnWrite(change: TurnChange, seq: number): TurnWrite {
  const { turnId, status, place, rootTurnId, startedAt, completedAt, durationMs, error, hookRuns } = change;
  return {
    turnId,
    seq,
    offset: place.offset,
    status,
    rootTurnId: rootTurnId ?? null,
    startedAt: startedAt ?? null,
    completedAt: completedAt ?? null,
    durationMs: durationMs ?? null,
    error: error === undefined ? null : JSON.stringify(error),
    hookRuns: hookRuns === undefined ? null : JSON.stringify(hookRuns),
  };
}
