/** Pages of threads from the index, for lists and searches. */
import type { Clock } from "../../../base/clock.ts";
import { type ThreadQuery, threadPage, toThreadQuery } from "../../pages/thread-list.ts";
import { refuseTerm, type StoreRefusal } from "../../refusal.ts";
import type { FoundThread, Page, StoredThread, ThreadListQuery } from "../../thread-store.ts";
import { type ThreadEntry, toStoredThread } from "../index/history-index.ts";
import type { SessionIndex } from "../index/session-index.ts";
import type { Sweep } from "../index/sweep.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { searchThreads } from "./search-threads.ts";
import type { ThreadWriter } from "./thread-writer.ts";

export interface FileListContext {
  readonly names: SessionIndex;
  readonly writer: ThreadWriter;
  readonly sweep: Sweep;
  readonly clock: Clock;
  readonly files: RolloutFiles;
}

export async function listThreads(
  context: FileListContext,
  wanted: ThreadListQuery,
): Promise<Page<StoredThread> | StoreRefusal> {
  const { writer, sweep } = context;
  const query = toThreadQuery(wanted);
  if ("kind" in query) return query;
  await prepare(context);
  let entries = await sweep.list(query);
  for (let found = await recheck(entries); found !== "nothing"; found = await recheck(entries)) {
    entries = await sweep.list(query);
    // A file that is written to constantly differs from the index at every check, so that changes are checked only
    // once.
    if (found === "changed") break;
  }
  return toPage(entries, query);

  function recheck(page: readonly ThreadEntry[]) {
    const others = page.filter(({ row }) => writer.journal(row.threadId) === null);
    return sweep.recheck(others.map(({ row }) => row));
  }
}

/** Threads with a term in their names or messages. */
export async function findThreads(
  context: FileListContext,
  term: string,
  wanted: ThreadListQuery,
): Promise<Page<FoundThread> | StoreRefusal> {
  const refused = refuseTerm("thread/search", term);
  if (refused !== null) return refused;
  const query = toThreadQuery(wanted);
  if ("kind" in query) return query;
  await prepare(context);
  const { sweep, clock, files } = context;
  const list = (part: ThreadQuery) => sweep.list(part);
  const found = await searchThreads({ list, files, query, term: term.trim(), now: () => clock.now() });
  return threadPage(found, query, {
    listed: ({ entry }) => entry.row,
    show: ({ entry, snippet }) => ({ thread: toStoredThread(entry), snippet }),
  });
}

/** Indexes pending names and lines. */
async function prepare({ names, writer }: FileListContext): Promise<void> {
  await names.sync();
  await writer.flush();
}

function toPage(entries: readonly ThreadEntry[], query: ThreadQuery): Page<StoredThread> {
  return threadPage(entries, query, { listed: ({ row }) => row, show: toStoredThread });
}
