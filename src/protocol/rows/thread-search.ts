// Finding text in threads.

import { free, request } from "./row.ts";
import { array, boolean, choice, define, nullable, object, string, u32 } from "./shape.ts";
import { ThreadSourceKind } from "./thread-list.ts";
import { SortDirection, Thread } from "./thread-record.ts";

export const ThreadSearchSortKey = define(
  "ThreadSearchSortKey",
  choice("created_at", "updated_at", "recency_at"),
);
export const ThreadSearchParams = define(
  "ThreadSearchParams",
  object({
    cursor: nullable(string()),
    limit: nullable(u32()),
    sortKey: nullable(ThreadSearchSortKey),
    sortDirection: nullable(SortDirection),
    sourceKinds: nullable(array(ThreadSourceKind)),
    archived: nullable(boolean()),
    searchTerm: string(),
  }),
);
export const ThreadSearchResult = define("ThreadSearchResult", object({ thread: Thread, snippet: string() }));
export const ThreadSearchResponse = define(
  "ThreadSearchResponse",
  object({
    data: array(ThreadSearchResult),
    nextCursor: nullable(string()),
    backwardsCursor: nullable(string()),
  }),
);
export const ThreadSearchOccurrencesParams = define(
  "ThreadSearchOccurrencesParams",
  object({ threadId: string(), searchTerm: string(), cursor: nullable(string()), limit: nullable(u32()) }),
);
export const ThreadSearchTextRange = define("ThreadSearchTextRange", object({ start: u32(), end: u32() }));
export const ThreadSearchOccurrence = define(
  "ThreadSearchOccurrence",
  object({
    turnId: string(),
    itemId: string(),
    snippet: string(),
    snippetMatchRange: ThreadSearchTextRange,
    turnCursor: string(),
  }),
);
export const ThreadSearchOccurrencesResponse = define(
  "ThreadSearchOccurrencesResponse",
  object({ data: array(ThreadSearchOccurrence), nextCursor: nullable(string()) }),
);

export const threadSearchRequests = {
  "thread/search": request({
    summary: "Finds threads by their text.",
    stability: "experimental",
    scope: "read",
    params: ThreadSearchParams,
    result: ThreadSearchResponse,
    order: free,
    idempotent: true,
    handlers: "thread-lists",
  }),
  "thread/searchOccurrences": request({
    summary: "Finds the places in one thread where a text occurs.",
    stability: "experimental",
    scope: "read",
    params: ThreadSearchOccurrencesParams,
    result: ThreadSearchOccurrencesResponse,
    order: free,
    idempotent: true,
    handlers: "thread-pages",
  }),
};
