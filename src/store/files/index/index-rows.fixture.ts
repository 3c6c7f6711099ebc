// Index rows as the fold creates them.
import { noHistory } from "../../lines/history-step.ts";
import { noFacts, type ThreadFacts } from "../../lines/thread-facts.ts";
import type { IndexBatch, IndexedTurnWrite, RolloutRow } from "./history-index.ts";

export function rolloutRow(
  rolloutId: string,
  members: Partial<RolloutRow> = {},
  facts: Partial<ThreadFacts> = {},
): RolloutRow {
  return {
    rolloutId,
    threadId: rolloutId,
    path: `/home/${rolloutId}`,
    archived: false,
    fileTime: "2026-11-15T09-00-00",
    size: 100,
    inode: 1,
    mtimeMs: 2,
    indexedBytes: 0,
    base: null,
    sourceKind: "vscode",
    createdOrderMs: facts.createdAtMs ?? 0,
    recencyAtMs: 3,
    ...members,
    facts: { ...noFacts, id: members.threadId ?? rolloutId, preview: `about ${rolloutId}`, ...facts },
  };
}

export function batch(row: RolloutRow, from: number | null, changes: IndexBatch["changes"]): IndexBatch {
  const { facts: _facts, ...state } = { ...noHistory, lines: 7 };
  return { row, state, from, changes };
}

export function turn(turnId: string, seq: number): { kind: "turn" } & IndexedTurnWrite {
  return { kind: "turn", turnId, seq, offset: seq * 10, status: "inProgress" };
}
