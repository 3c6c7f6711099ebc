import type { Store } from "../store/store.ts";

/** The store of a home, opened when it is first needed: most starts only answer a question and end. */
export interface LazyStore {
  get(): Promise<Store>;
  close(): Promise<void>;
}

export function openLazyStore(file: string): LazyStore {
  let opened: Promise<Store> | null = null;
  return {
    get() {
      opened ??= import("../store/sqlite/sqlite-store.ts").then(({ openSqliteStore }) =>
        openSqliteStore(file),
      );
      return opened;
    },
    async close() {
      if (opened !== null) await (await opened).close();
    },
  };
}
