/**
 * Folds lines into changes of turns and items, one line at a time. The state is small plain data, so that an index can
 * store it beside the position it has reached and resume from there.
 */

import { numberMember, objectMember, textMember } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { HookRunSummary, ThreadItem, TurnError, TurnStatus } from "../../protocol/generated/types.ts";
import { toHookPromptItem } from "./hook-prompt.ts";
import { isLegacyDuplicate, joinReasoning, legacyItem } from "./legacy-items.ts";
import type { RolloutLine } from "./line.ts";
import { fromStoredItem } from "./stored-item.ts";
import { type FoldedFacts, foldFacts, noFacts } from "./thread-facts.ts";
import { readTurnError } from "./turn-values.ts";

export interface TurnChange {
  readonly kind: "turn";
  readonly turnId: string;
  readonly status: TurnStatus;
  /** Absent members are unchanged. */
  readonly rootTurnId?: string;
  readonly error?: TurnError;
  readonly startedAt?: number;
  readonly completedAt?: number;
  readonly durationMs?: number;
}

export interface ItemChange {
  readonly kind: "item";
  readonly turnId: string;
  readonly item: ThreadItem;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
}

/** The last turns are removed. */
export interface RollbackChange {
  readonly kind: "rolledBack";
  readonly turns: number;
}

export interface HookRunChange {
  readonly kind: "hookRun";
  readonly turnId: string;
  readonly run: HookRunSummary;
}

export type HistoryChange = TurnChange | ItemChange | RollbackChange | HookRunChange;

export interface HistoryState {
  readonly facts: FoldedFacts;
  /** The number of folded lines. */
  readonly lines: number;
  readonly openTurn: { readonly id: string; readonly explicit: boolean } | null;
  /** For each turn of a legacy file, the number of items without ids before it. */
  readonly legacyStarts: readonly number[];
  readonly legacyItems: number;
  readonly lastItem: ThreadItem | null;
}

export const noHistory: HistoryState = {
  facts: noFacts,
  lines: 0,
  openTurn: null,
  legacyStarts: [],
  legacyItems: 0,
  lastItem: null,
};

export interface HistoryStep {
  readonly state: HistoryState;
  readonly changes: readonly HistoryChange[];
}

export function stepHistory(before: HistoryState, line: RolloutLine): HistoryStep {
  const facts = foldFacts(before.facts, line);
  const state = { ...before, facts, lines: before.lines + 1 };
  const inherited = line.ordinal !== undefined && line.ordinal < facts.ownHistoryStart;
  if (inherited) return { state, changes: [] };
  if (line.type === "world_state") return { state, changes: hookRunChanges(line.payload) };
  if (line.type === "response_item") return stepMessage(state, line);
  return line.type === "event_msg" ? stepEvent(state, line.payload) : { state, changes: [] };
}

/** Hook prompts may be in the model's history alone. An item for the same prompt has the same id. */
function stepMessage(state: HistoryState, { payload, ordinal }: RolloutLine): HistoryStep {
  const item = toHookPromptItem(payload, () => `hook-prompt-${ordinal ?? state.lines - 1}`);
  if (item === null) return { state, changes: [] };
  if (state.facts.historyMode === "legacy") return addLegacy(state, item, 0);
  const { openTurn } = state;
  if (openTurn === null) return { state, changes: [] };
  const times = { startedAtMs: null, completedAtMs: null };
  return { state, changes: [{ kind: "item", turnId: openTurn.id, item: { ...item, ...times }, ...times }] };
}

function hookRunChanges(payload: JsonObject): HookRunChange[] {
  const hookRun = objectMember(payload, "heddle_hook_run");
  const turnId = hookRun === null ? null : textMember(hookRun, "turn_id");
  const run = hookRun === null ? null : objectMember(hookRun, "run");
  if (turnId === null || run === null) return [];
  return [{ kind: "hookRun", turnId, run: run as unknown as HookRunSummary }];
}

function stepEvent(state: HistoryState, event: JsonObject): HistoryStep {
  switch (textMember(event, "type")) {
    case "task_started":
    case "turn_started":
      return startTurn(state, event);
    case "task_complete":
    case "turn_complete":
      return endTurn(state, event);
    case "turn_aborted":
      return endTurn(state, event, "interrupted");
    case "thread_rolled_back":
      return rollBack(state, numberMember(event, "num_turns") ?? 0);
    case "item_completed":
      return completeItem(state, event);
    case "token_count":
      return { state: attributeUsage(state), changes: [] };
    default:
      return state.facts.historyMode === "legacy" ? stepLegacy(state, event) : { state, changes: [] };
  }
}

function startTurn(state: HistoryState, event: JsonObject): HistoryStep {
  const turnId = textMember(event, "turn_id") ?? `rollout-${state.lines - 1}`;
  const changes: HistoryChange[] = [];
  const { openTurn } = state;
  // A turn without an end was cut off with its process if another turn begins.
  if (openTurn?.explicit === true && openTurn.id !== turnId) {
    changes.push({ kind: "turn", turnId: openTurn.id, status: "interrupted" });
  }
  changes.push({ kind: "turn", turnId, status: "inProgress", ...turnMembers(event) });
  return { state: withOpenTurn(state, turnId, true), changes };
}

function endTurn(state: HistoryState, event: JsonObject, ended?: TurnStatus): HistoryStep {
  const turnId = textMember(event, "turn_id") ?? state.openTurn?.id;
  if (turnId === undefined) return { state, changes: [] };
  const error = objectMember(event, "error");
  const status = ended ?? (error === null ? "completed" : "failed");
  const reason = error === null ? {} : { error: readTurnError(error) };
  const change: TurnChange = { kind: "turn", turnId, status, ...turnMembers(event), ...reason };
  return { state: { ...state, openTurn: null, lastItem: null }, changes: [change] };
}

function turnMembers(event: JsonObject): Partial<TurnChange> {
  const rootTurnId = textMember(event, "root_turn_id");
  const startedAt = numberMember(event, "started_at");
  const completedAt = numberMember(event, "completed_at");
  const durationMs = numberMember(event, "duration_ms");
  return {
    ...(rootTurnId === null ? {} : { rootTurnId }),
    ...(startedAt === null ? {} : { startedAt }),
    ...(completedAt === null ? {} : { completedAt }),
    ...(durationMs === null ? {} : { durationMs }),
  };
}

function rollBack(state: HistoryState, turns: number): HistoryStep {
  const kept = Math.max(0, state.legacyStarts.length - turns);
  const legacyItems = state.legacyStarts[kept] ?? state.legacyItems;
  const legacyStarts = state.legacyStarts.slice(0, kept);
  return {
    state: { ...state, legacyStarts, legacyItems, openTurn: null, lastItem: null },
    changes: [{ kind: "rolledBack", turns }],
  };
}

function completeItem(state: HistoryState, event: JsonObject): HistoryStep {
  const stored = objectMember(event, "item");
  const isDuplicate = stored !== null && state.facts.historyMode === "legacy" && isLegacyDuplicate(stored);
  const change = isDuplicate ? null : itemChange(event, state.openTurn);
  return change === null
    ? { state, changes: [] }
    : { state: { ...state, lastItem: null }, changes: [change] };
}

/** The item of a line that does not depend on earlier ones; null for any other line. */
export function readCompletedItem({
  type,
  payload,
}: Pick<RolloutLine, "type" | "payload">): ItemChange | null {
  const isCompletion = type === "event_msg" && textMember(payload, "type") === "item_completed";
  return isCompletion ? itemChange(payload, null) : null;
}

function itemChange(event: JsonObject, openTurn: HistoryState["openTurn"]): ItemChange | null {
  const stored = objectMember(event, "item");
  const item = stored === null ? null : fromStoredItem(stored);
  const turnId = textMember(event, "turn_id") ?? openTurn?.id;
  if (item === null || turnId === undefined) return null;
  const startedAtMs = numberMember(event, "started_at_ms");
  const completedAtMs = numberMember(event, "completed_at_ms") || null;
  const timed: ThreadItem = { ...item, startedAtMs, completedAtMs };
  return { kind: "item", turnId, item: timed, startedAtMs, completedAtMs };
}

/** Usage belongs to the open turn, including an implicit one without an id of its own. */
function attributeUsage(state: HistoryState): HistoryState {
  const { facts, openTurn } = state;
  if (openTurn === null || openTurn.explicit) return state;
  return { ...state, facts: { ...facts, usageTurnId: openTurn.id } };
}

function stepLegacy(before: HistoryState, event: JsonObject): HistoryStep {
  let named = 0;
  const item = legacyItem(event, () => `item-${before.legacyItems + ++named}`);
  return item === null ? { state: before, changes: [] } : addLegacy(before, item, named);
}

/** `named` is the number of ids that `nextId` counted for the item. */
function addLegacy(before: HistoryState, item: ThreadItem, named: number): HistoryStep {
  // Legacy files may have no turns: each user message begins one.
  const isSameTurn = before.openTurn !== null && (before.openTurn.explicit || item.type !== "userMessage");
  const opened = isSameTurn ? before : withOpenTurn(before, `rollout-${before.lines - 1}`, false);
  const turnId = opened.openTurn?.id ?? "";
  const changes: HistoryChange[] = isSameTurn ? [] : [{ kind: "turn", turnId, status: "completed" }];
  const joined = joinReasoning(opened.lastItem, item);
  const shown = joined ?? item;
  const times = { startedAtMs: null, completedAtMs: null };
  changes.push({ kind: "item", turnId, item: { ...shown, ...times }, ...times });
  const legacyItems = before.legacyItems + (joined === null ? named : 0);
  return { state: { ...opened, legacyItems, lastItem: shown }, changes };
}

function withOpenTurn(state: HistoryState, id: string, explicit: boolean): HistoryState {
  // A turn may be announced again when its history continues in another file, and is still the same turn.
  const isNew = state.openTurn?.id !== id && state.facts.historyMode === "legacy";
  const legacyStarts = isNew ? [...state.legacyStarts, state.legacyItems] : state.legacyStarts;
  return { ...state, openTurn: { id, explicit }, legacyStarts, lastItem: null };
}
