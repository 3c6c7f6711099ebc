/**
 * The rows of one thread that an append writes. A statement changes a row once, so that all changes of a turn, an item or
 * a sum are joined first.
 */
import type { JsonObject } from "../../../base/json-object.ts";
import { clipHookRun, SLOT_MS } from "../../activity.ts";
import type { HookRan, SpentTokens } from "../../lines/activity-step.ts";
import type { HistoryRowChange } from "../../pages/row-changes.ts";
import type { FoldedChange } from "./thread-fold.ts";

export interface AppendRows {
  readonly turns: readonly JsonObject[];
  /** Runs of turns that the append does not change otherwise. */
  readonly turnRuns: readonly JsonObject[];
  readonly items: readonly JsonObject[];
  readonly usage: readonly JsonObject[];
  readonly hookRuns: readonly JsonObject[];
}

interface SegmentKey extends JsonObject {
  readonly thread_id: string;
  readonly generation: number;
}

type Columns = Record<string, unknown>;

export function toAppendRows(key: SegmentKey, changes: readonly FoldedChange[]): AppendRows {
  const rows = new RowCollector(key);
  for (const change of changes) rows.add(change);
  return rows.result();
}

class RowCollector {
  readonly #key: SegmentKey;
  readonly #turns = new Map<string, Columns>();
  readonly #runs = new Map<string, string>();
  readonly #items = new Map<string, Columns>();
  readonly #usage = new Map<string, Columns>();
  readonly #hookRuns: JsonObject[] = [];

  constructor(key: SegmentKey) {
    this.#key = key;
  }

  add(change: FoldedChange): void {
    switch (change.kind) {
      case "turn": {
        const { turnId, seq, end, ...members } = change.turn;
        const columns = this.#turn(turnId, seq);
        columns["end_seq"] = end?.seq ?? null;
        for (const [name, value] of Object.entries(members))
          if (value !== null) columns[COLUMNS[name] ?? name] = value;
        return;
      }
      case "item":
        return this.#addItem(change);
      case "hookRun": {
        const before = this.#runs.get(change.turnId);
        this.#runs.set(change.turnId, before === undefined ? change.run : `${before},${change.run}`);
        return;
      }
      case "activity":
        if (change.change.kind === "spent") this.#addTokens(change.change);
        else this.#addHookRun(change.change);
        return;
      case "rolledBack":
      // Only lines of the legacy format go back, which this store does not have.
    }
  }

  result(): AppendRows {
    const turns = [...this.#turns.entries()].map(([turnId, columns]) => {
      const runs = this.#runs.get(turnId);
      return { ...columns, ...(runs !== undefined && { hook_runs: `[${runs}]` }) };
    });
    const turnRuns = [...this.#runs.entries()]
      .filter(([turnId]) => !this.#turns.has(turnId))
      .map(([turnId, runs]) => ({ ...this.#key, turn_id: turnId, hook_runs: `[${runs}]` }));
    const [items, usage] = [[...this.#items.values()], [...this.#usage.values()]];
    return { turns, turnRuns, items, usage, hookRuns: this.#hookRuns };
  }

  /** Without a status, the rest of an existing row stays as it is. */
  #turn(turnId: string, seq: number): Columns {
    const known = this.#turns.get(turnId);
    if (known !== undefined) return known;
    const columns: Columns = { ...this.#key, turn_id: turnId, seq };
    this.#turns.set(turnId, columns);
    return columns;
  }

  #addItem({ row, lineSeq, json }: Extract<HistoryRowChange, { kind: "item" }> & ItemSource): void {
    const { turnId, itemId, type, seq } = row;
    const key = JSON.stringify([turnId, itemId]);
    const before = this.#items.get(key);
    // A steered user message is recorded again when the model receives it, and is ordered by that line.
    const isMoved = type === "userMessage" && json === null;
    this.#items.set(key, {
      ...this.#key,
      turn_id: turnId,
      item_id: itemId,
      seq: isMoved ? seq : (before?.["seq"] ?? seq),
      line_seq: lineSeq,
      type,
      started_at_ms: row.startedAtMs,
      completed_at_ms: row.completedAtMs,
      json,
    });
    const turn = this.#turn(turnId, seq);
    if (type === "userMessage") turn["first_user_item_id"] ??= itemId;
    if (type === "agentMessage") turn["final_agent_item_id"] = itemId;
  }

  #addTokens({ atMs, cwd, model, isFirst, tokens }: SpentTokens): void {
    const slot = Math.floor(atMs / SLOT_MS);
    const key = JSON.stringify([slot, cwd, model]);
    const sums = this.#usage.get(key) ?? { thread_id: this.#key.thread_id, slot, cwd, model };
    this.#usage.set(key, sums);
    const spent = {
      turns: isFirst ? 1 : 0,
      input: tokens.inputTokens,
      cached: tokens.cachedInputTokens,
      cache_write: tokens.cacheWriteInputTokens,
      output: tokens.outputTokens,
      reasoning: tokens.reasoningOutputTokens,
      total: tokens.totalTokens,
    };
    for (const [name, value] of Object.entries(spent)) sums[name] = Number(sums[name] ?? 0) + toCount(value);
  }

  #addHookRun({ turnId, run }: HookRan): void {
    this.#hookRuns.push({
      thread_id: this.#key.thread_id,
      turn_id: turnId,
      event: run.eventName,
      source_path: run.sourcePath,
      display_order: toCount(run.displayOrder),
      status: run.status,
      started_at: toCount(run.startedAt),
      duration_ms: run.durationMs === null ? null : toCount(run.durationMs),
      run: JSON.stringify(clipHookRun(run)),
    });
  }
}

interface ItemSource {
  readonly lineSeq: number;
  readonly json: string | null;
}

const COLUMNS: Readonly<Record<string, string>> = {
  rootTurnId: "root_turn_id",
  startedAt: "started_at",
  completedAt: "completed_at",
  durationMs: "duration_ms",
};

/** Lines may have any number. */
function toCount(value: number): number {
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
