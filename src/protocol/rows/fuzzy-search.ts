// Finding files by an approximate path.

import { emptyResult, free, notification, perConnection, request } from "./row.ts";
import { array, choice, define, nullable, object, string, u32 } from "./shape.ts";

export const FuzzyFileSearchParams = define(
  "FuzzyFileSearchParams",
  object({ query: string(), roots: array(string()), cancellationToken: nullable(string()) }),
);
export const FuzzyFileSearchMatchType = define("FuzzyFileSearchMatchType", choice("file", "directory"));
export const FuzzyFileSearchResult = define(
  "FuzzyFileSearchResult",
  object({
    root: string(),
    path: string(),
    match_type: FuzzyFileSearchMatchType,
    file_name: string(),
    score: u32(),
    indices: nullable(array(u32())),
  }),
);
export const FuzzyFileSearchResponse = define(
  "FuzzyFileSearchResponse",
  object({ files: array(FuzzyFileSearchResult) }),
);
export const FuzzyFileSearchSessionStartParams = define(
  "FuzzyFileSearchSessionStartParams",
  object({ sessionId: string(), roots: array(string()) }),
);
export const FuzzyFileSearchSessionUpdateParams = define(
  "FuzzyFileSearchSessionUpdateParams",
  object({ sessionId: string(), query: string() }),
);
export const FuzzyFileSearchSessionStopParams = define(
  "FuzzyFileSearchSessionStopParams",
  object({ sessionId: string() }),
);
export const FuzzyFileSearchSessionUpdatedNotification = define(
  "FuzzyFileSearchSessionUpdatedNotification",
  object({ sessionId: string(), query: string(), files: array(FuzzyFileSearchResult) }),
);
export const FuzzyFileSearchSessionCompletedNotification = define(
  "FuzzyFileSearchSessionCompletedNotification",
  object({ sessionId: string() }),
);

export const fuzzySearchRequests = {
  fuzzyFileSearch: request({
    summary: "Finds files whose path resembles a text.",
    stability: "stable",
    scope: "operate",
    params: FuzzyFileSearchParams,
    result: FuzzyFileSearchResponse,
    order: free,
    idempotent: true,
    handlers: "fuzzy-search",
  }),
  "fuzzyFileSearch/sessionStart": request({
    summary: "Opens a file search whose query changes while the user types.",
    stability: "experimental",
    scope: "operate",
    params: FuzzyFileSearchSessionStartParams,
    result: emptyResult("FuzzyFileSearchSessionStartResponse"),
    order: perConnection("sessionId"),
    handlers: "fuzzy-search",
  }),
  "fuzzyFileSearch/sessionUpdate": request({
    summary: "Changes the query of a file search.",
    stability: "experimental",
    scope: "operate",
    params: FuzzyFileSearchSessionUpdateParams,
    result: emptyResult("FuzzyFileSearchSessionUpdateResponse"),
    order: perConnection("sessionId"),
    handlers: "fuzzy-search",
  }),
  "fuzzyFileSearch/sessionStop": request({
    summary: "Closes a file search.",
    stability: "experimental",
    scope: "operate",
    params: FuzzyFileSearchSessionStopParams,
    result: emptyResult("FuzzyFileSearchSessionStopResponse"),
    order: perConnection("sessionId"),
    handlers: "fuzzy-search",
  }),
};

export const fuzzySearchNotifications = {
  "fuzzyFileSearch/sessionUpdated": notification({
    summary: "The results of a file search for its latest query.",
    stability: "stable",
    params: FuzzyFileSearchSessionUpdatedNotification,
    audience: "connection",
  }),
  "fuzzyFileSearch/sessionCompleted": notification({
    summary: "A file search is complete.",
    stability: "stable",
    params: FuzzyFileSearchSessionCompletedNotification,
    audience: "connection",
  }),
};
