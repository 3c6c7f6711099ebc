/**
 * Searches in this very thread, in short slices, between which whoever shares it has its turn. The search thread is built
 * of this, and it serves where there is none.
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

/** Short enough that messages are not seen to wait. */
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

export interface SliceOptions extends FileSearchOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** How long one slice may take. */
  readonly sliceMs: number;
}

/** How often the best so far are reported while files are still being found. */
const UPDATE_MS = 50;
/** Files that are matched before the time is looked at again. */
const BATCH = 200;

export function runSearch(
  { roots, query: first }: FileSearchRequest,
  options: SliceOptions,
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

  /** Does a piece of work; false when none is left. */
  function step(): boolean {
    if (index.look(BATCH)) return true;
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
      onUpdate(query, index.best());
      onComplete(query);
      return;
    }
    if (query !== "" && clock.monotonic() - reportedAt >= UPDATE_MS) {
      reportedAt = clock.monotonic();
      onUpdate(query, index.best());
    }
    setImmediate(slice);
  }

  index.ask(query);
  setImmediate(slice);
  return {
    update(text) {
      query = text;
      reportedAt = clock.monotonic();
      index.ask(text);
      if (!isRunning) setImmediate(slice);
      isRunning = true;
    },
    close() {
      isClosed = true;
    },
  };
}

function* walkAll(roots: readonly string[], { cwd, userIgnoreFile }: SliceOptions): Generator<FoundFile[]> {
  for (const root of roots) yield* walkFiles(resolve(cwd, root), { userIgnoreFile });
}
