/** Makes an item of a model safe for the history and for hooks: well-formed Unicode and limited nesting. */
import { jsonDepth, toWellFormedJson, toWellFormedValue } from "../../base/well-formed.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";

const MAX_ITEM_DEPTH = 64;
/** The limit for the arguments of a call. Parsers of other languages fail at 128 levels. */
export const MAX_INPUT_DEPTH = 100;

export function toSafeItem(received: ResponseItem): ResponseItem {
  const item = toWellFormedValue(received, MAX_ITEM_DEPTH);
  if (item.type !== "function_call") return item;
  const text = toWellFormedJson(item.arguments);
  return text === item.arguments ? item : { ...item, arguments: text };
}

/** The reason, for the model, why a call cannot be checked by policy and hooks; null where it can. */
export function faultOfInput(input: string): string | null {
  return jsonDepth(input) > MAX_INPUT_DEPTH
    ? `the arguments are nested more than ${MAX_INPUT_DEPTH} levels deep; make them flatter`
    : null;
}
