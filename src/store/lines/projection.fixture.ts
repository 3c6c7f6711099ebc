/** A whole thread folded from its lines: facts, turns, items and the model's history. */
import type { ThreadItem, Turn, TurnError, TurnStatus } from "../../protocol/generated/types.ts";
import {
  type HistoryChange,
  type HistoryState,
  type HookRunChange,
  type ItemChange,
  noHistory,
  stepHistory,
  type TurnChange,
} from "./history-step.ts";
import type { RolloutLine } from "./line.ts";
import { emptyModelHistory, foldModelHistory, type ModelHistory } from "./model-history.ts";

export interface LocatedLine {
  readonly path: string;
  readonly line: RolloutLine;
  readonly offset: number;
  readonly length: number;
}

/** The location of a line. */
export interface LineLocation {
  readonly path: string;
  readonly ordinal: number | null;
  readonly offset: number;
  readonly length: number;
}

export interface TurnFacts {
  readonly id: string;
  readonly rootTurnId: string | null;
  readonly status: TurnStatus;
  readonly error: TurnError | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  readonly hookRuns: Turn["hookRuns"];
  /** The first user message and the last agent message, which a summary shows. */
  readonly firstUserItem: ThreadItem | null;
  readonly finalAgentItem: ThreadItem | null;
  /** The line that began the turn. */
  readonly location: LineLocation;
}

export interface ItemFacts {
  readonly turnId: string;
  readonly item: ThreadItem;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
  /** The last line of the item. */
  readonly location: LineLocation;
}

export interface Projection {
  state: HistoryState;
  readonly turns: Map<string, TurnFacts>;
  /** By turn and item id, in the order of their first lines. */
  readonly items: Map<string, ItemFacts>;
  readonly model: ModelHistory;
}

export function emptyProjection(): Projection {
  return { state: noHistory, turns: new Map(), items: new Map(), model: emptyModelHistory() };
}

/**
 * Folds one line into the projection in place, and returns the changes. The time this takes does not grow with the
 * history.
 */
export function fold(projection: Projection, located: LocatedLine): readonly HistoryChange[] {
  const { line, path, offset, length } = located;
  const { state, changes } = stepHistory(projection.state, line);
  const location = { path, ordinal: line.ordinal ?? null, offset, length };
  projection.state = state;
  foldModelHistory(projection.model, line, state.facts.historyMode === "legacy");
  for (const change of changes) apply(projection, change, location);
  return changes;
}

export async function foldAll(lines: AsyncIterable<LocatedLine>): Promise<Projection> {
  const projection = emptyProjection();
  for await (const line of lines) fold(projection, line);
  return projection;
}

/** The turns in order. One without an end reads as interrupted, unless the thread is live. */
export function turnsOf(projection: Projection, { live }: { readonly live: boolean }): TurnFacts[] {
  return [...projection.turns.values()].map((turn) =>
    turn.status === "inProgress" && !live ? { ...turn, status: "interrupted" } : turn,
  );
}

function apply(projection: Projection, change: HistoryChange, location: LineLocation): void {
  if (change.kind === "turn") applyTurn(projection, change, location);
  else if (change.kind === "item") applyItem(projection, change, location);
  else if (change.kind === "hookRun") applyHookRun(projection, change);
  else rollBack(projection, change.turns);
}

function applyTurn({ turns }: Projection, change: TurnChange, location: LineLocation): void {
  const { kind: _kind, turnId, ...members } = change;
  turns.set(turnId, { ...(turns.get(turnId) ?? newTurn(turnId, location)), ...members });
}

function applyItem({ turns, items }: Projection, change: ItemChange, location: LineLocation): void {
  const { kind: _kind, ...members } = change;
  const facts = { ...members, location };
  const { turnId, item } = facts;
  const key = `${turnId}/${item.id}`;
  // A steered user message is recorded again when the model receives it, and is ordered by that line.
  if (item.type === "userMessage" && location.ordinal !== null) items.delete(key);
  items.set(key, facts);
  const turn = turns.get(turnId) ?? newTurn(turnId, location);
  const firstUser =
    item.type === "userMessage" && (turn.firstUserItem ?? item).id === item.id ? item : turn.firstUserItem;
  const finalAgent = item.type === "agentMessage" ? item : turn.finalAgentItem;
  turns.set(turnId, { ...turn, firstUserItem: firstUser, finalAgentItem: finalAgent });
}

function applyHookRun({ turns }: Projection, { turnId, run }: HookRunChange): void {
  const turn = turns.get(turnId);
  if (turn !== undefined) turns.set(turnId, { ...turn, hookRuns: [...turn.hookRuns, run] });
}

function newTurn(id: string, location: LineLocation): TurnFacts {
  return {
    id,
    rootTurnId: null,
    status: "inProgress",
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    hookRuns: [],
    firstUserItem: null,
    finalAgentItem: null,
    location,
  };
}

function rollBack({ turns, items }: Projection, count: number): void {
  const gone = new Set(count > 0 ? [...turns.keys()].slice(-count) : []);
  for (const id of gone) turns.delete(id);
  for (const [key, { turnId }] of items) if (gone.has(turnId)) items.delete(key);
}
