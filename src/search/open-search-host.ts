import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { FileSearchHost, FileSearchOptions } from "./file-search.ts";
import { createLocalSearchHost } from "./local-search-host.ts";
import { openWorkerSearchHost } from "./worker-search-host.ts";

/** The name that the build gives to the bundle of `search-worker-main.ts`. */
const WORKER_FILE = "search-worker.cjs";

/** A host in a thread of its own where the package has its program, and otherwise one in this thread. */
export function openSearchHost(
  workerFile: string | null,
  options: FileSearchOptions & { readonly clock: Clock },
): FileSearchHost {
  return workerFile === null
    ? createLocalSearchHost(options)
    : openWorkerSearchHost({ ...options, file: workerFile });
}

/** The thread's program, beside the given file or in one of the two folders above. */
export function findSearchWorker(file: string): string | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, WORKER_FILE));
  return places.find((place) => existsSync(place)) ?? null;
}
