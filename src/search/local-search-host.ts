/**
 * Searches in the current thread, in short time slices, between which the event loop runs. Used inside the worker thread,
 * and as a fallback without one.
 */
import { resolve } from "node:path";
import type { Clock } from "../base/clock.ts";
import { createFileIndex } from "./file-index.ts";
import type {
  FileSearch,
  FileSearchHost,
  FileSearchListener,
  FileSearchOptions,
  FileSearchRequest,
} from "./file-search.ts";
import { type FoundFile, walkFiles } from "./walk-files.ts";

interface LocalSearchOptions extends FileSearchOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly sliceMs?: number;
}

/** Short enough that messages are not noticeably delayed. */
const SLICE_MS = 5;

export function createLocalSearchHost({
  sliceMs = SLICE_MS,
  ...options
}: LocalSearchOptions): FileSearchHost {
  const open = new Set<FileSearch>();
  return {
    open(request, listener) {
      const search = runSearch(request, { ...options, sliceMs }, listener);
      open.add(search);
      return {
        update: search.update,
        close() {
          open.delete(search);
          search.close();
        },
      };
    },
    async close() {
      for (const search of open) search.close();
      open.clear();
    },
  };
}

export interface SlicedSearchOptions extends FileSearchOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** The duration of one time slice. */
  readonly sliceMs: number;
}

/** The interval of updates while the search is running. */
const UPDATE_MS = 50;
/** The number of files that are matched between two clock reads. */
const BATCH = 200;

export function runSearch(
  { roots, query: first }: FileSearchRequest,
  options: SlicedSearchOptions,
  { onUpdate, onComplete }: FileSearchListener,
): FileSearch {
  const { clock, cwd, maxFiles, sliceMs } = options;
  const index = createFileIndex(roots, cwd);
  const folders = walkAll(roots, options);
  let query = first;
  let isWalked = false;
  let isClosed = false;
  let isRunning = true;
  let reportedAt = clock.monotonic();

  /** Does one unit of work; false if there is none. */
  function step(): boolean {
    if (index.matchNext(BATCH)) return true;
    if (isWalked) return false;
    const found = folders.next();
    isWalked = found.done === true || index.size() >= maxFiles;
    if (found.done !== true) index.add(found.value.slice(0, maxFiles - index.size()));
    return true;
  }

  function slice(): void {
    if (isClosed) return;
    const until = clock.monotonic() + sliceMs;
    let hasMore = true;
    while (hasMore && clock.monotonic() < until) hasMore = step();
    if (!hasMore) {
      isRunning = false;
      onUpdate(query, index.bestMatches());
      onComplete(query);
      return;
    }
    if (query !== "" && clock.monotonic() - reportedAt >= UPDATE_MS) {
      reportedAt = clock.monotonic();
      onUpdate(query, index.bestMatches());
    }
    setImmediate(slice);
  }

  index.setQuery(query);
  setImmediate(slice);
  return {
    update(text) {
      query = text;
      reportedAt = clock.monotonic();
      index.setQuery(text);
      if (!isRunning) setImmediate(slice);
      isRunning = true;
    },
    close() {
      isClosed = true;
    },
  };
}

function* walkAll(
  roots: readonly string[],
  { cwd, userIgnoreFile }: SlicedSearchOptions,
): Generator<FoundFile[]> {
  for (const root of roots) yield* walkFiles(resolve(cwd, root), { userIgnoreFile });
}
