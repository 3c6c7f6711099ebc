/** Pages of threads: the question that a list asks, and the cursors on either side of its answer. */
import type { ThreadFacts } from "../lines/thread-facts.ts";
import { badCursor, type StoreRefusal } from "../refusal.ts";
import type { Page, ThreadFilter, ThreadListQuery, ThreadOrder } from "../thread-store.ts";
import { readThreadCursor, threadCursor } from "./cursor.ts";
import type { Direction } from "./history-reader.ts";
import { DEFAULT_PAGE } from "./page-turns.ts";

/** A place in a list of threads. */
export interface ThreadPosition {
  readonly value: number;
  readonly id: string;
  /** Whether the list begins with the thread at this place, or behind it. */
  readonly inclusive: boolean;
}

export interface ThreadQuery extends ThreadFilter {
  readonly order: ThreadOrder;
  readonly direction: Direction;
  readonly from: ThreadPosition | null;
  readonly limit: number;
}

/** What a thread's place in every order follows from. */
export interface ListedThread {
  readonly threadId: string;
  /** Its place in lists by creation. */
  readonly createdOrderMs: number;
  readonly recencyAtMs: number;
  readonly facts: Pick<ThreadFacts, "updatedAtMs">;
}

export function positionOf(
  { threadId, createdOrderMs, recencyAtMs, facts }: ListedThread,
  { order }: Pick<ThreadQuery, "order">,
): Pick<ThreadPosition, "value" | "id"> {
  const values = { created_at: createdOrderMs, updated_at: facts.updatedAtMs, recency_at: recencyAtMs };
  return { value: values[order], id: threadId };
}

/** The question of a list, with one thread more than wanted to know whether there are more. */
export function toThreadQuery(wanted: ThreadListQuery): ThreadQuery | StoreRefusal {
  const {
    cursor = null,
    order = "created_at",
    direction = "desc",
    limit = DEFAULT_PAGE,
    ...filters
  } = wanted;
  const from = cursor === null ? null : readThreadCursor(cursor, order);
  if (cursor !== null && from === null) return badCursor(cursor);
  return { ...filters, order, direction, from, limit: limit + 1 };
}

/** The page that the answer to such a question is. */
export function threadPage<F, T>(
  found: readonly F[],
  query: ThreadQuery,
  { listed, show }: { readonly listed: (each: F) => ListedThread; readonly show: (each: F) => T },
): Page<T> {
  const kept = found.slice(0, query.limit - 1);
  const [first] = kept;
  const last = kept.at(-1);
  const at = (each: F, inclusive: boolean) =>
    threadCursor(query.order, { ...positionOf(listed(each), query), inclusive });
  return {
    kind: "page",
    data: kept.map(show),
    nextCursor: found.length > kept.length && last !== undefined ? at(last, false) : null,
    backwardsCursor: first === undefined ? null : at(first, true),
  };
}
