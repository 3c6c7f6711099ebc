/** One thread in memory: its lines and the rows folded from them. A fork copies the lines that it begins with. */

import type { ThreadItem, ThreadReadState } from "../../protocol/generated/types.ts";
import { type HistoryState, noHistory, stepHistory } from "../lines/history-step.ts";
import type { LineBody } from "../lines/line.ts";
import { emptyModelHistory, foldModelHistory, type ModelHistory } from "../lines/model-history.ts";
import { sourceKindOf } from "../lines/session-source.ts";
import { type FoldedFacts, longFacts, noFacts, type ThreadFacts } from "../lines/thread-facts.ts";
import {
  END,
  type ItemQuery,
  type ItemRow,
  type RowReader,
  type Span,
  type SpanQuery,
  type TurnRow,
} from "../pages/history-reader.ts";
import { type HistoryRowChange, rowChanges, type TurnWrite, withHookRun } from "../pages/row-changes.ts";
import { noDetails, type StoredLine, type StoredThread, type ThreadDetails } from "../thread-store.ts";

export interface MemoryItem extends ItemRow {
  readonly item: ThreadItem;
}

export class MemoryThread {
  readonly id: string;
  /** The thread whose lines it begins with, which cannot be deleted before it. */
  readonly basedOn: string | null;
  /** The generation of appended lines. */
  readonly generation: number;
  readonly lines: StoredLine[] = [];
  readonly turns = new Map<string, TurnRow>();
  /** By turn and item id. */
  readonly items = new Map<string, MemoryItem>();
  archived = false;
  details: ThreadDetails = noDetails;
  readState: ThreadReadState | null = null;
  recencyAtMs = 0;
  state: HistoryState = noHistory;

  constructor(id: string, basedOn: string | null, generation = 0) {
    this.id = id;
    this.generation = generation;
    this.basedOn = basedOn;
  }

  append(bodies: readonly LineBody[], timeMs: number): void {
    const timestamp = new Date(timeMs).toISOString();
    for (const body of bodies) {
      const seq = this.lines.length;
      this.#add({ generation: this.generation, seq, line: { timestamp, ...body, ordinal: seq } });
    }
  }

  /** Starts with lines of another thread, or of its own before a revert. */
  inherit(lines: readonly StoredLine[], own: boolean): void {
    for (const line of lines) this.#add(line);
    const { facts } = this.state;
    const preview = own ? facts.preview : "";
    this.setFacts({ ...facts, preview, generation: null, ownHistoryStart: 0, goal: null });
    this.recencyAtMs = 0;
  }

  setFacts(facts: FoldedFacts): void {
    this.state = { ...this.state, facts };
  }

  show(): StoredThread {
    const facts = { ...this.state.facts, id: this.id, baseInstructions: null, dynamicTools: null };
    const { archived, recencyAtMs, details, id: threadId } = this;
    return { threadId, archived, recencyAtMs, facts, details, location: null };
  }

  get sourceKind() {
    return sourceKindOf(this.state.facts.source);
  }

  /**
   * The facts for continuing the thread: with the long values that lists omit, and the first user message of all
   * segments.
   */
  recalledFacts(upTo: number): ThreadFacts {
    let preview = "";
    let facts: FoldedFacts = noFacts;
    for (const { line } of this.lines.slice(0, upTo)) {
      const step = stepHistory({ ...noHistory, facts }, line);
      ({ facts } = step.state);
      if (
        preview === "" &&
        step.changes.some((each) => each.kind === "item" && each.item.type === "userMessage")
      )
        ({ preview } = facts);
    }
    const meta = this.lines.findLast(({ line }) => line.type === "session_meta")?.line.payload ?? {};
    return { ...this.state.facts, id: this.id, preview, ...longFacts(meta) };
  }

  model(upTo: number): ModelHistory {
    const model = emptyModelHistory();
    for (const { line } of this.lines.slice(0, upTo)) foldModelHistory(model, line, false);
    return model;
  }

  span(toSeq = END): Span {
    return { segmentId: this.id, fromSeq: 0, toSeq, isLast: toSeq === END };
  }

  readonly rows: RowReader<MemoryItem> = {
    turns: async (query) => inSpan([...this.turns.values()], query),
    turn: async (_segmentId, turnId) => this.turns.get(turnId) ?? null,
    items: async (query) =>
      inSpan(
        [...this.items.values()].filter((item) => matchesQuery(item, query)),
        query,
      ),
    itemsById: async (_segmentId, turnId, itemIds) =>
      [...this.items.values()]
        .filter((item) => item.turnId === turnId && itemIds.includes(item.itemId))
        .sort((one, other) => one.seq - other.seq),
  };

  #add(stored: StoredLine): void {
    const { seq, line } = stored;
    const step = stepHistory(this.state, line);
    this.state = step.state;
    this.lines.push(stored);
    const began = step.changes.some((change) => change.kind === "turn" && change.status === "inProgress");
    const { updatedAtMs, createdAtMs } = step.state.facts;
    this.recencyAtMs = began ? updatedAtMs : this.recencyAtMs || createdAtMs;
    for (const change of rowChanges(step, line, seq)) this.#apply(change);
  }

  #apply(change: HistoryRowChange): void {
    if (change.kind === "turn") this.#applyTurn(change.turn);
    else if (change.kind === "item") this.#applyItem({ ...change.row, item: change.item });
    else if (change.kind === "hookRun") this.#addHookRun(change.turnId, change.run);
    else this.#rollBack(change.turns);
  }

  #applyTurn({ seq, end, ...rest }: TurnWrite): void {
    const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
    const before = this.turns.get(rest.turnId) ?? { ...NO_TURN, turnId: rest.turnId, seq };
    this.turns.set(rest.turnId, { ...before, ...present, end });
  }

  #applyItem(row: MemoryItem): void {
    const { turnId, itemId, seq, type } = row;
    const key = `${turnId}/${itemId}`;
    // A steered user message is recorded again when the model receives it, and is ordered by that line.
    const isMoved = type === "userMessage";
    this.items.set(key, { ...row, seq: isMoved ? seq : (this.items.get(key)?.seq ?? seq) });
    const turn = this.turns.get(turnId) ?? { ...NO_TURN, turnId, seq };
    const firstUserItemId = turn.firstUserItemId ?? (type === "userMessage" ? itemId : null);
    const finalAgentItemId = type === "agentMessage" ? itemId : turn.finalAgentItemId;
    this.turns.set(turnId, { ...turn, firstUserItemId, finalAgentItemId });
  }

  #addHookRun(turnId: string, run: string): void {
    const turn = this.turns.get(turnId);
    if (turn !== undefined) this.turns.set(turnId, { ...turn, hookRuns: withHookRun(turn.hookRuns, run) });
  }

  #rollBack(count: number): void {
    const last = [...this.turns.values()].sort((one, other) => other.seq - one.seq).slice(0, count);
    for (const { turnId } of last) {
      this.turns.delete(turnId);
      for (const [key, item] of this.items) if (item.turnId === turnId) this.items.delete(key);
    }
  }
}

const NO_TURN: Omit<TurnRow, "turnId" | "seq"> = {
  end: null,
  status: "inProgress",
  rootTurnId: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
  error: null,
  hookRuns: null,
  firstUserItemId: null,
  finalAgentItemId: null,
};

function matchesQuery(item: ItemRow, { turnId, itemId, types }: ItemQuery): boolean {
  return (
    (turnId == null || item.turnId === turnId) &&
    (itemId === undefined || item.itemId === itemId) &&
    (types === undefined || types.includes(item.type))
  );
}

function inSpan<T extends { readonly seq: number }>(found: readonly T[], query: SpanQuery): T[] {
  const sign = query.direction === "asc" ? 1 : -1;
  return found
    .filter(({ seq }) => seq >= query.fromSeq && seq < query.toSeq)
    .sort((one, other) => sign * (one.seq - other.seq))
    .slice(0, query.limit);
}
