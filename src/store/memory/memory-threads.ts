/** Threads in memory, for tests and for embedding without a home. */
import type { Clock } from "../../base/clock.ts";
import type { Effect } from "../journal.ts";
import { comparePositions } from "../line-position.ts";
import type { RolloutLine } from "../lines/line.ts";
import { sessionMeta } from "../lines/thread-lines.ts";
import { END, type HistoryReader } from "../pages/history-reader.ts";
import { itemsById, pageItems } from "../pages/page-items.ts";
import { pageTimeline } from "../pages/page-timeline.ts";
import { pageTurns } from "../pages/page-turns.ts";
import { searchOccurrences } from "../pages/search-occurrences.ts";
import { threadPage, toThreadQuery } from "../pages/thread-list.ts";
import {
  activeWriter,
  archivedThread,
  missingThread,
  refuseTerm,
  type StoreRefusal,
  storeRefusal,
} from "../refusal.ts";
import type { OpenedThread, StoredLine, ThreadStore } from "../thread-store.ts";
import { createThreadChanges } from "./change-threads.ts";
import { findForkSlice, forkMemory, recall, revertMemory } from "./fork-memory.ts";
import { findSnippet, listed, listMemory } from "./list-threads.ts";
import { createMemoryJournal, type MemoryJournal, type MemoryJournalOptions } from "./memory-journal.ts";
import type { MemoryLeases } from "./memory-leases.ts";
import { type MemoryItem, MemoryThread } from "./memory-thread.ts";

export interface MemoryThreadsOptions {
  /** All threads of the memory, which other stores may share. */
  readonly threads: Map<string, MemoryThread>;
  readonly leases: MemoryLeases;
  readonly clock: Clock;
  /** Applies an effect of appended lines. */
  readonly apply: (threadId: string, effect: Effect) => void;
  /** Called with each line that was appended. */
  readonly onLine: (thread: MemoryThread, line: RolloutLine) => void;
  /** Deletes the related state of a deleted thread. */
  readonly deleteRelated: (threadId: string) => void;
}

export interface MemoryThreads extends ThreadStore {
  close(): Promise<void>;
}

export function createMemoryThreads(options: MemoryThreadsOptions): MemoryThreads {
  const { threads, leases, clock } = options;
  const journals = new Map<string, MemoryJournal>();

  async function from<T>(
    threadId: string,
    answer: (reader: HistoryReader<MemoryItem>) => Promise<T>,
  ): Promise<T | StoreRefusal> {
    const thread = threads.get(threadId);
    if (thread === undefined) return missingThread(threadId);
    return answer({
      threadId,
      spans: [thread.span()],
      rows: thread.rows,
      readItems: async (_segmentId, rows) => rows.map(({ item }) => item),
      live: await leases.isHeld(threadId),
      ended: journals.get(threadId)?.ended ?? [],
      now: () => clock.now(),
    });
  }

  const writes = writesOf(options, journals);
  return {
    ...writes,
    ...createThreadChanges({ ...options, journal: writes.journal, open: writes.open }),
    ...listsOf(threads),
    read: async (threadId) => threads.get(threadId)?.show() ?? null,
    turns: (threadId, pageOptions = {}) => from(threadId, (reader) => pageTurns(reader, pageOptions)),
    items: (threadId, pageOptions = {}) => from(threadId, (reader) => pageItems(reader, pageOptions)),
    itemsById: (threadId, turnId, ids) =>
      from(threadId, async (reader) => ({ kind: "items", data: await itemsById(reader, turnId, ids) })),
    timeline: (threadId, pageOptions = {}) => from(threadId, (reader) => pageTimeline(reader, pageOptions)),
    searchOccurrences: (threadId, term, pageOptions = {}) =>
      from(threadId, (reader) => searchOccurrences(reader, term, pageOptions)),
    async end(threadId) {
      const thread = threads.get(threadId);
      return thread === undefined ? null : { generation: thread.generation, seq: thread.lines.length };
    },
    async *lines(threadId, { from, wholeTurn = false } = {}) {
      const lines = threads.get(threadId)?.lines ?? [];
      const at = from === undefined ? 0 : lines.findIndex((line) => comparePositions(line, from) >= 0);
      const first = at === -1 ? lines.length : at;
      yield* lines.slice(wholeTurn ? startOfTurn(lines, first) : first);
    },
    async close() {
      for (const journal of journals.values()) await journal.close();
    },
  };
}

/** The index of the line that began the turn which the line at an index is in; the index itself if there is none. */
function startOfTurn(lines: readonly StoredLine[], at: number): number {
  const start = lines.slice(0, at + 1).findLastIndex(({ line }) => line.payload["type"] === "task_started");
  return start === -1 ? at : start;
}

type Writes = Pick<ThreadStore, "create" | "journal" | "open" | "fork" | "copy" | "revert">;

function writesOf(
  { threads, leases, clock, apply, onLine }: MemoryThreadsOptions,
  journals: Map<string, MemoryJournal>,
): Writes {
  function openJournal(
    thread: MemoryThread,
    parts: Pick<MemoryJournalOptions, "meta" | "isClaimed" | "isMade" | "unfinishedTurnId">,
  ): MemoryJournal {
    const journal = createMemoryJournal({
      ...parts,
      thread,
      leases,
      clock,
      publish: () => threads.set(thread.id, thread),
      apply: (effect) => apply(thread.id, effect),
      onLine: (line) => onLine(thread, line),
      onClose: () => {
        if (journals.get(thread.id) === journal) journals.delete(thread.id);
      },
    });
    journals.set(thread.id, journal);
    return journal;
  }

  return {
    create: (origin) =>
      openJournal(new MemoryThread(origin.threadId, null), {
        meta: sessionMeta({ ...origin, createdAtMs: clock.now() }),
        isClaimed: false,
        ...(origin.mayExist === true && { isMade: () => threads.has(origin.threadId) }),
        unfinishedTurnId: null,
      }),
    journal: (threadId) => journals.get(threadId) ?? null,
    async open(threadId, { takeOver = false } = {}): Promise<OpenedThread | StoreRefusal> {
      if (journals.has(threadId)) return activeWriter(threadId);
      const thread = threads.get(threadId);
      if (thread === undefined) return missingThread(threadId);
      if (thread.archived) return archivedThread(threadId);
      const lease = await leases.acquire(threadId, takeOver ? "takeOver" : "ifFree");
      if (lease.kind === "elsewhere") return activeWriter(threadId);
      const recalled = await recall(thread, thread.lines.length, null);
      const { unfinishedTurnId } = recalled;
      const journal = openJournal(thread, { meta: null, isClaimed: true, unfinishedTurnId });
      return { kind: "open", journal, ...recalled };
    },
    async fork(threadId, boundary, origin) {
      const found = await findForkSlice(threads.get(threadId), threadId, boundary);
      if (found.kind === "refused") return found;
      const { thread, meta, bodies, recalled } = await forkMemory(found, origin, clock.now());
      const journal = openJournal(thread, { meta, isClaimed: false, unfinishedTurnId: null });
      const outcome = await journal.append(bodies);
      if (outcome.kind !== "kept") return storeRefusal("disk", outcome.message);
      const facts = { ...journal.facts(), preview: recalled.facts.preview };
      return { kind: "open", journal, ...recalled, facts };
    },
    async copy(threadId, boundary, marker) {
      const found = await findForkSlice(threads.get(threadId), threadId, boundary);
      if (found.kind === "refused") return found;
      return {
        kind: "copy",
        ...(await recall(found.thread, found.end, found.unfinished === null ? null : marker)),
      };
    },
    async revert(threadId, beforeTurnId) {
      if (journals.has(threadId)) return activeWriter(threadId);
      const found = await findForkSlice(threads.get(threadId), threadId, {
        kind: "before",
        turnId: beforeTurnId,
      });
      if (found.kind === "refused") return found;
      const lease = await leases.acquire(threadId, "ifFree");
      if (lease.kind === "elsewhere") return activeWriter(threadId);
      leases.recordWrite(lease.fence);
      threads.set(threadId, revertMemory(found, clock.now()));
      await leases.release(lease.fence);
      return { kind: "done" };
    },
  };
}

function listsOf(threads: ReadonlyMap<string, MemoryThread>): Pick<ThreadStore, "list" | "search"> {
  return {
    async list(pageOptions) {
      const query = toThreadQuery(pageOptions);
      if ("kind" in query) return query;
      return threadPage(listMemory(threads, query), query, { listed, show: (thread) => thread.show() });
    },
    async search(term, pageOptions) {
      const query = refuseTerm("thread/search", term) ?? toThreadQuery(pageOptions);
      if ("kind" in query) return query;
      const found = listMemory(threads, { ...query, limit: END }).flatMap((thread) => {
        const snippet = findSnippet(thread, term.trim());
        return snippet === null ? [] : [{ thread, snippet }];
      });
      return threadPage(found.slice(0, query.limit), query, {
        listed: ({ thread }) => listed(thread),
        show: ({ thread, snippet }) => ({ thread: thread.show(), snippet }),
      });
    },
  };
}
