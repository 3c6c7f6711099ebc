/** An item of a model, as it may enter the history and be given to hooks: made of whole characters, and not too deep. */
import { jsonDepth, toWellFormedJson, toWellFormedValue } from "../../base/well-formed.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";

const MAX_ITEM_DEPTH = 64;
/** Of the arguments of a call. Parsers of other languages give up at 128 levels. */
export const MAX_INPUT_DEPTH = 100;

export function toSafeItem(received: ResponseItem): ResponseItem {
  const item = toWellFormedValue(received, MAX_ITEM_DEPTH);
  if (item.type !== "function_call") return item;
  const text = toWellFormedJson(item.arguments);
  return text === item.arguments ? item : { ...item, arguments: text };
}

/** Why a call cannot be judged; null where it can. For the model. */
export function faultOfInput(input: string): string | null {
  return jsonDepth(input) > MAX_INPUT_DEPTH
    ? `the arguments are nested more than ${MAX_INPUT_DEPTH} levels deep; make them flatter`
    : null;
}
