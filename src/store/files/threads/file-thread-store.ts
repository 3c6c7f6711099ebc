/** The threads of a home: rollout files, and an index over them that may be lost at any time. */
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import { closeAll } from "../../../base/tasks.ts";
import type { Activity } from "../../activity.ts";
import { appendGoal } from "../../append-goal.ts";
import type { FileFacet } from "../../file-facet.ts";
import type { LinePosition } from "../../line-position.ts";
import type { ThreadOrigin } from "../../lines/thread-lines.ts";
import type { HistoryReader } from "../../pages/history-reader.ts";
import { itemsById, pageItems } from "../../pages/page-items.ts";
import { pageTimeline } from "../../pages/page-timeline.ts";
import { pageTurns } from "../../pages/page-turns.ts";
import { searchOccurrences } from "../../pages/search-occurrences.ts";
import { type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { StoredThread, ThreadStore } from "../../thread-store.ts";
import { type FileItemRow, type HistoryIndex, toStoredThread } from "../index/history-index.ts";
import { foundAt, Indexer } from "../index/indexer.ts";
import { createSessionIndex } from "../index/session-index.ts";
import { Sweep } from "../index/sweep.ts";
import { createFaultList } from "../rollout/reader.ts";
import { type RolloutFiles, UnpackedFiles } from "../rollout/rollout-files.ts";
import { plainPath } from "../rollout/rollout-name.ts";
import type { ActivityTables } from "../sqlite/sqlite-activity.ts";
import { renameThread, updateMetadata } from "./change-thread.ts";
import { createActivityCounter } from "./count-activity.ts";
import { type EffectStore, NO_EFFECT_STORE } from "./effect-store.ts";
import { isLegacy } from "./file-fork-point.ts";
import type { FileJournal } from "./file-journal.ts";
import type { FileLeases } from "./file-leases.ts";
import { copyFileThread, forkFileThread, revertFileThread } from "./fork-thread.ts";
import { generationOf } from "./generations.ts";
import { findThreads, listThreads } from "./list-threads.ts";
import { archiveThread, deleteThread, type MoveContext, unarchiveThread } from "./move-threads.ts";
import { createReader, findSpans, readSpans } from "./spans.ts";
import { ThreadWriter } from "./thread-writer.ts";

export interface FileThreadOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly leases: FileLeases;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** `os`: writes survive the process; `fsync`: they survive the machine. */
  readonly durability?: "os" | "fsync";
  /** How many threads a list indexes before it queries again; doubled with each attempt. */
  readonly fillStep?: number;
  /** Without it, appends with effects fail. */
  readonly effects?: EffectStore;
}

export interface FileThreadStore extends ThreadStore {
  readonly paths: FileFacet;
  /** The context for moving and packing threads, for retention. */
  readonly moves: MoveContext & { readonly files: RolloutFiles };
  create(origin: ThreadOrigin, historyMode?: "paginated" | "legacy"): FileJournal;
  /** Counts the activity of threads from their files. */
  countActivity(tables: ActivityTables): Activity["catchUp"];
  /** Resolves when lists include every file. */
  whenIndexed(): Promise<void>;
  close(): Promise<void>;
}

export function openFileThreads(options: FileThreadOptions): FileThreadStore {
  const { home, index, leases, clock, durability = "os" } = options;
  const faults = createFaultList(options.log);
  const files = new UnpackedFiles({ home, now: () => clock.now(), createId: options.createId });
  const indexer = new Indexer({ home, index, faults, clock, files });
  const names = createSessionIndex(home, index, durability);
  const sweep = new Sweep({ ...options, indexer, faults });
  const { effects = NO_EFFECT_STORE } = options;
  const shared = { ...options, indexer, faults, files, durability, effects };
  const writer = new ThreadWriter(shared);
  const forks = { ...shared, writer };
  const lists = { index, names, writer, sweep, clock, files };
  const moves = { ...options, indexer, names, files };
  const changes = { index, indexer, names, writer, clock, read };

  async function read(threadId: string): Promise<StoredThread | null> {
    await writer.flush(threadId);
    const row = await indexer.currentRow(threadId);
    if (row === null || (await indexer.catchUp(row)) === null) return null;
    await names.sync();
    const entry = await index.current(threadId);
    return entry === null ? null : toStoredThread(entry);
  }

  /** Runs a query on the history of a thread. */
  async function from<T>(
    threadId: string,
    answer: (reader: HistoryReader<FileItemRow>) => Promise<T>,
  ): Promise<T | StoreRefusal> {
    await writer.flush(threadId);
    const found = await findSpans(indexer, threadId);
    if (found.kind === "refused") return found;
    const live = await leases.isHeld(threadId);
    const parts = { index, faults, files, clock, live, ended: writer.endedTurns(threadId) };
    return answer(createReader(threadId, found.spans, parts));
  }

  return {
    moves,
    paths: createFileFacet(home, { indexer, writer }),
    create: (origin, historyMode) => writer.create(origin, historyMode),
    journal: (threadId) => writer.journal(threadId),
    open: (threadId, how) => writer.open(threadId, how),
    fork: (threadId, boundary, origin) => forkFileThread(forks, threadId, boundary, origin),
    copy: (threadId, boundary, marker) => copyFileThread(forks, threadId, boundary, marker),
    revert: (threadId, beforeTurnId) => revertFileThread(forks, threadId, beforeTurnId),
    list: (wanted) => listThreads(lists, wanted),
    search: (term, wanted) => findThreads(lists, term, wanted),
    read,
    turns: (threadId, wanted = {}) => from(threadId, (reader) => pageTurns(reader, wanted)),
    items: (threadId, wanted = {}) => from(threadId, (reader) => pageItems(reader, wanted)),
    itemsById: (threadId, turnId, itemIds) =>
      from(threadId, async (reader) => ({ kind: "items", data: await itemsById(reader, turnId, itemIds) })),
    timeline: (threadId, wanted = {}) => from(threadId, (reader) => pageTimeline(reader, wanted)),
    searchOccurrences: (threadId, term, wanted = {}) =>
      from(threadId, (reader) => searchOccurrences(reader, term, wanted)),
    end: (threadId) => endOf(threadId, { index, indexer, writer }),
    async *lines(threadId, range = {}) {
      await writer.flush(threadId);
      const found = await findSpans(indexer, threadId);
      if (found.kind === "found") yield* readSpans(found.spans, range, { index, indexer, files, faults });
    },
    async archive(threadId) {
      // Spawned threads may be in files that are not indexed yet.
      await sweep.fill();
      return archiveThread(moves, threadId);
    },
    unarchive: (threadId) => unarchiveThread(moves, threadId),
    async delete(threadId) {
      await writer.flush();
      await sweep.complete();
      return deleteThread(moves, threadId);
    },
    rename: (threadId, name) => renameThread(changes, threadId, name),
    updateMetadata: (threadId, patch) => updateMetadata(changes, threadId, patch),
    setGoal: (threadId, goal) => appendGoal(writer, threadId, goal),
    readStates: (threadIds) => index.readStates(threadIds),
    setReadState: (threadId, state, expected) => index.setReadState(threadId, state, expected),
    countActivity: (tables) => createActivityCounter({ ...lists, tables, flush: () => indexAll(lists) }),
    whenIndexed: () => sweep.complete(),
    close: () => closeAll([() => sweep.close(), () => writer.close(), () => files.close()]),
  };
}

/** Makes the index know every line. */
async function indexAll({
  writer,
  sweep,
}: {
  readonly writer: ThreadWriter;
  readonly sweep: Sweep;
}): Promise<void> {
  await writer.flush();
  await sweep.complete();
}

/** The position after the last line, of this process or of the index. */
async function endOf(
  threadId: string,
  { index, indexer, writer }: Pick<FileThreadOptions, "index"> & { indexer: Indexer; writer: ThreadWriter },
): Promise<LinePosition | null> {
  const journal = writer.journal(threadId);
  if (journal !== null) return journal.next();
  const row = await indexer.currentRow(threadId);
  const current = row === null ? null : await indexer.catchUp(row);
  if (current === null || isLegacy(current)) return null;
  const generation = await generationOf({ index, indexer }, current);
  const lines = (await index.state(current.rolloutId))?.lines ?? 0;
  return { generation, seq: (current.base?.end_ordinal_exclusive ?? 0) + lines };
}

interface FacetParts {
  readonly indexer: Pick<Indexer, "adopt">;
  readonly writer: Pick<ThreadWriter, "create">;
}

function createFileFacet(home: string, { indexer, writer }: FacetParts): FileFacet {
  return {
    createLegacy: (origin) => writer.create(origin, "legacy"),
    resolve: (path) => resolve(home, path),
    async locate(path) {
      const status = await stat(path).catch(() => null);
      const found = foundAt(home, path);
      if (found === null || status === null) return storeRefusal("missing", pathFault(path, status));
      return { kind: "found", threadId: found.name.threadId };
    },
    adopt: (path) => indexer.adopt(path),
    isSameFile: async (one, other) => (await resolvePlain(one)) === (await resolvePlain(other)),
  };
}

function pathFault(path: string, status: Stats | null): string {
  if (status?.isFile() === true) return `no rollout found at ${path}`;
  const fault = status === null ? "file does not exist" : "path is a directory";
  return `failed to resolve rollout path \`${path}\`: ${fault}`;
}

async function resolvePlain(path: string): Promise<string> {
  return plainPath(await realpath(path).catch(() => path));
}
