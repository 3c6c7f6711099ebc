/** Validates the items that a client injects into a conversation. */
import { isObject } from "../../base/json-object.ts";
import type { Checker } from "../../protocol/check.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { recordsOf, textOf } from "./memory-citation.ts";

export type ParsedItems =
  | { readonly kind: "items"; readonly items: readonly ResponseItem[] }
  | { readonly kind: "wrong"; readonly message: string };

const REMOTE = /^https?:/i;

/** The message of a failure is fit for an `invalid request` error. */
export function parseInjectedItems(given: readonly unknown[], checker: Checker): ParsedItems {
  if (given.length === 0) return wrong("items must not be empty");
  for (const [index, item] of given.entries()) {
    const problem = faultOf(item, checker);
    if (problem !== null) return wrong(`items[${index}] is not a valid response item: ${problem}`);
  }
  if (given.some(hasRemoteImage)) {
    return wrong("remote image URLs are not supported; use an inline data URL instead");
  }
  return { kind: "items", items: given as readonly ResponseItem[] };
}

function wrong(message: string): ParsedItems {
  return { kind: "wrong", message };
}

function faultOf(item: unknown, checker: Checker): string | null {
  const verdict = checker.check("ResponseItem", item);
  return verdict.ok ? null : verdict.message;
}

/** Checks messages and tool outputs. */
function hasRemoteImage(item: unknown): boolean {
  if (!isObject(item)) return false;
  return [...recordsOf(item["content"]), ...recordsOf(item["output"])].some((part) =>
    REMOTE.test(textOf(part["image_url"]) ?? ""),
  );
}
