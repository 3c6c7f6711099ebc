/** The threads of one tenant in PostgreSQL. */
import { appendGoal } from "../../append-goal.ts";
import type { HistoryReader } from "../../pages/history-reader.ts";
import { itemsById, pageItems } from "../../pages/page-items.ts";
import { pageTimeline } from "../../pages/page-timeline.ts";
import { pageTurns } from "../../pages/page-turns.ts";
import { searchOccurrences } from "../../pages/search-occurrences.ts";
import { threadPage, toThreadQuery } from "../../pages/thread-list.ts";
import { missingThread, refuseTerm, type StoreRefusal } from "../../refusal.ts";
import type { ThreadStore } from "../../thread-store.ts";
import { createDetailChanges } from "./change-threads.ts";
import { copyThread, forkThread, revertThread } from "./fork-thread.ts";
import { listThreadRows, searchThreadRows } from "./list-threads.ts";
import { createThreadMoves, type ThreadMoveContext } from "./move-threads.ts";
import { readLines } from "./read-lines.ts";
import { findSegmentSpans } from "./segments.ts";
import { ThreadOpener, type ThreadOpenerOptions } from "./thread-opener.ts";
import { readThreadRow, showThreadRow, toListed } from "./thread-row.ts";
import { type PostgresItem, readItemRows } from "./thread-rows.ts";

export interface PostgresThreadsOptions
  extends ThreadOpenerOptions,
    Pick<ThreadMoveContext, "deleteRelated" | "onDeleted"> {}

export interface PostgresThreads extends ThreadStore {
  close(): Promise<void>;
}

export function createPostgresThreads(options: PostgresThreadsOptions): PostgresThreads {
  const { statements, rows, leases, tenant, now } = options;
  const opener = new ThreadOpener(options);
  const forks = { ...options, opener };
  const journal = (threadId: string) => opener.journal(threadId);

  async function from<T>(
    threadId: string,
    answer: (reader: HistoryReader<PostgresItem>) => Promise<T>,
  ): Promise<T | StoreRefusal> {
    const spans = await findSegmentSpans(statements, threadId, tenant);
    if (spans.length === 0) return missingThread(threadId);
    const live = await leases.isHeld(threadId);
    const ended = opener.journal(threadId)?.ended ?? [];
    const read = async (_segmentId: string, found: readonly PostgresItem[]) => readItemRows(found);
    return answer({ threadId, spans, rows, readItems: read, live, ended, now });
  }

  const writes: Pick<ThreadStore, "create" | "journal" | "open" | "fork" | "copy" | "revert"> = {
    create: (origin) => opener.create(origin),
    journal,
    open: (threadId, how) => opener.open(threadId, how),
    fork: (threadId, boundary, origin) => forkThread(forks, threadId, boundary, origin),
    copy: (threadId, boundary, marker) => copyThread(forks, threadId, boundary, marker),
    revert: (threadId, beforeTurnId) => revertThread(forks, threadId, beforeTurnId),
  };
  return {
    ...writes,
    ...createThreadMoves(options),
    ...createDetailChanges({ ...options, journal }),
    ...listsOf(options),
    setGoal: (threadId, goal) => appendGoal(writes, threadId, goal),
    async read(threadId) {
      const row = await readThreadRow(statements, threadId, tenant);
      return row === null ? null : showThreadRow(row);
    },
    turns: (threadId, wanted = {}) => from(threadId, (reader) => pageTurns(reader, wanted)),
    items: (threadId, wanted = {}) => from(threadId, (reader) => pageItems(reader, wanted)),
    itemsById: (threadId, turnId, itemIds) =>
      from(threadId, async (reader) => ({ kind: "items", data: await itemsById(reader, turnId, itemIds) })),
    timeline: (threadId, wanted = {}) => from(threadId, (reader) => pageTimeline(reader, wanted)),
    searchOccurrences: (threadId, term, wanted = {}) =>
      from(threadId, (reader) => searchOccurrences(reader, term, wanted)),
    async *lines(threadId, range = {}) {
      yield* readLines(await findSegmentSpans(statements, threadId, tenant), range, { statements, rows });
    },
    end: (threadId) => opener.findEnd(threadId),
    close: () => opener.close(),
  };
}

function listsOf({
  statements,
  tenant,
}: Pick<PostgresThreadsOptions, "statements" | "tenant">): Pick<ThreadStore, "list" | "search"> {
  return {
    async list(wanted) {
      const query = toThreadQuery(wanted);
      if ("kind" in query) return query;
      const found = await listThreadRows(statements, tenant, query);
      return threadPage(found, query, { listed: toListed, show: showThreadRow });
    },
    async search(term, wanted) {
      const query = refuseTerm("thread/search", term) ?? toThreadQuery(wanted);
      if ("kind" in query) return query;
      const found = await searchThreadRows(statements, tenant, { query, term: term.trim() });
      return threadPage(found, query, {
        listed: ({ row }) => toListed(row),
        show: ({ row, snippet }) => ({ thread: showThreadRow(row), snippet }),
      });
    },
  };
}
