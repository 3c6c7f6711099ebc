import { type FileStoreOptions, openFileStore } from "../files/open-file-store.ts";
import type { Store } from "../store.ts";

/** The one place that decides what a server keeps its threads in. */
export function openStore(options: FileStoreOptions): Promise<Store> {
  return Promise.resolve(openFileStore(options));
}
