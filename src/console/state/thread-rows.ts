/** The rows of a thread as the list draws them: a head for each turn, and its entries. */
import type { Approval } from "../../protocol/generated/types.ts";
import type { Entry, ThreadModel, TurnModel } from "./thread-model.ts";

export type ThreadRowModel =
  | {
      readonly kind: "turn";
      readonly key: string;
      readonly estimate: number;
      readonly turn: TurnModel;
      readonly number: number;
    }
  | { readonly kind: "entry"; readonly key: string; readonly estimate: number; readonly entry: Entry }
  | { readonly kind: "plan"; readonly key: string; readonly estimate: number; readonly turn: TurnModel }
  | { readonly kind: "error"; readonly key: string; readonly estimate: number; readonly turn: TurnModel }
  | {
      readonly kind: "question";
      readonly key: string;
      readonly estimate: number;
      readonly approval: Approval;
    };

/** Before a row was measured. */
const ESTIMATES: Readonly<Record<string, number>> = {
  turn: 36,
  plan: 120,
  error: 60,
  question: 220,
  hook: 32,
  userMessage: 64,
  agentMessage: 90,
  reasoning: 32,
  commandExecution: 150,
  fileChange: 260,
  mcpToolCall: 80,
};
const CHARACTERS_OF_LINE = 90;
const LINE = 22;

export function rowsOf(
  model: ThreadModel,
  questions: readonly Approval[],
  hasOlder: boolean,
): readonly ThreadRowModel[] {
  const rows: ThreadRowModel[] = [];
  const asked = new Set<string>();
  for (const [index, turn] of model.turns.entries()) {
    rows.push({
      kind: "turn",
      key: `turn-${turn.id}`,
      estimate: ESTIMATES["turn"] ?? 36,
      turn,
      number: hasOlder ? 0 : index + 1,
    });
    for (const entry of turn.entries) {
      if (isHidden(entry)) continue;
      rows.push({ kind: "entry", key: entry.id, estimate: estimateOf(entry), entry });
      for (const approval of questions)
        if (approval.itemId === entry.id && approval.turnId === turn.id) {
          asked.add(approval.id);
          rows.push(questionRow(approval));
        }
    }
    if (turn.plan.length > 0) rows.push({ kind: "plan", key: `plan-${turn.id}`, estimate: 120, turn });
    if (turn.error !== null) rows.push({ kind: "error", key: `error-${turn.id}`, estimate: 60, turn });
  }
  for (const approval of questions) if (!asked.has(approval.id)) rows.push(questionRow(approval));
  return rows;
}

const questionRow = (approval: Approval): ThreadRowModel => ({
  kind: "question",
  key: `question-${approval.id}`,
  estimate: 220,
  approval,
});

/** Reasoning without any text says nothing. */
export function isHidden(entry: Entry): boolean {
  if (entry.kind !== "item" || entry.item.type !== "reasoning" || entry.isOpen) return false;
  return [...entry.item.summary, ...entry.item.content].every((text) => text.trim() === "");
}

function estimateOf(entry: Entry): number {
  if (entry.kind === "hook") return ESTIMATES["hook"] ?? 32;
  const { item } = entry;
  const base = ESTIMATES[item.type] ?? 48;
  return item.type === "agentMessage"
    ? base + Math.floor(item.text.length / CHARACTERS_OF_LINE) * LINE
    : base;
}
