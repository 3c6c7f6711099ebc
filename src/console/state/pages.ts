/** A list that is read page by page. */
import { signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import { createLoaded, type Loaded } from "./loaded.ts";
import { client as connection } from "./server.ts";

const PAGE = 50;

export interface Pages<T> extends Loaded<readonly T[]> {
  hasMore(): boolean;
  loadMore(): Promise<void>;
}

interface PageParams {
  readonly cursor: string | null;
  readonly limit: number;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export function createPages<T>(readPage: (client: Client, params: PageParams) => Promise<Page<T>>): Pages<T> {
  const nextCursor = signal<string | null>(null);
  async function read(client: Client, cursor: string | null): Promise<readonly T[]> {
    const page = await readPage(client, { cursor, limit: PAGE });
    nextCursor.value = page.nextCursor;
    return page.data;
  }
  const loaded = createLoaded((client) => read(client, null));
  return {
    ...loaded,
    hasMore: () => nextCursor.value !== null,
    async loadMore() {
      const current = connection.peek();
      if (current === null || nextCursor.peek() === null) return;
      const more = await read(current, nextCursor.peek());
      loaded.put([...(loaded.data.peek() ?? []), ...more]);
    },
  };
}
