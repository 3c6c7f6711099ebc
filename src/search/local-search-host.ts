import type { Clock } from "../base/clock.ts";
import type { FileSearch, FileSearchHost, FileSearchOptions } from "./file-search.ts";
import { runSearch } from "./run-search.ts";

interface LocalSearchOptions extends FileSearchOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly sliceMs?: number;
}

/** Short enough that messages are not seen to wait. */
const SLICE_MS = 5;

/** Searches in this very thread. The worker is built of this, and it serves where there is none. */
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
