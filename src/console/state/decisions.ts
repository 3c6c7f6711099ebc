/** The log of decisions, page by page, and the rules of a folder. */
import type { Decision, DecisionListParams, RuleListResponse } from "../../protocol/generated/types.ts";
import { createLoaded, type Loaded } from "./loaded.ts";
import { createPages, type Pages } from "./pages.ts";

const MAX_RULES = 1000;

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

export const createDecisionPages = (filters: DecisionListParams): Pages<Decision> =>
  createPages((client, page) => client.request("decision/list", { ...filters, ...page }));

/** Null is the folder of the server. */
export const createRules = (cwd: string | null): Loaded<RuleListResponse> =>
  createLoaded((client) => client.request("rule/list", { cwd, limit: MAX_RULES }));
