/** What the provider searched for, as clients show it. */
import { isObject } from "../../base/json-object.ts";
import type { WebSearchAction } from "../../protocol/generated/types.ts";
import { textOf } from "./memory-citation.ts";

export function toSearchAction(given: unknown): WebSearchAction {
  if (!isObject(given)) return { type: "other" };
  switch (given["type"]) {
    case "search":
      return { type: "search", query: textOf(given["query"]), queries: textsOf(given["queries"]) };
    case "open_page":
      return { type: "openPage", url: textOf(given["url"]) };
    case "find_in_page":
      return { type: "findInPage", url: textOf(given["url"]), pattern: textOf(given["pattern"]) };
    default:
      return { type: "other" };
  }
}

/** The action in one line. */
export function describeSearch(action: WebSearchAction): string {
  switch (action.type) {
    case "search":
      return action.query === null || action.query === "" ? firstOf(action.queries ?? []) : action.query;
    case "openPage":
      return action.url ?? "";
    case "findInPage": {
      const { pattern, url } = action;
      if (pattern === null) return url ?? "";
      return url === null ? `'${pattern}'` : `'${pattern}' in ${url}`;
    }
    default:
      return "";
  }
}

function firstOf([first = "", ...more]: readonly string[]): string {
  return more.length > 0 && first !== "" ? `${first} ...` : first;
}

function textsOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : null;
}
