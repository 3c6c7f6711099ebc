/** The log of decisions, page by page, and the rules of a folder. */
import { signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { Decision, DecisionListParams, RuleListResponse } from "../../protocol/generated/types.ts";
import { createLoaded, type Loaded } from "./loaded.ts";
import { client as connection } from "./server.ts";

const PAGE = 50;
const MAX_RULES = 1000;

export interface DecisionPages extends Loaded<readonly Decision[]> {
  hasMore(): boolean;
  loadMore(): Promise<void>;
}

const FILTERS = ["outcome", "by", "kind"] as const;
export const MAX_TEXT = 256;

/** The filters in the address. */
export function filtersOf(query: URLSearchParams): DecisionListParams {
  const chosen = FILTERS.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  });
  const text = query.get("q")?.trim().slice(0, MAX_TEXT) ?? "";
  return {
    ...(Object.fromEntries(chosen) as DecisionListParams),
    threadId: query.get("thread"),
    text: text === "" ? null : text,
  };
}

export function createDecisionPages(filters: DecisionListParams): DecisionPages {
  const nextCursor = signal<string | null>(null);
  async function read(client: Client, cursor: string | null): Promise<readonly Decision[]> {
    const page = await client.request("decision/list", { ...filters, cursor, limit: PAGE });
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

/** Null is the folder of the server. */
export const createRules = (cwd: string | null): Loaded<RuleListResponse> =>
  createLoaded((client) => client.request("rule/list", { cwd, limit: MAX_RULES }));
