/** Appends that wait for the database, by thread and in order, with their limits. */
import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json-object.ts";
import type { AppendFailure, Effect } from "../../journal.ts";
import type { Fence } from "../../leases.ts";
import type { LinePosition } from "../../line-position.ts";
import type { FoldedChange } from "./thread-fold.ts";

/** One append of a journal. */
export interface AppendRequest {
  readonly expected: LinePosition;
  readonly next: LinePosition;
  readonly segment: JsonObject | null;
  readonly lines: readonly { readonly seq: number; readonly text: string }[];
  readonly changes: readonly FoldedChange[];
  readonly thread: JsonObject;
  readonly effects: readonly Effect[];
  /** Called once, in the same tick for all requests of a thread that fail together; null for lines that are stored. */
  readonly settle: (failure: AppendFailure | null) => void;
}

/** The appends of one thread. */
export interface AppendLane {
  readonly threadId: string;
  /** The fence that the lane writes under; null if it has none. */
  fence(): Fence | null;
  /** The fence to try again with; null if another process holds the thread. */
  refence(): Promise<Fence | null>;
}

/** The pending appends of a thread that are written together. */
export interface AppendGroup {
  readonly lane: AppendLane;
  readonly requests: readonly AppendRequest[];
  /** Whether all of them were settled. */
  readonly isOver: () => boolean;
  /** Whether the lines may have been stored although no answer came. */
  mayBeStored: boolean;
}

/** Lines that may wait in one process. */
const MAX_BACKLOG_BYTES = 256 * 1024 * 1024;
/** Lines of one statement. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** After it an append fails, whether or not its lines will be stored. */
const APPEND_DEADLINE_MS = 5000;

interface Pending {
  readonly request: AppendRequest;
  readonly bytes: number;
  readonly cancelDeadline: () => void;
  isSettled: boolean;
}

export class AppendQueue {
  readonly #clock: Clock;
  readonly #queued = new Map<AppendLane, Pending[]>();
  readonly #underWay = new Map<AppendLane, readonly Pending[]>();
  readonly #maxBacklogBytes: number;
  #backlog = 0;

  constructor(clock: Clock, maxBacklogBytes = MAX_BACKLOG_BYTES) {
    this.#clock = clock;
    this.#maxBacklogBytes = maxBacklogBytes;
  }

  get isEmpty(): boolean {
    return this.#queued.size === 0;
  }

  /** False if it is refused. */
  add(lane: AppendLane, request: AppendRequest): boolean {
    const bytes = request.lines.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#backlog + bytes > this.#maxBacklogBytes) {
      request.settle(appendUnavailable("backlog", "too many lines wait for the database"));
      return false;
    }
    this.#backlog += bytes;
    const onDeadline = (): void => {
      const message = `the database did not store the lines within ${APPEND_DEADLINE_MS / 1000} s`;
      this.fail(lane, appendUnavailable("blocked", message));
    };
    const cancelDeadline = this.#clock.after(APPEND_DEADLINE_MS, onDeadline);
    const pending: Pending = { request, bytes, cancelDeadline, isSettled: false };
    const waiting = this.#queued.get(lane);
    if (waiting === undefined) this.#queued.set(lane, [pending]);
    else waiting.push(pending);
    return true;
  }

  /** The next appends to write. Those before them are over. */
  takeBatch(): AppendGroup[] {
    this.#underWay.clear();
    const groups: AppendGroup[] = [];
    let bytes = 0;
    for (const [lane, pendings] of this.#queued) {
      if (bytes >= MAX_BATCH_BYTES) break;
      this.#queued.delete(lane);
      this.#underWay.set(lane, pendings);
      for (const pending of pendings) bytes += pending.bytes;
      groups.push({
        lane,
        requests: pendings.map(({ request }) => request),
        isOver: () => pendings.every(({ isSettled }) => isSettled),
        mayBeStored: false,
      });
    }
    return groups;
  }

  /** The appends of a thread that are under way were stored. */
  succeed(lane: AppendLane): void {
    for (const pending of this.#underWay.get(lane) ?? []) this.#settle(pending, null);
  }

  /** A failed append fails those that were queued behind it. */
  fail(lane: AppendLane, failure: AppendFailure): void {
    const all = [...(this.#underWay.get(lane) ?? []), ...(this.#queued.get(lane) ?? [])];
    this.#queued.delete(lane);
    for (const pending of all) this.#settle(pending, failure);
  }

  #settle(pending: Pending, failure: AppendFailure | null): void {
    if (pending.isSettled) return;
    pending.isSettled = true;
    pending.cancelDeadline();
    this.#backlog -= pending.bytes;
    pending.request.settle(failure);
  }
}

export function appendUnavailable(reason: "backlog" | "blocked" | "other", message: string): AppendFailure {
  return { kind: "unavailable", reason, message };
}

export function takenOver(threadId: string): AppendFailure {
  const message = `another process has taken over thread ${threadId}; nothing more is written to it from here`;
  return { kind: "fenced", reason: "takenOver", message };
}
