/**
 * The model of one thread: its turns, their items and the hooks that ran between them. Pages of the history,
 * stored events and live notifications are applied by ids, so that it does not matter in which of these ways something
 * arrives, or how often.
 */
import type {
  HookRunSummary,
  ServerNotifications,
  ThreadItem,
  ThreadTokenUsage,
  Turn,
  TurnError,
  TurnPlanStep,
} from "../../protocol/generated/types.ts";
import { appendDelta } from "./item-deltas.ts";

export interface ItemEntry {
  readonly kind: "item";
  readonly id: string;
  readonly turnId: string;
  item: ThreadItem;
  /** Whether it is still being produced. */
  isOpen: boolean;
  /** Grows with each change. */
  version: number;
}

export interface HookEntry {
  readonly kind: "hook";
  readonly id: string;
  readonly turnId: string;
  run: HookRunSummary;
  version: number;
}

export type Entry = ItemEntry | HookEntry;

export interface TurnModel {
  readonly id: string;
  status: Turn["status"];
  error: TurnError | null;
  startedAt: number | null;
  durationMs: number | null;
  plan: readonly TurnPlanStep[];
  readonly entries: Entry[];
  version: number;
}

type Notice = {
  readonly [M in keyof ServerNotifications]: { readonly method: M; readonly params: ServerNotifications[M] };
}[keyof ServerNotifications];

export class ThreadModel {
  /** In the order of the history. */
  readonly turns: TurnModel[] = [];
  usage: ThreadTokenUsage | null = null;
  /** Grows when turns or entries are added or removed. */
  structure = 0;
  readonly #turns = new Map<string, TurnModel>();
  readonly #entries = new Map<string, Entry>();

  /** A page of the history: older turns go before those that are known. */
  addPage(turns: readonly Turn[]): void {
    const known = this.turns.filter(({ id }) => turns.every((turn) => turn.id !== id));
    const isOlder = known.length > 0 && turns.some(({ id }) => !this.#turns.has(id));
    for (const turn of turns) this.#applyTurn(turn, true);
    const page = turns.flatMap(({ id }) => this.#turns.get(id) ?? []);
    this.turns.length = 0;
    this.turns.push(
      ...(isOlder || known.length === 0 ? [...page, ...known] : sortTurns([...known, ...page])),
    );
    this.structure += 1;
  }

  clear(): void {
    this.turns.length = 0;
    this.#turns.clear();
    this.#entries.clear();
    this.structure += 1;
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** False for a notification that changes nothing here. */
  apply(notice: Notice): boolean {
    switch (notice.method) {
      case "turn/started":
        this.#applyTurn(notice.params.turn, false);
        return true;
      case "turn/completed":
        this.#applyTurn(notice.params.turn, false);
        this.#endItems(notice.params.turn.id);
        return true;
      case "turn/plan/updated":
        return this.#applyPlan(notice.params.turnId, notice.params.plan);
      case "item/started":
        this.#putItem(notice.params.turnId, notice.params.item, true);
        return true;
      case "item/completed":
        this.#putItem(notice.params.turnId, notice.params.item, false);
        return true;
      case "hook/started":
      case "hook/completed":
        if (notice.params.turnId === null) return false;
        this.#putHook(notice.params.turnId, notice.params.run);
        return true;
      case "thread/tokenUsage/updated":
        this.usage = notice.params.tokenUsage;
        return true;
      default:
        return this.#applyDelta(notice);
    }
  }

  #applyDelta({ method, params }: Notice): boolean {
    const { itemId } = params as { readonly itemId?: string };
    const entry = itemId === undefined ? undefined : this.#entries.get(itemId);
    if (entry?.kind !== "item" || !entry.isOpen) return false;
    const item = appendDelta(entry.item, method, params);
    if (item === null) return false;
    entry.item = item;
    entry.version += 1;
    return true;
  }

  #turn(id: string): TurnModel {
    const known = this.#turns.get(id);
    if (known !== undefined) return known;
    const turn: TurnModel = {
      id,
      status: "inProgress",
      error: null,
      startedAt: null,
      durationMs: null,
      plan: [],
      entries: [],
      version: 0,
    };
    this.#turns.set(id, turn);
    this.turns.push(turn);
    this.structure += 1;
    return turn;
  }

  #applyTurn({ id, status, error, startedAt, durationMs, items, hookRuns }: Turn, isWhole: boolean): void {
    const turn = this.#turn(id);
    turn.status = status;
    turn.error = error;
    turn.startedAt = startedAt ?? turn.startedAt;
    turn.durationMs = durationMs;
    turn.version += 1;
    const isRunning = status === "inProgress";
    for (const item of items)
      if (isWhole || !this.#entries.has(item.id)) this.#putItem(id, item, isRunning && isOpen(item));
    for (const run of hookRuns ?? []) this.#putHook(id, run);
  }

  #applyPlan(turnId: string, plan: readonly TurnPlanStep[]): boolean {
    const turn = this.#turn(turnId);
    turn.plan = plan;
    turn.version += 1;
    return true;
  }

  #putItem(turnId: string, item: ThreadItem, isBeingProduced: boolean): void {
    const known = this.#entries.get(item.id);
    if (known?.kind === "item") {
      // A complete item stays complete: an older copy may arrive after it.
      if (isBeingProduced && !known.isOpen) return;
      known.item = item;
      known.isOpen = isBeingProduced;
      known.version += 1;
      return;
    }
    const entry: ItemEntry = { kind: "item", id: item.id, turnId, item, isOpen: isBeingProduced, version: 0 };
    this.#insert(entry, timeOf(entry));
  }

  #putHook(turnId: string, run: HookRunSummary): void {
    const known = this.#entries.get(run.runId);
    if (known?.kind === "hook") {
      if (run.completedAt === null && known.run.completedAt !== null) return;
      known.run = run;
      known.version += 1;
      return;
    }
    const entry: HookEntry = { kind: "hook", id: run.runId, turnId, run, version: 0 };
    this.#insert(entry, timeOf(entry));
  }

  /** Entries without a time stay in the order of their arrival. */
  #insert(entry: Entry, time: number | null): void {
    const { entries } = this.#turn(entry.turnId);
    let at = entries.length;
    const isLater = (other: Entry | undefined): boolean =>
      other !== undefined && time !== null && (timeOf(other) ?? 0) > time;
    if (entry.kind === "hook") while (isLater(entries[at - 1])) at -= 1;
    entries.splice(at, 0, entry);
    this.#entries.set(entry.id, entry);
    this.structure += 1;
  }

  #endItems(turnId: string): void {
    for (const entry of this.#turns.get(turnId)?.entries ?? []) {
      if (entry.kind !== "item" || !entry.isOpen) continue;
      entry.isOpen = false;
      entry.version += 1;
    }
  }
}

/** In milliseconds; null where it is not known. */
function timeOf(entry: Entry): number | null {
  if (entry.kind === "hook") return entry.run.startedAt * 1000;
  return entry.item.startedAtMs ?? entry.item.completedAtMs ?? null;
}

/** Whether an item of a running turn is still being produced. */
function isOpen(item: ThreadItem): boolean {
  return "status" in item && item.status === "inProgress";
}

/** Ids of turns are UUIDs of version 7, which sort by time. */
function sortTurns(turns: readonly TurnModel[]): TurnModel[] {
  return turns.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
}
