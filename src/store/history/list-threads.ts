/** Pages of threads: those of a list, and those that a search finds. */
import type { Clock } from "../../base/clock.ts";
import { type HistoryIndex, positionOf, type ThreadEntry, type ThreadQuery } from "../history-index.ts";
import { readThreadCursor, threadCursor } from "./cursor.ts";
import { DEFAULT_PAGE, type Page } from "./page-turns.ts";
import { badCursor, type Refusal, refuseTerm } from "./refusal.ts";
import { type FoundThread, searchThreads } from "./search-threads.ts";
import type { SessionIndex } from "./session-index.ts";
import type { Sweep } from "./sweep.ts";
import type { Writing } from "./writing.ts";

/** A page of threads that is wanted. */
export interface ThreadListQuery extends Omit<ThreadQuery, "from" | "limit" | "order" | "direction"> {
  readonly order?: ThreadQuery["order"];
  readonly direction?: ThreadQuery["direction"];
  readonly cursor?: string | null;
  readonly limit?: number;
  /** Answers from the index as it is. */
  readonly indexOnly?: boolean;
}

export interface ListContext {
  readonly index: HistoryIndex;
  readonly names: SessionIndex;
  readonly writing: Writing;
  readonly sweep: Sweep;
  readonly clock: Clock;
}

export async function listThreads(
  context: ListContext,
  wanted: ThreadListQuery,
): Promise<Page<ThreadEntry> | Refusal> {
  const { index, writing, sweep } = context;
  const query = await prepare(context, wanted);
  if ("kind" in query) return query;
  if (wanted.indexOnly === true) return threadPage(await index.list(query), query, (entry) => entry);
  let entries = await sweep.list(query);
  for (let found = await look(entries); found !== "nothing"; found = await look(entries)) {
    entries = await sweep.list(query);
    // Files that are written to all the time are other than the index says at every look.
    if (found === "changed") break;
  }
  return threadPage(entries, query, (entry) => entry);

  function look(page: readonly ThreadEntry[]) {
    const others = page.filter(({ row }) => writing.journal(row.threadId) === null);
    return sweep.recheck(others.map(({ row }) => row));
  }
}

/** Threads with a term in their names or messages. */
export async function findThreads(
  context: ListContext,
  term: string,
  wanted: ThreadListQuery,
): Promise<Page<FoundThread> | Refusal> {
  const refused = refuseTerm("thread/search", term);
  if (refused !== null) return refused;
  const query = await prepare(context, wanted);
  if ("kind" in query) return query;
  const { sweep, clock } = context;
  const list = (part: ThreadQuery) => sweep.list(part);
  const found = await searchThreads({ list, query, term: term.trim(), now: () => clock.now() });
  return threadPage(found, query, ({ entry }) => entry);
}

/** The question of a list, with one thread more than wanted to know whether there are more. */
async function prepare(
  { names, writing }: ListContext,
  wanted: ThreadListQuery,
): Promise<ThreadQuery | Refusal> {
  const {
    cursor = null,
    order = "created_at",
    direction = "desc",
    limit = DEFAULT_PAGE,
    indexOnly: _indexOnly,
    ...filters
  } = wanted;
  const from = cursor === null ? null : readThreadCursor(cursor, order);
  if (cursor !== null && from === null) return badCursor(cursor);
  await names.sync();
  await writing.settle();
  return { ...filters, order, direction, from, limit: limit + 1 };
}

function threadPage<T>(found: readonly T[], query: ThreadQuery, entryOf: (each: T) => ThreadEntry): Page<T> {
  const data = found.slice(0, query.limit - 1);
  const [first] = data;
  const last = data.at(-1);
  const at = (each: T, inclusive: boolean) =>
    threadCursor(query.order, { ...positionOf(entryOf(each), query), inclusive });
  return {
    kind: "page",
    data,
    nextCursor: found.length > data.length && last !== undefined ? at(last, false) : null,
    backwardsCursor: first === undefined ? null : at(first, true),
  };
}
