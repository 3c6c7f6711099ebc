/** Pages of threads: the query of a list, and the cursors on either side of its result. */
import type { ThreadFacts } from "../lines/thread-facts.ts";
import { badCursor, type StoreRefusal } from "../refusal.ts";
import type { Page, ThreadFilter, ThreadListQuery, ThreadOrder } from "../thread-store.ts";
import { readThreadCursor, threadCursor } from "./cursor.ts";
import type { Direction } from "./history-reader.ts";
import { DEFAULT_PAGE } from "./page-turns.ts";

/** A position in a list of threads. */
export interface ThreadPosition {
  readonly value: number;
  readonly id: string;
  /** Whether the list begins with the thread at this position or after it. */
  readonly inclusive: boolean;
}

export interface ThreadQuery extends ThreadFilter {
  readonly order: ThreadOrder;
  readonly direction: Direction;
  readonly from: ThreadPosition | null;
  readonly limit: number;
}

/** The sort keys of a thread for every order. */
export interface ListedThread {
  readonly threadId: string;
  /** The sort key of lists by creation. */
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

/** Builds the query of a list, with one thread more than requested to detect further pages. */
export function toThreadQuery(options: ThreadListQuery): ThreadQuery | StoreRefusal {
  const {
    cursor = null,
    order = "created_at",
    direction = "desc",
    limit = DEFAULT_PAGE,
    ...filters
  } = options;
  const from = cursor === null ? null : readThreadCursor(cursor, order);
  if (cursor !== null && from === null) return badCursor(cursor);
  return { ...filters, order, direction, from, limit: limit + 1 };
}

/** Builds the page from the result of such a query. */
export function threadPage<F, T>(
  found: readonly F[],
  query: ThreadQuery,
  { listed, show }: { readonly listed: (each: F) => ListedThread; readonly show: (each: F) => T },
): Page<T> {
  const page = found.slice(0, query.limit - 1);
  const [first] = page;
  const last = page.at(-1);
  const at = (each: F, inclusive: boolean) =>
    threadCursor(query.order, { ...positionOf(listed(each), query), inclusive });
  return {
    kind: "page",
    data: page.map(show),
    nextCursor: found.length > page.length && last !== undefined ? at(last, false) : null,
    backwardsCursor: first === undefined ? null : at(first, true),
  };
}
