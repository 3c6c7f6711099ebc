/**
 * Replays what happened in a thread while the connection was lost, as the notifications that could not be
 * sent: started turns, completed items, completed turns. Each is emitted once, and live notifications are
 * queued behind them.
 */
import type { Thread, ThreadItem, Turn } from "../protocol/generated/types.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Following, THREAD_ENDED, UNSUBSCRIBING } from "./subscriptions.ts";
import type { TurnPort } from "./turn-stream.ts";

export interface MissedEvents {
  /** Tracks a thread from here on; turns that ended before are ignored. */
  follow(threadId: string, floorSeconds: number): void;
  forget(threadId: string): void;
  /** Handles a live notification: emits it immediately, or queues it. */
  take(method: string, params: unknown): void;
  /** The connection was lost. The server sends what is missed of the threads for which the function returns true. */
  lose(isResumed?: (threadId: string) => boolean): void;
  /** A thread was resubscribed, or cannot be. Rejects if the connection is lost again. */
  catchUp(following: Following, request: TurnPort["request"]): Promise<void>;
  /** The connection has ended permanently: queued notifications are emitted as they are. */
  end(): void;
}

type Emit = (method: string, params: unknown) => void;

interface Followed {
  /** In seconds: turns that ended before count as emitted. */
  readonly floor: number;
  /** Turns with emitted notifications, with their completed items; until they end. */
  readonly running: Map<string, Set<string>>;
  /** The most recently ended turns. */
  readonly ended: Set<string>;
  /** Keys of the notifications that were replayed since the last loss. */
  readonly recovered: Set<string>;
  /** Notifications queued since the loss; null while connected. */
  queued: { readonly method: string; readonly params: unknown }[] | null;
}

/** How many turns can end during a loss, and how many notifications are queued during the replay. */
const MAX_TURNS = 100;
const MAX_QUEUED = 10_000;

export function createMissedEvents(emit: Emit): MissedEvents {
  const threads = new Map<string, Followed>();

  function pass(thread: Followed | undefined, method: string, params: unknown): void {
    if (thread !== undefined) {
      if (thread.recovered.size > 0 && thread.recovered.has(nameOf(method, params))) return;
      note(thread, method, params);
    }
    emit(method, params);
  }

  function release(thread: Followed): void {
    const queued = thread.queued ?? [];
    thread.queued = null;
    for (const { method, params } of queued) pass(thread, method, params);
  }

  /**
   * The server may still send a replayed notification itself, if it happened just now; it is not emitted
   * twice.
   */
  function recover(thread: Followed, method: string, params: object): void {
    note(thread, method, params);
    thread.recovered.add(nameOf(method, params));
    emit(method, params);
  }

  async function catchUpWith(
    threadId: string,
    thread: Followed,
    request: TurnPort["request"],
  ): Promise<void> {
    for (const turn of await findNew(threadId, thread, request)) {
      const turnId = turn.id;
      const known = thread.running.get(turnId);
      if (known === undefined) recover(thread, "turn/started", { threadId, turn: begun(turn) });
      for (const item of turn.items) {
        if (known?.has(item.id) === true || !isComplete(item, turn)) continue;
        recover(thread, "item/completed", { threadId, turnId, item, completedAtMs: timeOf(item, turn) });
      }
      if (turn.status !== "inProgress") recover(thread, "turn/completed", { threadId, turn });
    }
  }

  return {
    follow(threadId, floor) {
      if (!threads.has(threadId))
        threads.set(threadId, {
          floor,
          running: new Map(),
          ended: new Set(),
          recovered: new Set(),
          queued: null,
        });
    },
    forget: (threadId) => void threads.delete(threadId),
    take(method, params) {
      const thread = threads.get(threadIdOf(params) ?? "");
      if (THREAD_ENDED.has(method)) threads.delete(threadIdOf(params) ?? "");
      const queued = thread?.queued ?? null;
      if (thread === undefined || queued === null) return pass(thread, method, params);
      queued.push({ method, params });
      // Rather out of order than lost.
      if (queued.length >= MAX_QUEUED) release(thread);
    },
    lose(isResumed = () => false) {
      for (const [threadId, thread] of threads) {
        if (isResumed(threadId)) continue;
        thread.queued ??= [];
        thread.recovered.clear();
      }
    },
    async catchUp({ kind, threadId }, request) {
      const thread = threads.get(threadId);
      if (thread === undefined || thread.queued === null) return;
      if (kind === "followed")
        await catchUpWith(threadId, thread, request).catch((error: unknown) => {
          // A thread that cannot be read has nothing to replay.
          if (error instanceof ConnectionError) throw error;
        });
      release(thread);
    },
    end() {
      for (const thread of threads.values()) release(thread);
    },
  };
}

/** Tracks the thread that a response has subscribed to. */
export function noteFollowed(missed: MissedEvents, method: string, params: unknown, result: unknown): void {
  if (UNSUBSCRIBING.has(method)) missed.forget(threadIdOf(params) ?? "");
  if (!/^thread\/(?:start|resume|fork)$/u.test(method)) return;
  const { id, createdAt, updatedAt } = (result as { thread: Thread }).thread;
  // A resumed thread has turns that ended long ago; a new one has none.
  missed.follow(id, method === "thread/resume" ? updatedAt : method === "thread/fork" ? createdAt : 0);
}

/** Turns that may have unemitted notifications, the oldest first. */
async function findNew(threadId: string, thread: Followed, request: TurnPort["request"]): Promise<Turn[]> {
  const latest = { threadId, sortDirection: "desc", limit: MAX_TURNS } as const;
  const { data } = await request("thread/turns/list", { ...latest, itemsView: "notLoaded" });
  const count = data.findLastIndex((turn) => isNew(thread, turn)) + 1;
  if (count === 0) return [];
  const { data: whole } = await request("thread/turns/list", { ...latest, limit: count, itemsView: "full" });
  return whole.filter((turn) => isNew(thread, turn)).toReversed();
}

function isNew({ running, ended, floor }: Followed, { id, startedAt, completedAt }: Turn): boolean {
  if (ended.has(id)) return false;
  if (running.has(id)) return true;
  return (startedAt ?? 0) >= floor && (completedAt === null || completedAt > floor);
}

/** Records what a notification says about a turn. */
function note({ running, ended }: Followed, method: string, params: unknown): void {
  const { turnId, turn, item } = params as { turnId?: unknown; turn?: Turn; item?: ThreadItem };
  const id = turn?.id ?? turnId;
  if (typeof id !== "string") return;
  if (method === "turn/completed") {
    running.delete(id);
    ended.add(id);
    const [oldest] = ended;
    if (ended.size > MAX_TURNS && oldest !== undefined) ended.delete(oldest);
    return;
  }
  if (ended.has(id)) return;
  let items = running.get(id);
  if (items === undefined) {
    items = new Set();
    running.set(id, items);
  }
  if (method === "item/completed" && item !== undefined) items.add(item.id);
}

/** The key under which a notification is recorded as emitted. */
function nameOf(method: string, params: unknown): string {
  const { turn, item } = params as { turn?: Turn; item?: ThreadItem };
  return `${method} ${turn?.id ?? item?.id ?? ""}`;
}

function isComplete(item: ThreadItem, turn: Turn): boolean {
  return turn.status !== "inProgress" || (item.completedAtMs ?? null) !== null;
}

function timeOf({ completedAtMs }: ThreadItem, { completedAt, startedAt }: Turn): number {
  return completedAtMs ?? (completedAt ?? startedAt ?? 0) * 1000;
}

/** The turn as it was when it started. */
function begun(turn: Turn): Turn {
  const open = { status: "inProgress", error: null, completedAt: null, durationMs: null } as const;
  return { ...turn, ...open, items: [], itemsView: "notLoaded", hookRuns: [] };
}

function threadIdOf(params: unknown): string | null {
  const id = (params as { readonly threadId?: unknown } | null | undefined)?.threadId;
  return typeof id === "string" ? id : null;
}
