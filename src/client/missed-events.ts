/**
 * What happened in a thread while the connection was away, told as the notifications that nobody could send: turns that
 * began, items that were completed, turns that ended. Each is told once, and what comes live meanwhile waits behind it.
 */
import type { Thread, ThreadItem, Turn } from "../protocol/generated/types.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Following, GONE, LEAVING } from "./subscriptions.ts";
import type { TurnPort } from "./turn-stream.ts";

export interface MissedEvents {
  /** The client follows this thread from here on; turns that ended before are not its business. */
  follow(threadId: string, floorSeconds: number): void;
  forget(threadId: string): void;
  /** Takes a notification as it arrives, and tells it at once or in its place. */
  take(method: string, params: unknown): void;
  /** The connection is lost. */
  lose(): void;
  /** A thread is followed again, or cannot be. Rejects where the connection is lost once more. */
  catchUp(following: Following, request: TurnPort["request"]): Promise<void>;
  /** There is no connection any more: what waits is told as it is. */
  end(): void;
}

type Tell = (method: string, params: unknown) => void;

interface Followed {
  /** In seconds: turns that ended before count as known. */
  readonly floor: number;
  /** Turns of which something was told, with the items that are known to be complete; until they end. */
  readonly running: Map<string, Set<string>>;
  /** The latest turns that have ended. */
  readonly ended: Set<string>;
  /** What was told since the last loss in the server's place. */
  readonly recovered: Set<string>;
  /** What has come since the connection was lost; null while it is there. */
  held: { readonly method: string; readonly params: unknown }[] | null;
}

/** How many turns can have ended while a connection was away, and how much may wait for what is looked up. */
const MOST_TURNS = 100;
const MOST_HELD = 10_000;

export function createMissedEvents(tell: Tell): MissedEvents {
  const threads = new Map<string, Followed>();

  function pass(thread: Followed | undefined, method: string, params: unknown): void {
    if (thread !== undefined) {
      if (thread.recovered.size > 0 && thread.recovered.has(nameOf(method, params))) return;
      note(thread, method, params);
    }
    tell(method, params);
  }

  function release(thread: Followed): void {
    const held = thread.held ?? [];
    thread.held = null;
    for (const { method, params } of held) pass(thread, method, params);
  }

  /** What the server may still tell by itself, because it happened just now, is not told twice. */
  function recover(thread: Followed, method: string, params: object): void {
    note(thread, method, params);
    thread.recovered.add(nameOf(method, params));
    tell(method, params);
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
          held: null,
        });
    },
    forget: (threadId) => void threads.delete(threadId),
    take(method, params) {
      const thread = threads.get(threadIdOf(params) ?? "");
      if (GONE.has(method)) threads.delete(threadIdOf(params) ?? "");
      const held = thread?.held ?? null;
      if (thread === undefined || held === null) return pass(thread, method, params);
      held.push({ method, params });
      // Rather out of order than lost.
      if (held.length >= MOST_HELD) release(thread);
    },
    lose() {
      for (const thread of threads.values()) {
        thread.held ??= [];
        thread.recovered.clear();
      }
    },
    async catchUp({ kind, threadId }, request) {
      const thread = threads.get(threadId);
      if (thread === undefined || thread.held === null) return;
      if (kind === "followed")
        await catchUpWith(threadId, thread, request).catch((error: unknown) => {
          // A thread that cannot be read has nothing more to tell.
          if (error instanceof ConnectionError) throw error;
        });
      release(thread);
    },
    end() {
      for (const thread of threads.values()) release(thread);
    },
  };
}

/** Follows what a response says that the client follows. */
export function noteFollowed(missed: MissedEvents, method: string, params: unknown, result: unknown): void {
  if (LEAVING.has(method)) missed.forget(threadIdOf(params) ?? "");
  if (!/^thread\/(?:start|resume|fork)$/u.test(method)) return;
  const { id, createdAt, updatedAt } = (result as { thread: Thread }).thread;
  // A thread that is resumed has turns that are long over; a new one has none.
  missed.follow(id, method === "thread/resume" ? updatedAt : method === "thread/fork" ? createdAt : 0);
}

/** The turns of which something may not have been told, the oldest first. */
async function findNew(threadId: string, thread: Followed, request: TurnPort["request"]): Promise<Turn[]> {
  const latest = { threadId, sortDirection: "desc", limit: MOST_TURNS } as const;
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

/** Remembers what a notification tells of a turn. */
function note({ running, ended }: Followed, method: string, params: unknown): void {
  const { turnId, turn, item } = params as { turnId?: unknown; turn?: Turn; item?: ThreadItem };
  const id = turn?.id ?? turnId;
  if (typeof id !== "string") return;
  if (method === "turn/completed") {
    running.delete(id);
    ended.add(id);
    const [oldest] = ended;
    if (ended.size > MOST_TURNS && oldest !== undefined) ended.delete(oldest);
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

/** Under which what is told once is remembered. */
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

/** A turn as it was when it began. */
function begun(turn: Turn): Turn {
  const open = { status: "inProgress", error: null, completedAt: null, durationMs: null } as const;
  return { ...turn, ...open, items: [], itemsView: "notLoaded", hookRuns: [] };
}

function threadIdOf(params: unknown): string | null {
  const id = (params as { readonly threadId?: unknown } | null | undefined)?.threadId;
  return typeof id === "string" ? id : null;
}
