/** Changes of turn and item rows that follow from a line, as every backend applies them. */

import { textMember } from "../../base/json-members.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { HistoryStep, TurnChange } from "../lines/history-step.ts";
import type { RolloutLine } from "../lines/line.ts";
import type { ItemRow, TurnRow } from "./history-reader.ts";

/** Null members are unchanged, except for `end`. */
export type TurnWrite = Omit<TurnRow, "hookRuns" | "firstUserItemId" | "finalAgentItemId">;

export type HistoryRowChange =
  | { readonly kind: "turn"; readonly turn: TurnWrite }
  | { readonly kind: "item"; readonly row: ItemRow; readonly item: ThreadItem }
  /** The run as JSON. */
  | { readonly kind: "hookRun"; readonly turnId: string; readonly run: string }
  | { readonly kind: "rolledBack"; readonly turns: number };

const TURN_ENDS = new Set(["task_complete", "turn_complete", "turn_aborted"]);

export function rowChanges({ changes }: HistoryStep, line: RolloutLine, seq: number): HistoryRowChange[] {
  const isEnd = TURN_ENDS.has(textMember(line.payload, "type") ?? "");
  const turnChanges = changes.filter((change) => change.kind === "turn").length;
  return changes.map((change): HistoryRowChange => {
    switch (change.kind) {
      case "turn": {
        // A new turn shows that the one before it was cut off: the old one ends before this line, the new one after it.
        const isCut = change.status === "interrupted" && turnChanges > 1;
        const end = isCut ? { seq } : isEnd ? { seq: seq + 1 } : null;
        return { kind: "turn", turn: { ...turnWrite(change, seq), end } };
      }
      case "item": {
        const { turnId, item, startedAtMs, completedAtMs } = change;
        const row = { turnId, itemId: item.id, type: item.type, seq, startedAtMs, completedAtMs };
        return { kind: "item", row, item };
      }
      case "hookRun":
        return { ...change, run: JSON.stringify(change.run) };
      case "rolledBack":
        return change;
    }
  });
}

function turnWrite(change: TurnChange, seq: number): Omit<TurnWrite, "end"> {
  const { turnId, status, rootTurnId, startedAt, completedAt, durationMs, error } = change;
  return {
    turnId,
    seq,
    status,
    rootTurnId: rootTurnId ?? null,
    startedAt: startedAt ?? null,
    completedAt: completedAt ?? null,
    durationMs: durationMs ?? null,
    error: error === undefined ? null : JSON.stringify(error),
  };
}

/** Appends a run to the JSON array of a turn's runs. */
export function withHookRun(runs: string | null, run: string): string {
  return runs === null ? `[${run}]` : `${runs.slice(0, -1)},${run}]`;
}
